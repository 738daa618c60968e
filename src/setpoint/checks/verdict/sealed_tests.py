"""Run tests that were written from the request alone: at the base, where they must fail, and on the result.

They never lie in the maker's work copy. Setpoint writes them into the place in which changes are proved,
beside the tests of the base, and removes that place afterwards.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from setpoint.checks.measurement import Measuring, Task, furnish
from setpoint.checks.old_tests.places import Aside
from setpoint.checks.old_tests.start_files import is_start_file
from setpoint.checks.suites.tests_of_file import is_run, tests_of_file
from setpoint.checks.trees.checkout import place_beside, put_at, repository_of
from setpoint.checks.verdict.subject import MOST_NAMED, Subject
from setpoint.checks.verdict.witness import Witness, failure_of, other_cause, passed_in
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Cause, Failure, TestReport, whole_suite
from setpoint.model.proof import Obligation, ObligationState, SealedTest, SealedTrial, Trust
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts

NAME = "sealed"
_MOST_MESSAGE = 300
_NAMED_MODULE = re.compile(r"""['"]([\w@./-]+)['"]""")


async def sealed_on(
    subject: Subject, tests: Sequence[SealedTest]
) -> tuple[list[Obligation], tuple[Witness, ...]]:
    """Run sealed tests on the result, beside the tests of the base alone; nothing where there are none."""
    if not tests:
        return [], ()
    place = place_beside(Path(subject.place.copy.path), "other")
    aside = Aside(place=place, base=subject.base.commit, paths=subject.of_tests, known=frozenset())
    there = await (aside.as_at_base(subject.place) if aside.paths else aside.as_it_is(subject.place))
    await furnish(subject.task.project, place)
    put(tests, place, subject.plan.artifacts)
    found: list[Witness] = []
    red: list[str] = []
    for test in tests:
        asked = _asked(test, place, subject.plan.artifacts)
        report = await subject.run_tests(asked, there)
        if report.red or not report.outcomes:  # once more: what fails by chance says nothing
            report = await subject.run_tests(asked, there)
        if report.red or not passed_in(report):
            red.append(_told(test, report))
        else:
            why = f"it fails at the base: {test.reason}"
            found += [Witness(name=each, why=why, trust=Trust.SEALED) for each in sorted(passed_in(report))]
    await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
    if red:
        reason = f"{len(red)} of {len(tests)} tests that the maker cannot see fail: {'; '.join(red)}"
        return [Obligation(name=NAME, state=ObligationState.NOT_MET, reason=reason)], ()
    names = tuple(each.name for each in found[:MOST_NAMED])
    reason = f"{len(found)} tests pass that were written from the request and that the maker could not see"
    return [Obligation(name=NAME, state=ObligationState.MET, reason=reason, evidence=names)], tuple(found)


async def try_at_base(
    measuring: Measuring, task: Task, place: Measured, tests: Sequence[SealedTest], scratch: Path
) -> SealedTrial:
    """Run tests on the base, checked out at `place`: each must fail there, and for the lack of the work."""
    quiet = replace(measuring, told=lambda *_: None)
    plan, target = quiet.plan(task, place.copy.trace_id, scratch), await quiet.target(task, place)
    there = place_beside(Path(place.copy.path), "other")
    kept, dropped = list[SealedTest](), list[str]()
    for test in tests:
        reason = _misplaced(test.path, target.files, task)
        if not reason:
            await put_at(there, repository_of(place.copy), place.commit)
            await furnish(task.project, there)
            try:
                put((test,), there, measuring.artifacts)
            except (OSError, ValueError) as error:
                dropped.append(f"{test.path} cannot be written: {error}")
                continue
            asked = _asked(test, there, measuring.artifacts)
            copy = place._replace(copy=place.copy._replace(path=str(there)))
            results = [await each.run(copy) for each in plan.selection(target, asked)]
            report = whole_suite(each.tests for each in results if each.tests) or TestReport(outcomes={})
            reason, why = _at_base(report, task.story.wish)
            await asyncio.to_thread(shutil.rmtree, there, ignore_errors=True)
            test = test.model_copy(update={"reason": why})  # noqa: PLW2901 - the same test, now measured
        if reason:
            dropped.append(f"{test.path} {reason}")
        else:
            kept.append(test)
    return SealedTrial(kept=tuple(kept), dropped=tuple(dropped))


def put(tests: Iterable[SealedTest], place: Path, artifacts: Artifacts) -> None:
    """Write sealed tests into a tree."""
    for test in tests:
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
    return "", failures[0].message[:_MOST_MESSAGE]


def _foreign(failure: Failure, request: str) -> str:
    """Say which package is missing that is not of the project and that the request does not name."""
    named = _NAMED_MODULE.findall(failure.message)
    asked = any(PurePosixPath(each).name.partition(".")[0].casefold() in request.casefold() for each in named)
    return "" if asked else f"a package is missing: {failure.message[:_MOST_MESSAGE]}"


def _misplaced(path: str, files: Iterable[str], task: Task) -> str:
    """Say why a file cannot hold sealed tests."""
    place = PurePosixPath(path)
    if place.is_absolute() or ".." in place.parts or not place.suffix:
        return "is not a path in the project"
    if path in files:
        return "exists at the base; sealed tests need a file of their own"
    if not is_test_path(path) or is_start_file(path):
        return "is not a path under which tests are found"
    if not is_run(path, task.project.chosen):
        return "is of a language whose tests this project does not run"
    return ""


def _asked(test: SealedTest, tree: Path, artifacts: Artifacts) -> tuple[str, ...]:
    text = artifacts.read(test.source).decode("utf-8", "replace")
    return tests_of_file(test.path, text, tree)


def _told(test: SealedTest, report: TestReport) -> str:
    """Describe a red sealed test in words, without its source."""
    failures = [each for each in (failure_of(name, report) for name in sorted(report.red)) if each]
    said = failures[0].message[:_MOST_MESSAGE] if failures else "it did not run"
    return f"expected: {test.behaviour} ({said})"
