"""The JSON report of pyright and basedpyright, whose lines count from 0."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, bad, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "information": Severity.INFO}


class _Position(Part):
    line: Annotated[int, Field(ge=0)]


class _Range(Part):
    start: _Position


class _Diagnostic(Part):
    file: str | None = None
    uri: str | None = None
    severity: Literal["error", "warning", "information"]
    message: str
    rule: str = ""
    range: _Range | None = None


class _Summary(Part):
    files: int = Field(alias="filesAnalyzed")
    errors: int = Field(alias="errorCount")


class _Report(Part):
    diagnostics: tuple[_Diagnostic, ...] = Field(alias="generalDiagnostics")
    summary: _Summary


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; one that looked at no file, or counts errors that it does not name, is not believed."""
    report = from_json(_REPORT, text, sources)
    named = sum(each.severity == "error" for each in report.diagnostics)
    if named != report.summary.errors:
        raise bad(sources, f"it counts {report.summary.errors} errors and names {named}", "at 'summary'")
    errors = () if report.summary.files else ("pyright looked at no file",)
    found = tuple(_finding(each, sources) for each in report.diagnostics)
    return ToolReport(findings=found, errors=errors)


def _finding(diagnostic: _Diagnostic, sources: Sources) -> Finding:
    named = diagnostic.file or diagnostic.uri
    file = sources.relative(named) if named else ""
    line = diagnostic.range.start.line + 1 if diagnostic.range else 0
    return Finding(
        source="pyright",
        rule=diagnostic.rule or ("syntax" if diagnostic.severity == "error" else ""),
        severity=_SEVERITIES[diagnostic.severity],
        category=Category.TYPES,
        message=diagnostic.message.replace("\xa0", " "),
        file=file,
        line=line,
        text=sources.line(file, line),
    )
