"""Findings about tests of the base that do not run any more, and about restored files."""

from __future__ import annotations

from collections.abc import Iterator

from setpoint.checks.baseline import Measurements
from setpoint.checks.old_tests.joined import QUIET
from setpoint.checks.old_tests.lost import lost
from setpoint.model.changes.path_globs import matches
from setpoint.model.evidence import SUITES, Cause, TestReport
from setpoint.model.finding import Category, Finding, Note, Severity

_MOST = 20
"""More tests than this that do not run are summed up in one finding."""
_MOST_TOLD = 200
_MOST_NAMED = 5


def not_run(
    base: TestReport, now: TestReport, released: tuple[str, ...], *, fixing: bool
) -> tuple[Finding, ...]:
    """Find tests of the base that do not run any more, and those to be fixed that did not run.

    Args:
        base: What the tests gave at the base.
        now: What they gave on the result.
        released: Globs of files whose tests may go.
        fixing: Whether tests that failed at the base have to pass.

    """
    gone = [test for test in lost(base, now) if not matches(_file(test), released)]
    found = [_silent("vanished", test, "passed at the base and does not run any more") for test in gone]
    found += [
        _silent("unfixed", test, "failed at the base, was to be fixed, and does not run")
        for test in (_unfixed(base, now) if fixing else ())
        if test not in gone and not matches(_file(test), released)
    ]
    return _summed(found)


def not_run_elsewhere(base: Measurements, raw: Measurements) -> Iterator[Note]:
    """Note tests that no longer run of runners that Setpoint only reads, which cannot run as they were."""
    for result in raw.results:
        stood = base.result(result.evidence.check)
        if result.evidence.check in SUITES or result.tests is None or stood is None or stood.tests is None:
            continue
        if gone := lost(stood.tests, result.tests):
            more = f" and {len(gone) - _MOST_NAMED} more" if len(gone) > _MOST_NAMED else ""
            named = f"{', '.join(gone[:_MOST_NAMED])}{more}"
            message = f"{result.evidence.check}: tests that passed at the base do not run any more: {named}"
            yield Note(rule="lost-test", message=message)


def restored(path: str) -> Finding:
    """Say that a file was restored to the base; it blocks nothing."""
    return Finding(
        source="integrity",
        rule="protected",
        severity=Severity.INFO,
        category=Category.INTEGRITY,
        message=f"{path} was restored to the base",
        file=path,
    )


def _silent(rule: str, test: str, what: str) -> Finding:
    return Finding(
        source="integrity",
        rule=rule,
        severity=Severity.CRITICAL,
        category=Category.INTEGRITY,
        message=f"{test} {what}",
        file=_file(test),
        symbol=test.partition("::")[2],
    )


def _summed(findings: list[Finding]) -> tuple[Finding, ...]:
    """Sum up what is beyond a readable number."""
    if len(findings) <= _MOST:
        return tuple(findings)
    first, rest = findings[:_MOST], findings[_MOST:]
    more = rest[0].model_copy(
        update={
            "message": f"{len(rest)} more tests like these",
            "file": "",
            "symbol": "",
            "detail": "\n".join(each.message for each in rest[:_MOST_TOLD]),
        }
    )
    return (*first, more)


def _unfixed(base: TestReport, now: TestReport) -> tuple[str, ...]:
    """Name tests that failed at the base, were to be fixed, and gave no outcome that says anything."""
    if not now.complete:
        return ()
    excused = {failure.test for failure in base.failures if failure.cause is Cause.ENVIRONMENT}
    unstable = {*base.unstable, *now.contradicted}
    said = {test for test, outcome in now.outcomes.items() if outcome not in QUIET}
    files = {_file(test) for test in said}
    wanted = (test for test in base.outcomes if test in base.red - excused - unstable)
    return tuple(test for test in wanted if test not in said and (test not in files or "::" in test))


def _file(test: str) -> str:
    return test.partition("::")[0]
