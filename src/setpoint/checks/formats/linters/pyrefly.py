"""The JSON report of pyrefly."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_SEVERITIES = {"error": Severity.ERROR, "warn": Severity.WARNING, "info": Severity.INFO}
_UNPARSED = "parse-error"


class _Error(Part):
    line: Annotated[int, Field(ge=0)]
    path: str
    name: str
    description: str
    concise_description: str = ""
    severity: Literal["error", "warn", "info"] = "error"


class _Report(Part):
    errors: tuple[_Error, ...]


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report."""
    found = from_json(_REPORT, text, sources).errors
    return ToolReport(findings=tuple(_finding(each, sources) for each in found))


def _finding(error: _Error, sources: Sources) -> Finding:
    file = sources.relative(error.path)
    return Finding(
        source="pyrefly",
        rule=error.name,
        severity=_SEVERITIES[error.severity],
        category=Category.CORRECTNESS if error.name == _UNPARSED else Category.TYPES,
        message=error.concise_description or error.description,
        file=file,
        line=error.line,
        text=sources.line(file, error.line),
        detail=error.description,
    )
