"""Run tests that were written from the request alone: at the base, where they must fail, and on the result.

They never lie in the maker's work copy. Setpoint writes them into the place in which changes are proved,
beside the tests of the base, and removes that place afterwards.
"""

from __future__ import annotations

import asyncio
import math
import re
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from setpoint.checks.languages.changed_function import NOTHING, OTHER
from setpoint.checks.measurement import Measuring, Task, furnish
from setpoint.checks.old_tests.places import Aside
from setpoint.checks.old_tests.start_files import is_start_file
from setpoint.checks.plan import Plan
from setpoint.checks.suites.tests_of_file import is_run, tests_of_file
from setpoint.checks.target import Target
from setpoint.checks.trees.checkout import place_beside, put_at, repository_of
from setpoint.checks.verdict.broken_code import BrokenCode, new_mark
from setpoint.checks.verdict.sabotage import changed_code
from setpoint.checks.verdict.subject import MOST_NAMED, Subject, listed
from setpoint.checks.verdict.witness import Witness, failure_of, other_cause, passed_in
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Cause, CheckState, Failure, Outcome, TestReport, whole_suite
from setpoint.model.exam import Examiner
from setpoint.model.proof import HIDDEN, HiddenTest, HiddenTrial, Obligation, ObligationState, Vouched
from setpoint.model.wording import counted, shortened
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts

_MOST_BROKEN = 8
"""Changed functions that are broken for hidden tests, the heaviest."""
_MOST_MESSAGE = 300
_NAMED_MODULE = re.compile(r"""['"]([\w@./-]+)['"]""")


