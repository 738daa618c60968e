"""Failing tests and findings as lines: each cause once, with the number of others that share it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from setpoint.model.evidence import Failure, Suspect
from setpoint.model.failure_clusters import by_importance, clustered
from setpoint.model.finding import Finding, normalised

MOST_GROUPS = 10
"""Causes of failing tests that are shown, and as many groups of findings."""


def problem_lines(failures: Sequence[Failure], findings: Sequence[Finding], show_all: str) -> Iterator[str]:
    """Return the first causes of failures and findings; `show_all` is the command that lists everything."""
    causes = [(failure_line(each.first), len(each.failures)) for each in clustered(failures)]
    alike = [(finding_line(same[0]), len(same)) for same in _grouped(findings)]
    cut = False
    for groups, what in ((causes, "failing tests"), (alike, "findings")):
        for line, count in groups[:MOST_GROUPS]:
            yield f"{line}; {count - 1} more like it" if count > 1 else line
        if left := groups[MOST_GROUPS:]:
            yield f"  ... {sum(count for _, count in left)} more {what} in {len(left)} groups"
        cut = cut or bool(left) or any(count > 1 for _, count in groups)
    if cut:
        yield f"hint: `{show_all}` lists every one"


def every_line(failures: Sequence[Failure], findings: Sequence[Finding]) -> Iterator[str]:
    """Return a line for each failing test and each finding."""
    yield from map(failure_line, failures)
    yield from map(finding_line, findings)


def suspect_lines(suspects: Sequence[Suspect], localised: str) -> Iterator[str]:
    """Return the lines that failing tests run more than passing ones, or why none is ranked."""
    if localised:
        yield f"suspicious lines: {localised}"
    for each in suspects:
        changed = ", changed" if each.changed else ""
        yield f"  {each.rank}. {each.file}:{each.line} (score {each.score:.2f}{changed}) {each.text}".rstrip()


def failure_line(failure: Failure) -> str:
    """Write a failing test with its cause and place."""
    return f"  {failure.test}: {failure.cause}: {failure.message} ({failure.file}:{failure.line})"


def finding_line(finding: Finding) -> str:
    """Write a finding with its place and source."""
    place = f"{finding.file}:{finding.line} " if finding.file else ""
    held = f" ({finding.suppressed})" if finding.suppressed else ""
    return f"  {finding.severity} {place}{finding.source} {finding.rule}: {finding.message}{held}"


def _grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Put findings of one rule together, or with one message where the source has no rules."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for each in by_importance(findings):
        key = (each.severity, each.suppressed, each.source, each.rule or normalised(each.message))
        groups.setdefault(key, []).append(each)
    return list(groups.values())
