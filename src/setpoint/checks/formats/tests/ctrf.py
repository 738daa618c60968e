"""The Common Test Report Format (CTRF), JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, bad, from_json
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests.test_cases import Case, report_of
from setpoint.model.evidence import Outcome, TestReport

_OUTCOMES = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "skipped": Outcome.SKIPPED,
    "pending": Outcome.SKIPPED,
    "other": Outcome.ERROR,
}
"""`other` is neither passed nor left out on purpose, so it counts as broken."""


class _Test(Part):
    name: str
    status: Literal["passed", "failed", "skipped", "pending", "other"]
    suite: str | tuple[str, ...] = ""
    message: str | None = None
    trace: str | None = None
    file: str | None = Field(default=None, alias="filePath")
    line: int | None = None
    flaky: bool | None = None


class _Summary(Part):
    tests: int
    failed: int


class _Results(Part):
    summary: _Summary
    tests: tuple[_Test, ...]


class _Report(Part):
    results: _Results


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> TestReport:
    """Read a report; one whose summary counts other tests than it lists is not believed."""
    results = from_json(_REPORT, text, sources).results
    listed, summary = results.tests, results.summary
    failed = sum(test.status == "failed" for test in listed)
    if (summary.tests, summary.failed) != (len(listed), failed):
        counts = (
            f"it counts {summary.tests} tests, {summary.failed} failed, and lists {len(listed)}, {failed}"
        )
        raise bad(sources, counts, "at 'results.summary'")
    if not listed:
        raise bad(sources, "it holds no test", "at 'results.tests'")
    return report_of((_case(test) for test in listed), sources)


def _case(test: _Test) -> Case:
    suite = test.suite if isinstance(test.suite, str) else " > ".join(test.suite)
    flaky = test.status == "passed" and test.flaky
    return Case(
        id=f"{suite}::{test.name}" if suite else test.name,
        outcome=Outcome.FLAKY if flaky else _OUTCOMES[test.status],
        message=test.message or "",
        text=test.trace or "",
        file=test.file or "",
        line=test.line or 0,
    )
