"""Prove that the tests can fail: canaries beside the change's own tests must come out as they were written.

Production code runs in the process that judges it, and can change the runner, the assertions or the report.
So tests with fresh names and fresh bodies run in a short session of their own, with the project's runner and
configuration, after the change's tests and with the changed modules imported. They are never counted.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from setpoint.checks.proof.instrument.canary import (
    Canary,
    go_canary,
    javascript_canary,
    python_canary,
    rust_canary,
)
from setpoint.checks.proof.instrument.importable import imported, module_of, package_of_go, target_of_rust
from setpoint.checks.proof.instrument.own_command import runs_to_the_end
from setpoint.checks.proof.subject import Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.witness import Witness
from setpoint.checks.suites.package_suite import RUNNERS, PackageSuite, owner
from setpoint.checks.suites.pytest import TestSuite, run_once
from setpoint.checks.suites.runner import Once
from setpoint.model.evidence import OWN_TESTS, SUITES, Outcome
from setpoint.model.proof import INSTRUMENT, Obligation, ObligationState, WorkKind
from setpoint.ports import Measured

_MOST_BESIDE = 20
"""Most tests of the change that run before the canaries."""
_MOST_PLACES = 3
"""Most packages or files that get a canary of their own."""
_TIMEOUT_S = 120.0
_GREEN = (Outcome.PASSED, Outcome.XPASSED)


@dataclass(frozen=True, kw_only=True)
class Planned:
    """Canaries of one runner, and what they run beside."""

    check: TestSuite | PackageSuite
    canary: Canary
    beside: tuple[str, ...]
    """Tests of the change."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What became of the canaries."""

    wrong: dict[str, str]
    """Those that came out otherwise, with what was reported."""
    lies: str = ""
    """How the process ended, where that contradicts the tests that must fail."""


async def instrument(subject: Subject, witnesses: tuple[Witness, ...]) -> Obligation:
    """Run the canaries on the result; what they do on the base too is the project's own way."""
    if subject.work is WorkKind.DOCS:
        return _not_applicable("nothing that runs changes")
    if reason := _changed_by_checks(subject):
        return Obligation(name=INSTRUMENT, state=ObligationState.NOT_MET, reason=reason)
    own = await runs_to_the_end(subject)
    planned = await _all_planned(subject, witnesses)
    if own is not None and (own.state is ObligationState.NOT_MET or not planned):
        return own
    if not planned:
        return _not_applicable(
            "no test of a runner that Setpoint knows passed beside which a canary could run"
        )
    return await _compared(subject, planned)


async def _compared(subject: Subject, planned: list[Planned]) -> Obligation:
    known, notes = 0, []
    for plan in planned:
        compared = await _run(plan, await subject.checked_out())
        counted = len(plan.canary.failing)
        if compared.wrong or compared.lies:
            at_base = await _run(replace(plan, beside=()), await subject.base_checked_out())
            wrong = {test: how for test, how in compared.wrong.items() if at_base.wrong.get(test) != how}
            if wrong or (compared.lies and not at_base.lies):
                return _not_met(plan, wrong, compared.lies)
            counted -= len(compared.wrong.keys() & plan.canary.failing)
            notes.append(f"{plan.check.name} leaves out {len(compared.wrong)} of them on the base too")
        known += max(0, counted)
    if not known:
        return _not_applicable("; ".join(notes))
    names = ", ".join(dict.fromkeys(plan.check.name for plan in planned))
    reason = "; ".join((f"{known} tests that must fail were reported as failing ({names})", *notes))
    return Obligation(name=INSTRUMENT, state=ObligationState.MET, reason=reason)


def _changed_by_checks(subject: Subject) -> str:
    """Say which files a check of the result changed that the checks of the base left alone."""
    before = {path for each in subject.base.results for path in each.evidence.changed_files}
    now = {
        path: each.evidence.check
        for each in subject.now.results
        for path in each.evidence.changed_files
        if path not in before
    }
    if not now:
        return ""
    checks = ", ".join(dict.fromkeys(now.values()))
    return f"{checks} changed {listed(tuple(now))} while it ran: let tests write to temporary folders alone"


def _not_met(plan: Planned, wrong: dict[str, str], lies: str) -> Obligation:
    canary = plan.canary
    said = [
        f"a test that must fail {_said(how)}" for test, how in wrong.items() if test not in canary.passing
    ]
    said += [f"a test that must pass {_said(how)}" for test, how in wrong.items() if test in canary.passing]
    said += [f"tests that must fail ended with {lies}"] if lies else []
    shown = listed(tuple(dict.fromkeys(said)))
    reason = (
        f"{plan.check.name} cannot be believed with this change: {shown}: remove what changes the runner, "
        "the assertions or the end of the process"
    )
    return Obligation(name=INSTRUMENT, state=ObligationState.NOT_MET, reason=reason)


def _said(how: str) -> str:
    return "did not run" if how == "missing" else f"was reported as {how}"


