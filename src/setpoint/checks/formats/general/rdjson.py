"""Reviewdog's diagnostic format: one JSON document (`rdjson`), or one diagnostic a line (`rdjsonl`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats import fixes
from setpoint.checks.formats.parsing import Part, from_json, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity

_Severity = Literal["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO", 0, 1, 2, 3]
_SEVERITIES: dict[str | int, Severity] = {
    "ERROR": Severity.ERROR,
    1: Severity.ERROR,
    "INFO": Severity.INFO,
    3: Severity.INFO,
}
_Count = Annotated[int, Field(ge=0)]


class _Position(Part):
    line: _Count = 0
    column: _Count = 0


class _Range(Part):
    start: _Position = _Position()
    end: _Position | None = None


class _Location(Part):
    path: str = ""
    range: _Range = _Range()


class _Code(Part):
    value: str = ""
    url: str = ""


class _Suggestion(Part):
    range: _Range
    text: str = ""


class _Diagnostic(Part):
    message: str
    location: _Location
    severity: _Severity | None = None
    code: _Code = _Code()
    suggestions: tuple[_Suggestion, ...] = ()


class _Document(Part):
    diagnostics: tuple[_Diagnostic, ...]
    severity: _Severity | None = None
    """Of diagnostics that state none."""


_DOCUMENT = TypeAdapter(_Document)
_DIAGNOSTIC = TypeAdapter(_Diagnostic)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read one document."""
    document = from_json(_DOCUMENT, text, sources)
    return ToolReport(
        findings=tuple(_finding(each, document.severity, sources) for each in document.diagnostics)
    )


def read_lines(text: bytes, sources: Sources) -> ToolReport:
    """Read a diagnostic a line; without any there is nothing to fix, so an empty report is clean."""
    if not text:
        return ToolReport()
    found = []
    for number, line in enumerate(lines_of(text, sources), start=1):
        if line.strip():
            diagnostic = from_json(_DIAGNOSTIC, line.encode(), sources, f"in line {number}")
            found.append(_finding(diagnostic, None, sources))
    return ToolReport(findings=tuple(found))


def _finding(diagnostic: _Diagnostic, severity: _Severity | None, sources: Sources) -> Finding:
    file, line = sources.relative(diagnostic.location.path), diagnostic.location.range.start.line
    stated = diagnostic.severity if diagnostic.severity not in (None, "UNKNOWN_SEVERITY", 0) else severity
    return Finding(
        source="rdjson",
        rule=diagnostic.code.value,
        severity=_SEVERITIES.get(stated or 0, Severity.WARNING),
        category=Category.STYLE,
        message=diagnostic.message,
        file=file if diagnostic.location.path else "",
        line=line,
        text=sources.line(file, line),
        fix=_fix(diagnostic, file, sources),
        detail=diagnostic.code.url,
    )


def _fix(diagnostic: _Diagnostic, file: str, sources: Sources) -> Fix | None:
    """Return the only suggestion; of several nobody says whether they are parts of one or a choice."""
    if len(diagnostic.suggestions) != 1:
        return None
    (suggestion,) = diagnostic.suggestions
    start, end = suggestion.range.start, suggestion.range.end or suggestion.range.start
    edit = Edit(
        start_line=start.line,
        start_column=start.column,
        end_line=end.line or start.line,
        end_column=end.column,
        text=suggestion.text,
    )
    return fixes.fix_of(diagnostic.message, [edit], file, sources, fixes.ASCII)
