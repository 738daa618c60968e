"""The JSON report of jscpd: code that appears in two places."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_Line = Annotated[int, Field(ge=0, le=10_000_000)]
_MOST_LINES = 1_000_000
"""Most lines of one copy that are taken one by one."""


class _Place(Part):
    name: str
    start: _Line
    end: _Line


class _Copy(Part):
    lines: int
    first: _Place = Field(alias="firstFile")
    second: _Place = Field(alias="secondFile")


class _Total(Part):
    sources: Annotated[int, Field(ge=0)]


class _Statistics(Part):
    total: _Total


class _Report(Part):
    statistics: _Statistics
    duplicates: tuple[_Copy, ...]


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; both places of a copy count as duplicated lines."""
    report = from_json(_REPORT, text, sources)
    lines: dict[str, set[int]] = {}
    for each in report.duplicates:
        for place in (each.first, each.second):
            last = min(place.end, place.start + _MOST_LINES)
            lines.setdefault(sources.relative(place.name), set()).update(range(place.start, last + 1))
    errors = () if report.statistics.total.sources else ("jscpd looked at no file",)
    return ToolReport(
        findings=tuple(_finding(each, sources) for each in report.duplicates),
        errors=errors,
        duplicated={file: tuple(sorted(found)) for file, found in lines.items()},
    )


def _finding(copy: _Copy, sources: Sources) -> Finding:
    file, other = sources.relative(copy.first.name), sources.relative(copy.second.name)
    return Finding(
        source="jscpd",
        rule="duplication",
        severity=Severity.INFO,
        category=Category.DESIGN,
        message=f"the same code is in {other}",
        file=file,
        line=copy.first.start,
        text=sources.line(file, copy.first.start),
        detail=f"{copy.lines} lines; there from line {copy.second.start}",
    )