async def _run(plan: Planned, there: Measured) -> Compared:
    """Write the canaries into a place, run them, and compare."""
    tree, canary = Path(there.copy.path), plan.canary
    await asyncio.to_thread(_write, tree, canary)
    only = (*plan.beside, *canary.tests)
    if isinstance(plan.check, TestSuite):
        done, suite, _ = await run_once(plan.check.runner, there, only)
        outcomes = dict(suite.outcomes)
    else:
        once = await _once(plan.check, tree, only)
        done, outcomes = once.done, dict(once.report.outcomes) if once.report else {}
    wrong = {test: _named(outcomes.get(test)) for test in canary.failing if not _red(outcomes.get(test))}
    wrong |= {test: _named(outcomes.get(test)) for test in canary.passing if outcomes.get(test) not in _GREEN}
    wrong |= {test: _named(outcomes[test]) for test in canary.never_pass if outcomes.get(test) in _GREEN}
    failed = any(_red(outcomes.get(test)) for test in canary.failing)
    return Compared(wrong=wrong, lies=done.ending if failed and done.exit_code == 0 else "")


async def _once(suite: PackageSuite, tree: Path, only: tuple[str, ...]) -> Once:
    """Run the canaries of a package, and what of the same package runs beside them."""
    folder, share = next(each for each in suite.shares(tree, only) if only[-1] in (each[1] or ()))
    return await replace(suite, timeout_s=_TIMEOUT_S).once(tree, folder, share)


def _write(tree: Path, canary: Canary) -> None:
    for path, text in canary.files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    for path, text in canary.appended.items():
        if (tree / path).is_file():
            with (tree / path).open("a", encoding="utf-8") as file:
                file.write(text)


async def _all_planned(subject: Subject, witnesses: tuple[Witness, ...]) -> list[Planned]:
    """Choose what the canaries run beside, and write those of each runner."""
    passed = witness.passed_in(subject.now.tests)
    named = [each.name for each in witnesses if each.name in passed]
    own = [test for test in sorted(passed) if test.partition("::")[0] in subject.of_tests]
    others = [*dict.fromkeys((*named, *own)), *sorted(passed)]
    chosen = subject.task.project.chosen
    planned: list[Planned] = []
    for check in subject.plan.selection(subject.target, tuple(others)):
        if isinstance(check, TestSuite):
            tests = [test for test in others if not owner(test, chosen)]
            planned.append(await _of_python(subject, check, tests[:_MOST_BESIDE]))
        elif isinstance(check, PackageSuite) and check.name != OWN_TESTS:
            tests = [test for test in others if owner(test, chosen) == check.name]
            planned += await _of_package(subject, check, tests[:_MOST_BESIDE])
    return planned


async def _of_python(subject: Subject, suite: TestSuite, beside: list[str]) -> Planned:
    """Run canaries with coverage, as the whole suite runs."""
    roots = subject.task.project.layout.imports
    code = [path for path in subject.after if path.endswith(".py") and path not in subject.of_tests]
    there = await imported(subject.place.copy.path, subject.place.commit, code)
    last = max(test.partition("::")[0] for test in beside)
    sample = next((test for test in beside if test.count("::") == 1), beside[0])
    modules = [module_of(path, roots) for path in there]
    canary = python_canary(sample, modules, last, pytest=suite.name == "pytest")
    watched = subject.plan.runner(subject.plan.cover(), suite.runner.name)
    runner = replace(watched, timeout_s=min(watched.timeout_s, _limit_s(subject)), files=tuple(canary.files))
    return Planned(check=replace(suite, runner=runner), canary=canary, beside=tuple(beside))


async def _of_package(subject: Subject, suite: PackageSuite, beside: list[str]) -> list[Planned]:
    tree = Path(subject.place.copy.path)
    code = [path for path in subject.after if path not in subject.of_tests]
    canaries: list[Canary | None] = []
    if suite.name == "go_test":
        sources = {
            PurePosixPath(path).parent.as_posix().strip("."): path for path in code if path.endswith(".go")
        }
        for folder, path in [*sources.items()][:_MOST_PLACES]:
            package = package_of_go(tree, suite.folders, folder)
            canaries += [go_canary(folder, package, subject.after[path])] if package else []
    elif suite.name == "cargo_test":
        for path in [each for each in code if each.endswith(".rs")][:_MOST_PLACES]:
            where = target_of_rust(tree, path)
            canaries += [rust_canary(path, *where)] if where else []
    elif suite.preset.reports is None:
        last = beside[0].partition("::")[0]
        source = await asyncio.to_thread((tree / last).read_text, "utf-8", "replace")
        scripts = [path for path in code if RUNNERS[suite.name].owns(path)]
        there = await imported(subject.place.copy.path, subject.place.commit, scripts)
        canaries.append(javascript_canary(suite.name, last, source, there))
    beside = [] if suite.name in ("go_test", "cargo_test") else beside
    return [Planned(check=suite, canary=each, beside=tuple(beside)) for each in canaries if each is not None]


def _limit_s(subject: Subject) -> float:
    """Return the seconds that a session may take: what runs beside the canaries took its own time before."""
    took = sum(each.evidence.duration_s for each in subject.now.results if each.evidence.check in SUITES)
    return max(_TIMEOUT_S, 2 * took)


def _red(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.red


def _named(outcome: Outcome | None) -> str:
    return "missing" if outcome is None else str(outcome)


def _not_applicable(reason: str) -> Obligation:
    return Obligation(name=INSTRUMENT, state=ObligationState.NOT_APPLICABLE, reason=reason)
