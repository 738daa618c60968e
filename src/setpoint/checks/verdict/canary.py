"""Prove that tests can fail: some of known outcome, beside the change's own, come out as they were written.

Production code runs in the process that judges it, and can change the runner, the assertions or the report.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks.languages.all import LANGUAGES
from setpoint.checks.languages.language import Canary, CanaryRequest
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.suites.selected_run import folders_of, run_selected
from setpoint.checks.verdict.not_measured import not_applicable, or_not_measured
from setpoint.checks.verdict.subject import Subject, listed
from setpoint.checks.verdict.witness import Witness, passed_in
from setpoint.model.changes.work_kind import runs
from setpoint.model.evidence import Outcome
from setpoint.model.proof import CANARY, Obligation, ObligationState, WorkKind
from setpoint.ports import Check, Measured

_MOST_BESIDE = 20
"""Most tests of the change that run before the canaries."""
_TIMEOUT_S = 120.0
_GREEN = (Outcome.PASSED, Outcome.XPASSED)


@dataclass(frozen=True, kw_only=True)
class Planned:
    """Canaries of one runner, and what they run beside."""

    check: Check
    canary: Canary
    beside: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Came:
    """What became of the canaries."""

    wrong: Mapping[str, str]
    """Those that came out otherwise, with what was reported."""
    broken: str
    """Why the runner died; empty where it did not."""


async def canary(subject: Subject, witnesses: tuple[Witness, ...], until: float) -> Obligation:
    """Run canaries on the result; what they do on the base too is the project's own way."""
    return await or_not_measured(CANARY, _canary(subject, witnesses, until))


async def _canary(subject: Subject, witnesses: tuple[Witness, ...], until: float) -> Obligation:
    if subject.work is WorkKind.DOCS:
        return not_applicable(CANARY, "nothing that runs changes")
    planned = await _all_planned(subject, witnesses)
    if not planned:
        return not_applicable(CANARY, "no test passed beside which a canary could run")
    known, notes, left = 0, list[str](), list[str]()
    for place, plan in enumerate(planned):
        if time.monotonic() >= until:
            left = [each.check.name for each in planned[place:]]
            break
        wrong, excused, why = await _compared(subject, plan, until)
        if wrong:
            return _not_met(plan, wrong)
        notes += [why] if why else []
        known += 0 if why.startswith("no time") else len(plan.canary.failing - excused.keys())
    cut = f"no time for canaries of {listed(left)}" if left else ""
    if not known:
        return not_applicable(CANARY, "; ".join(notes), cut)
    names = ", ".join(dict.fromkeys(plan.check.name for plan in planned))
    reason = "; ".join((f"{known} tests that must fail were reported as failing ({names})", *notes))
    return Obligation(name=CANARY, state=ObligationState.MET, reason=reason, count=known, cut=cut)


async def _compared(
    subject: Subject, plan: Planned, until: float
) -> tuple[Mapping[str, str], Mapping[str, str], str]:
    """Return canaries that come out otherwise with the change alone, those of the base, and what to say."""
    left_s = until - time.monotonic()
    came = await _run(plan, await subject.checked_out(), min(_TIMEOUT_S, left_s))
    if not came.wrong:
        return {}, {}, ""
    if time.monotonic() >= until and left_s < _TIMEOUT_S:
        return {}, came.wrong, f"no time for canaries of {plan.check.name}"
    again = await _run(plan, await subject.checked_out(), _TIMEOUT_S)
    at_base = await _run(replace(plan, beside=()), await subject.base_checked_out(), _TIMEOUT_S)
    wrong = {
        test: how
        for test, how in came.wrong.items()
        if again.wrong.get(test) == how != at_base.wrong.get(test)
    }
    if came.broken and at_base.broken:
        return {}, came.wrong, f"not measured: {plan.check.name} dies on the base too: {at_base.broken}"
    excused = {test: how for test, how in came.wrong.items() if test not in wrong}
    said = f"{plan.check.name} leaves out {len(excused)} of them on the base too" if excused else ""
    return wrong, excused, said


def _not_met(plan: Planned, wrong: Mapping[str, str]) -> Obligation:
    said = [
        f"a test that must {'pass' if test in plan.canary.passing else 'fail'} {_said(how)}"
        for test, how in wrong.items()
    ]
    reason = (
        f"{plan.check.name} cannot be believed with this change: {listed(tuple(dict.fromkeys(said)))}: "
        "remove what changes the runner, the assertions or the end of the process"
    )
    return Obligation(name=CANARY, state=ObligationState.NOT_MET, reason=reason, count=len(plan.canary.tests))


def _said(how: str) -> str:
    return "did not run" if how == "missing" else f"was reported as {how}"


async def _run(plan: Planned, there: Measured, limit_s: float) -> Came:
    """Write the canaries into a place, run them, and compare."""
    canary = plan.canary
    await asyncio.to_thread(_write, Path(there.copy.path), canary)
    only = (*plan.beside, *canary.tests)
    found = await run_selected(plan.check, there, only, canary.files, limit_s)
    outcomes = found.outcomes
    wrong = {test: _named(outcomes.get(test)) for test in canary.failing if not _is_red(outcomes.get(test))}
    wrong |= {test: _named(outcomes.get(test)) for test in canary.passing if outcomes.get(test) not in _GREEN}
    wrong |= {test: _named(outcomes[test]) for test in canary.never_pass if outcomes.get(test) in _GREEN}
    return Came(wrong=wrong, broken=found.broken)


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
    passed = passed_in(subject.now.tests)
    named = [each.name for each in witnesses if each.name in passed]
    own = [test for test in sorted(passed) if test.partition("::")[0] in subject.of_tests]
    tests = list(dict.fromkeys((*named, *own, *sorted(passed))))
    chosen = subject.task.project.chosen
    code = {path: text for path, text in subject.after.items() if runs(path) and path not in subject.of_tests}
    planned: list[Planned] = []
    for check in subject.plan.selection(subject.target, tuple(tests)):
        runner = check.name if check.name in {owner(test, chosen) for test in tests} else ""
        beside = tuple(test for test in tests if owner(test, chosen) == runner)[:_MOST_BESIDE]
        for language in LANGUAGES:
            request = CanaryRequest(
                tree=Path(subject.place.copy.path),
                runner=check.name,
                folders=folders_of(check),
                beside=beside,
                code={path: text for path, text in code.items() if language.owns(path)},
            )
            made = await asyncio.to_thread(language.canaries, request)
            planned += [Planned(check=check, canary=each, beside=beside) for each in made]
    return planned


def _is_red(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.red


def _named(outcome: Outcome | None) -> str:
    return "missing" if outcome is None else str(outcome)
