"""The JSON report of `detect-secrets scan`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity


class _Secret(Part):
    kind: str = Field(alias="type")
    hashed: str = Field(alias="hashed_secret")
    line: Annotated[int, Field(ge=0, alias="line_number")]
    verified: bool = Field(default=False, alias="is_verified")


class _Report(Part):
    plugins: tuple[object, ...] = Field(alias="plugins_used", min_length=1)
    results: dict[str, tuple[_Secret, ...]]


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; neither it nor what follows from it holds a secret, only its hash."""
    report = from_json(_REPORT, text, sources)
    return ToolReport(
        findings=tuple(
            _finding(file, each, sources) for file, found in report.results.items() for each in found
        )
    )


def _finding(file: str, secret: _Secret, sources: Sources) -> Finding:
    return Finding(
        source="detect-secrets",
        rule=secret.kind,
        severity=Severity.CRITICAL if secret.verified else Severity.WARNING,
        category=Category.SECURITY,
        message=f"this looks like a secret: {secret.kind}",
        file=sources.relative(file),
        line=secret.line,
        symbol=secret.hashed[:12],
        confidence=1.0 if secret.verified else 0.6,
    )