class HiddenRun(NamedTuple):
    """What hidden tests gave on a result."""

    obligations: tuple[Obligation, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    noticed: frozenset[str] = frozenset()
    """Changed functions that they notice when these are broken."""


async def hidden_on(subject: Subject, bare: Subject, vouched: Vouched) -> HiddenRun:
    """Run hidden tests on the result, beside the tests of the base alone; nothing where there are none.

    A file that notices no fault in the changed functions asserts nothing of them, and is not counted. The
    faults are tried on `bare`, which gets nothing that broken code must not meet.
    """
    tests = vouched.hidden
    if not tests:
        return HiddenRun()
    there = await _laid(subject, tests)
    green: dict[str, tuple[HiddenTest, frozenset[str]]] = {}
    red: dict[str, str] = {}
    for test in tests:
        report = await run_hidden(subject.plan, subject.target, test, there)
        if report.red or not report.outcomes:  # once more: what fails by chance says nothing
            report = await run_hidden(subject.plan, subject.target, test, there)
        if report.red or not passed_in(report):
            red[test.path] = _told(test, report)
        else:
            green[test.path] = (test, passed_in(report))
    files = {path: names for path, (test, names) in green.items() if not test.command}
    if bare is not subject:
        there = await _laid(bare, tests)
    idle, noticed = await _noticing(bare, there, files)
    await asyncio.to_thread(shutil.rmtree, there.copy.path, ignore_errors=True)
    if red:
        what = "the hidden test fails" if len(tests) == 1 else f"{len(red)} of {len(tests)} hidden tests fail"
        reason = f"{what}: {'; '.join(red.values())}"
        paths = tuple(red)[:MOST_NAMED]
        missed = Obligation(name=HIDDEN, state=ObligationState.NOT_MET, reason=reason, evidence=paths)
        return HiddenRun((missed,))
    found = tuple(
        Witness(
            name=name,
            why=f"it fails at the base: {test.reason}",
            by=Examiner.HIDDEN_TESTS,
            author=test.author,
        )
        for path, (test, names) in green.items()
        if path not in idle and test.reason  # what passes at the base holds, and proves nothing
        for name in sorted(names)
    )
    return HiddenRun((_passed(found, idle),), found, noticed)


async def _laid(subject: Subject, tests: Sequence[HiddenTest]) -> Measured:
    """Put the result into a place beside, with the tests of the base and the hidden ones."""
    place = place_beside(Path(subject.place.copy.path), "other")
    aside = Aside(place=place, base=subject.base.commit, paths=subject.of_tests, known=frozenset())
    there = await (aside.as_at_base(subject.place) if aside.paths else aside.as_it_is(subject.place))
    await furnish(subject.task.project, place)
    put(tests, place, subject.plan.artifacts)
    return there


def _passed(found: tuple[Witness, ...], idle: Collection[str]) -> Obligation:
    """Judge hidden tests of which none fails."""
    said = [f"{counted(len(found), 'hidden test')} passed"] if found else []
    said += (
        [f"not counted, because no fault in the changed functions fails it: {listed(idle)}"] if idle else []
    )
    state = ObligationState.MET if found else ObligationState.NOT_APPLICABLE
    names = tuple(each.name for each in found[:MOST_NAMED])
    return Obligation(name=HIDDEN, state=state, reason="; ".join(said), evidence=names, count=len(found))


async def _noticing(
    subject: Subject, there: Measured, tests: Mapping[str, frozenset[str]]
) -> tuple[frozenset[str], frozenset[str]]:
    """Break the changed functions; return files that notice none of it, and functions that any notices."""
    noticed, able = set[str](), False
    every = frozenset[str]().union(*tests.values())
    broken = BrokenCode(subject=subject, there=there, until=math.inf)
    if every:
        await broken.looked_at(every)
    left = {path: names for path, names in tests.items() if names & broken.sound}  # others say nothing here
    for function in changed_code(subject).functions[:_MOST_BROKEN] if every else ():
        for does in (NOTHING, OTHER):
            if not (way := function.sabotages.get(does, ())):
                continue
            came = await broken.noticing(function, way, new_mark(there), every)
            able = able or not came.void
            left = {path: names for path, names in left.items() if not names & came.red}
            if came.red:
                noticed.add(str(function))
                break
    return (frozenset(left) if able else frozenset()), frozenset(noticed)


async def try_at_base(
    measuring: Measuring, task: Task, place: Measured, tests: Sequence[HiddenTest], scratch: Path
) -> HiddenTrial:
    """Run tests on the base, checked out at `place`: each must fail there, and for the lack of the work."""
    quiet = replace(measuring, told=lambda *_: None)
    plan, target = quiet.plan(task, place.copy.trace_id, scratch), await quiet.target(task, place)
    there = place_beside(Path(place.copy.path), "other")
    kept, dropped = list[HiddenTest](), list[str]()
    for test in tests:
        reason = misplaced(test.path, target.files, task)
        if not reason:
            await put_at(there, repository_of(place.copy), place.commit)
            await furnish(task.project, there)
            try:
                put((test,), there, measuring.artifacts)
            except (OSError, ValueError) as error:
                dropped.append(f"{test.path} cannot be written: {error}")
                continue
            copy = place._replace(copy=place.copy._replace(path=str(there)))
            report = await run_hidden(plan, target, test, copy)
            reason, why = _at_base(report, task.story.wish)
            await asyncio.to_thread(shutil.rmtree, there, ignore_errors=True)
            test = test.model_copy(update={"reason": why})  # noqa: PLW2901 - the same test, now measured
        if reason:
            dropped.append(f"{test.path} {reason}")
        else:
            kept.append(test)
    return HiddenTrial(kept=tuple(kept), dropped=tuple(dropped))


async def run_hidden(plan: Plan, target: Target, test: HiddenTest, there: Measured) -> TestReport:
    """Run a hidden test where it lies."""
    if test.command:
        return await _commanded(plan, test.command, there)
    asked = _asked(test, Path(there.copy.path), plan.artifacts)
    results = [await each.run(there) for each in plan.selection(target, asked)]
    return whole_suite(each.tests for each in results if each.tests) or TestReport(outcomes={})


async def _commanded(plan: Plan, command: str, there: Measured) -> TestReport:
    """Run a command in a place; one whose exit status says nothing has no outcome, and the reason."""
    story = plan.story.model_copy(update={"acceptance": (command,)})
    (check,) = replace(plan, story=story).acceptance()
    result = await check.run(there)
    if result.state is CheckState.PASS:
        return TestReport(outcomes={command: Outcome.PASSED})
    if result.state is not CheckState.FAIL:
        return TestReport(outcomes={}, collection_errors=(result.evidence.reason,))
    printed = result.findings[0].detail.replace(there.copy.path, ".").strip()
    last = printed.rpartition("\n")[2]
    message = f"exit code {result.evidence.exit_code}{f': {last}' if last else ''}"
    failed = Failure(test=command, cause=Cause.ASSERTION, message=message, detail=printed)
    return TestReport(outcomes={command: Outcome.FAILED}, failures=(failed,))


def put(tests: Iterable[HiddenTest], place: Path, artifacts: Artifacts) -> None:
    """Write hidden tests into a tree."""
    for test in tests:
        if test.command:
            continue
        file = place / test.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(artifacts.read(test.source))


def _at_base(report: TestReport, request: str) -> tuple[str, str]:
    """Say why tests prove nothing, or else how they fail at the base."""
    failures = [each for each in (failure_of(test, report) for test in sorted(report.red)) if each]
    if not report.outcomes:
        return "cannot be run in this project", ""
    if not failures:
        return "passes at the base already", ""
    for each in failures:
        environment = each.cause is Cause.ENVIRONMENT
        wrong = _foreign(each, request) if environment else other_cause(each, report.outcomes.get(each.test))
        if wrong:
            return f"does not fail at the base for the lack of the work: {wrong}", ""
    return "", shortened(failures[0].message, _MOST_MESSAGE)


def _foreign(failure: Failure, request: str) -> str:
    """Say which package is missing that is not of the project and that the request does not name."""
    named = _NAMED_MODULE.findall(failure.message)
    asked = any(PurePosixPath(each).name.partition(".")[0].casefold() in request.casefold() for each in named)
    return "" if asked else f"a package is missing: {shortened(failure.message, _MOST_MESSAGE)}"


def misplaced(path: str, files: Iterable[str], task: Task) -> str:
    """Say why a file cannot hold hidden tests."""
    place = PurePosixPath(path)
    if place.is_absolute() or ".." in place.parts or not place.suffix:
        return "is not a path in the project"
    if path in files:
        return "exists at the base; hidden tests need a file of their own"
    if not is_test_path(path) or is_start_file(path):
        return "is not a path under which tests are found"
    if not is_run(path, task.project.chosen):
        return "is of a language whose tests this project does not run"
    return ""


def _asked(test: HiddenTest, tree: Path, artifacts: Artifacts) -> tuple[str, ...]:
    text = artifacts.read(test.source).decode("utf-8", "replace")
    return tests_of_file(test.path, text, tree)


def _told(test: HiddenTest, report: TestReport) -> str:
    """Describe a red hidden test in words, without its source."""
    failures = [each for each in (failure_of(name, report) for name in sorted(report.red)) if each]
    said = shortened(failures[0].message, _MOST_MESSAGE) if failures else "it did not run"
    return f"expected: {test.behaviour} ({said})"
