"""The JSON report of jest, which vitest writes as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, bad, from_json
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests.stack_frames import cause_in, place_in
from setpoint.checks.formats.tests.test_cases import Case, report_of
from setpoint.model.evidence import Cause, Outcome, TestReport

_OUTCOMES = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "skipped": Outcome.SKIPPED,
    "pending": Outcome.SKIPPED,
    "todo": Outcome.SKIPPED,
    "disabled": Outcome.SKIPPED,
    "focused": Outcome.ERROR,
}
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_NOISE = re.compile(r"^\s*(?:●.*|Test suite failed to run)?\s*$")


class _Place(Part):
    line: int


class _Test(Part):
    ancestors: tuple[str, ...] = Field(alias="ancestorTitles")
    title: str
    status: Literal["passed", "failed", "skipped", "pending", "todo", "disabled", "focused"]
    messages: tuple[str, ...] | None = Field(default=(), alias="failureMessages")
    location: _Place | None = None


class _File(Part):
    name: str
    status: str
    message: str | None = ""
    tests: tuple[_Test, ...] = Field(alias="assertionResults")


class _Report(Part):
    total: int = Field(alias="numTotalTests")
    failed: int = Field(alias="numFailedTests")
    success: bool
    files: tuple[_File, ...] = Field(alias="testResults")


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> TestReport:
    """Read a report; one whose counts differ from what it lists, or of no test, is not believed.

    A test is named by its file, the titles of its groups and its own: `test/calc.test.ts::calc > adds`.
    """
    report = from_json(_REPORT, text, sources)
    tests = [test for file in report.files for test in file.tests]
    failed = sum(test.status == "failed" for test in tests)
    if (report.total, report.failed) != (len(tests), failed):
        counts = f"it counts {report.total} tests, {report.failed} failed, and lists {len(tests)}, {failed}"
        raise bad(sources, counts, "at 'numTotalTests'")
    broken = tuple(file for file in report.files if _broken(file))
    if not tests and not broken:
        raise bad(sources, "it holds no test", "at 'testResults'")
    if not report.success and not failed and not broken:
        raise bad(sources, "it says that the run did not succeed and names nothing red", "at 'success'")
    told = tuple(f"{sources.relative(file.name)}: {_first(file.message or '')}" for file in broken)
    return report_of((case for file in report.files for case in _cases(file, sources)), sources, told)


def _broken(file: _File) -> bool:
    """Whether a file failed as a whole: it could not be loaded, or what prepares its tests broke."""
    return file.status == "failed" and not any(test.status == "failed" for test in file.tests)


def _cases(file: _File, sources: Sources) -> Iterator[Case]:
    name = sources.relative(file.name)
    broken = _broken(file)
    if broken:
        said = _COLOURS.sub("", file.message or "")
        place = place_in(said, sources)
        yield Case(
            id=name,
            outcome=Outcome.ERROR,
            message=_first(said),
            text=said,
            file=place[0] or name,
            line=place[1],
            cause=cause_in(said) or Cause.RUNTIME,
        )
    for test in file.tests:
        if not (broken and _OUTCOMES[test.status] is Outcome.SKIPPED):  # they were not left out: nothing ran
            yield _case(test, name, sources)


def _case(test: _Test, name: str, sources: Sources) -> Case:
    said = _COLOURS.sub("", "\n".join(test.messages or ()))
    file, line = place_in(said, sources) if said else ("", 0)
    if not file and test.location:
        line = test.location.line
    return Case(
        id=f"{name}::{' > '.join([*test.ancestors, test.title])}",
        outcome=_OUTCOMES[test.status],
        message=_first(said),
        text=said,
        file=file or name,
        line=line,
        cause=cause_in(said),
    )


def _first(text: str) -> str:
    """Return the first line that says something."""
    lines = (line.strip() for line in _COLOURS.sub("", text).splitlines())
    return next((line for line in lines if not _NOISE.match(line)), "no message")
