"""Rules 2 and 3: no test of the base may vanish, and none may stop counting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from setpoint.checks.integrity.syntax_comparison import bodies
from setpoint.model.evidence import Cause, Outcome, TestReport
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.stories.story import IntegrityMode

_QUIET = (Outcome.SKIPPED, Outcome.XFAILED, Outcome.DESELECTED)
MOST_NAMED = 20
"""More findings of one rule than this are summed up in one."""


def vanished(base: TestReport, now: TestReport, selected: Iterable[str] | None = None) -> tuple[str, ...]:
    """Name tests of the base that were not collected; a file that could not be collected is a failure.

    `selected` are the only ones asked for, where the report is of a selection.
    """
    asked = base.outcomes if selected is None else [test for test in selected if test in base.outcomes]
    red = now.red
    return tuple(
        test for test in asked if "::" in test and test not in now.outcomes and red.isdisjoint(_above(test))
    )


def _above(test: str) -> list[str]:
    """Name what a test is part of: its file or package, and the tests around it, as Go nests them by `/`."""
    file, _, name = test.partition("::")
    parts = name.split("/")
    return [file, *(f"{file}::{'/'.join(parts[:count])}" for count in range(1, len(parts)))]


def silenced(base: TestReport, now: TestReport) -> tuple[str, ...]:
    """Name tests that counted at the base and are skipped, expected to fail or left out now.

    Tests that fail at the base count as well, except where its environment is the cause.
    """
    excused = {failure.test for failure in base.failures if failure.cause is Cause.ENVIRONMENT}
    counted = {test for test, outcome in base.outcomes.items() if outcome not in _QUIET} - excused
    return tuple(test for test, outcome in now.outcomes.items() if outcome in _QUIET and test in counted)


def unfixed(base: TestReport, now: TestReport) -> tuple[Finding, ...]:
    """Return what was to be fixed and did not run: its file gave no outcome, or no test ran at all.

    A test by itself is `silenced` or `vanished`; a file that was not collected has none at the base.
    """
    if not base.red or not now.complete:
        return ()
    ran = {_file(test) for test, outcome in now.outcomes.items() if outcome not in _QUIET}
    excused = {failure.test for failure in base.failures if failure.cause is Cause.ENVIRONMENT}
    wanted = base.red - excused - now.outcomes.keys()
    lost = sorted(test for test in wanted if not ran or (test.endswith(".py") and test not in ran))
    what = "failed at the base and was to be fixed; no test of it ran"
    found = [_finding("silenced", test, what, Severity.CRITICAL) for test in lost]
    return tuple(_summed(found, Severity.CRITICAL))


def without_renamed(
    tests: Iterable[str], before: Mapping[str, str], after: Mapping[str, str], now: TestReport
) -> tuple[str, ...]:
    """Leave out tests whose body is run under another name; both maps are source text by path.

    Code that merely exists is not a test. A run of a selection cannot tell the two apart.
    """
    ran = {test.partition("[")[0] for test, outcome in now.outcomes.items() if outcome not in _QUIET}
    standing = {
        body
        for path, source in after.items()
        for name, body in bodies(source).items()
        if not now.complete or f"{path}::{name}" in ran or path in ran
    }
    known: dict[str, dict[str, str]] = {}
    gone = []
    for test in tests:
        path = _file(test)
        if path not in known:
            known[path] = bodies(before.get(path, ""))
        body = known[path].get(test.partition("::")[2].partition("[")[0])
        if body is None or body not in standing:
            gone.append(test)
    return tuple(gone)


def findings_of(
    gone: Iterable[str], quiet: Iterable[str], now: TestReport, mode: IntegrityMode
) -> tuple[Finding, ...]:
    """Say it as findings, which block unless the tests are free."""
    severity = Severity.WARNING if mode is IntegrityMode.FREE else Severity.CRITICAL
    lost = [_finding("vanished", test, "was collected at the base and is gone", severity) for test in gone]
    still = [
        _finding("silenced", test, f"counted at the base and is {now.outcomes[test]} now", severity)
        for test in quiet
    ]
    return (*_summed(lost, severity), *_summed(still, severity))


def _finding(rule: str, test: str, what: str, severity: Severity) -> Finding:
    return Finding(
        source="integrity",
        rule=rule,
        severity=severity,
        category=Category.INTEGRITY,
        message=f"{test} {what}",
        file=_file(test),
        symbol=test.partition("::")[2],
    )


def _summed(findings: list[Finding], severity: Severity) -> list[Finding]:
    if len(findings) <= MOST_NAMED:
        return findings
    rest = findings[MOST_NAMED:]
    more = Finding(
        source="integrity",
        rule=rest[0].rule,
        severity=severity,
        category=Category.INTEGRITY,
        message=f"{len(rest)} more tests like these",
        detail="\n".join(finding.message for finding in rest[:200]),
    )
    return [*findings[:MOST_NAMED], more]


def _file(test: str) -> str:
    return test.partition("::")[0]
