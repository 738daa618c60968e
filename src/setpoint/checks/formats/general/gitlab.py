"""GitLab's code quality report, a part of the Code Climate format."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_SEVERITIES = {
    "info": Severity.INFO,
    "minor": Severity.WARNING,
    "major": Severity.ERROR,
    "critical": Severity.ERROR,
    "blocker": Severity.CRITICAL,
}
"""Tools write as `major` what they call an error elsewhere."""
_CATEGORIES = {
    "security": Category.SECURITY,
    "bug risk": Category.CORRECTNESS,
    "performance": Category.PERFORMANCE,
}
_Line = Annotated[int, Field(ge=0)]


class _Lines(Part):
    begin: _Line


class _Position(Part):
    line: _Line


class _Positions(Part):
    begin: _Position


class _Location(Part):
    path: str
    lines: _Lines | None = None
    positions: _Positions | None = None


class _Issue(Part):
    description: str
    check_name: str = ""
    severity: Literal["info", "minor", "major", "critical", "blocker"] = "minor"
    location: _Location
    categories: tuple[str, ...] = ()


_ISSUES = TypeAdapter(tuple[_Issue, ...])


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report."""
    issues = from_json(_ISSUES, text, sources)
    return ToolReport(findings=tuple(_finding(issue, sources) for issue in issues))


def _finding(issue: _Issue, sources: Sources) -> Finding:
    place = issue.location
    file = sources.relative(place.path)
    line = place.lines.begin if place.lines else place.positions.begin.line if place.positions else 0
    named = (each.lower() for each in issue.categories)
    return Finding(
        source="gitlab",
        rule=issue.check_name,
        severity=_SEVERITIES[issue.severity],
        category=next((_CATEGORIES[each] for each in named if each in _CATEGORIES), Category.STYLE),
        message=issue.description,
        file=file,
        line=line,
        text=sources.line(file, line),
    )
