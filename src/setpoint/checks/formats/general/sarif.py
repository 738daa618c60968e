"""SARIF 2.1.0, the OASIS format in which most analysers can write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import TypeAdapter

from setpoint.checks.formats import fixes
from setpoint.checks.formats.general.sarif_schema import (
    Invocation,
    Location,
    Notification,
    Properties,
    Region,
    Result,
    Rule,
    Run,
    SarifFix,
    located,
    told,
)
from setpoint.checks.formats.parsing import Part, bad, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity

_LEVELS = {
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "note": Severity.INFO,
    "none": Severity.INFO,
}
_SCORES = ((9.0, Severity.CRITICAL), (7.0, Severity.ERROR), (4.0, Severity.WARNING))
"""What a `security-severity` from 0 to 10 means, by its least figure; the steps of CVSS."""
_CONFIDENCE = {"very-high": 1.0, "high": 0.9, "medium": 0.6, "low": 0.3}
_TAGS = {
    "security": Category.SECURITY,
    "correctness": Category.CORRECTNESS,
    "performance": Category.PERFORMANCE,
    "documentation": Category.DOCUMENTATION,
}
_FINDS = ("fail", "open", "review", "informational")
"""Kinds of result that are findings; the others say that all is well, or that nothing was judged."""


class _Log(Part):
    version: Literal["2.1.0"]
    runs: tuple[Run, ...]


_LOG = TypeAdapter(_Log)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a log; a run without results, or one that says it failed, is an error and never clean."""
    runs = from_json(_LOG, text, sources).runs
    if not runs:
        raise bad(sources, "it holds no run", "at 'runs'")
    findings: list[Finding] = []
    left_out = 0
    for run in runs:
        for result in run.results or ():
            if _counts(result):
                findings.append(_finding(result, run, sources))
            else:
                left_out += 1
    errors = tuple(error for number, run in enumerate(runs) for error in _errors(run, number, sources))
    return ToolReport(findings=tuple(findings), errors=errors, left_out=left_out)


def _errors(run: Run, number: int, sources: Sources) -> Iterator[str]:
    if run.results is None:
        yield f"runs.{number} has no results: the tool says that it did not look"
    for invocation in run.invocations:
        told_of = [_notified(each, run, sources) for each in _severe(invocation)]
        yield from told_of
        if not invocation.execution_successful and not told_of:
            yield f"runs.{number} says that it was not successful"


def _severe(invocation: Invocation) -> Iterator[Notification]:
    for each in (*invocation.execution_notifications, *invocation.configuration_notifications):
        if each.level == "error":
            yield each


def _notified(notification: Notification, run: Run, sources: Sources) -> str:
    places = [located(place, run, sources)[0] for place in notification.locations]
    return ": ".join(part for part in (*places[:1], notification.message.text or "an error") if part)


def _counts(result: Result) -> bool:
    """Whether a result is a finding of this tree that nobody has accepted."""
    suppressed = bool(result.suppressions) and all(
        each.status in (None, "accepted") for each in result.suppressions or ()
    )
    return result.kind in _FINDS and result.baseline_state != "absent" and not suppressed


def _finding(result: Result, run: Run, sources: Sources) -> Finding:
    rule = run.rule_of(result)
    place = result.locations[0] if result.locations else Location()
    file, line = located(place, run, sources)
    properties = (result.properties, rule.properties)
    return Finding(
        source=run.tool.driver.name,
        rule=result.rule_id or rule.id,
        severity=_severity(result, rule),
        category=_category(properties),
        message=told(result.message, rule),
        file=file,
        line=line,
        symbol=place.symbol,
        text=sources.line(file, line),
        confidence=_confidence(properties),
        fix=next((fix for each in result.fixes if (fix := _fix(each, file, run, sources))), None),
        detail=rule.help_uri or "",
    )


def _severity(result: Result, rule: Rule) -> Severity:
    for properties in (result.properties, rule.properties):
        if (score := properties.score) is not None:
            return next((severity for least, severity in _SCORES if score >= least), Severity.INFO)
    if result.kind != "fail":
        return Severity.INFO
    return _LEVELS[result.level or rule.default.level or "warning"]


def _category(properties: tuple[Properties, ...]) -> Category:
    if any(each.score is not None for each in properties):
        return Category.SECURITY
    tags = [tag.lower() for each in properties for tag in each.tags]
    return next((_TAGS[tag] for tag in tags if tag in _TAGS), Category.STYLE)


def _confidence(properties: tuple[Properties, ...]) -> float:
    words = [each.issue_confidence or each.precision for each in properties]
    return next((_CONFIDENCE[word.lower()] for word in words if word.lower() in _CONFIDENCE), 1.0)


def _fix(offered: SarifFix, file: str, run: Run, sources: Sources) -> Fix | None:
    """Return a fix; none where it changes other files too, or does not say where in lines and columns."""
    made: list[Edit] = []
    for change in offered.changes:
        if run.path_of(change.place, sources) != file:
            return None
        for replacement in change.replacements:
            edit = _edit(replacement.deleted, file, sources, replacement.inserted.text or "")
            if edit is None:
                return None
            made.append(edit)
    return fixes.fix_of(offered.description.text or "", made, file, sources, fixes.PLANE_0)


def _edit(region: Region, file: str, sources: Sources, text: str) -> Edit | None:
    if region.start_line is None:
        return None
    end_line = region.end_line or region.start_line
    end_column = region.end_column
    if end_column is None:  # then the region reaches to the end of its last line
        end_column = len(sources.whole_line(file, end_line).rstrip("\r")) + 1
    return Edit(
        start_line=region.start_line,
        start_column=region.start_column or 1,
        end_line=end_line,
        end_column=end_column,
        text=text,
    )
