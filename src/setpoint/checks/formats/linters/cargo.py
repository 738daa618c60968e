"""The JSON lines of `cargo build|check|clippy --message-format=json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats import fixes
from setpoint.checks.formats.parsing import Part, bad, from_json, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity

_LEVELS = {
    "error": Severity.ERROR,
    "error: internal compiler error": Severity.ERROR,
    "warning": Severity.WARNING,
}
"""Levels that are findings; notes only explain, and a `failure-note` sums up."""


class _Span(Part):
    file: str = Field(alias="file_name")
    line: int = Field(alias="line_start")
    column: int = Field(alias="column_start")
    end_line: int = Field(alias="line_end")
    end_column: int = Field(alias="column_end")
    primary: bool = Field(alias="is_primary")
    replacement: str | None = Field(default=None, alias="suggested_replacement")
    applicability: str | None = Field(default=None, alias="suggestion_applicability")


class _Code(Part):
    code: str


class _Child(Part):
    message: str
    spans: tuple[_Span, ...] = ()


class _Diagnostic(Part):
    message: str
    level: str
    code: _Code | None = None
    spans: tuple[_Span, ...] = ()
    children: tuple[_Child, ...] = ()


class _Target(Part):
    name: str = ""
    path: str = Field(default="", alias="src_path")


class _Line(Part):
    reason: str
    message: _Diagnostic | None = None
    target: _Target = _Target()
    executable: str | None = None
    success: bool | None = None


class Built(Part):
    """What a build gave beside its findings."""

    report: ToolReport
    success: bool
    executables: dict[str, str]
    """File of the target's source from the root of the tree, by the path of the program made of it."""


_LINE = TypeAdapter(_Line)
_ABORTING: Literal["aborting due to"] = "aborting due to"


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a build's report."""
    return built(text, sources).report


def built(text: bytes, sources: Sources) -> Built:
    """Read a build's report with the programs it made; one without an end is not believed."""
    findings: dict[tuple[str, str, str, int], Finding] = {}
    executables: dict[str, str] = {}
    success: bool | None = None
    for number, line in enumerate(lines_of(text, sources), start=1):
        if not line.startswith("{"):
            if line.strip():
                raise bad(sources, f"it is not a line of cargo: {line[:200]!r}", f"in line {number}")
            continue
        told = from_json(_LINE, line.encode(), sources, f"in line {number}")
        if told.reason == "build-finished":
            success = told.success
        elif told.executable:
            executables[told.executable] = sources.relative(told.target.path)
        elif told.message is not None:
            for found in _findings(told.message, sources):  # a library is built twice, with and without tests
                findings[found.rule, found.message, found.file, found.line] = found
    if success is None:
        raise bad(sources, "it does not tell how the build ended")
    report = ToolReport(findings=tuple(findings.values()))
    if not success and not any(each.severity is Severity.ERROR for each in report.findings):
        report = ToolReport(findings=report.findings, errors=("the build failed and names no error",))
    return Built(report=report, success=success, executables=executables)


def _findings(told: _Diagnostic, sources: Sources) -> Iterator[Finding]:
    severity = _LEVELS.get(told.level)
    summary = not told.spans and (told.message.startswith(_ABORTING) or "emitted" in told.message)
    if severity is None or summary:
        return
    place = next((span for span in told.spans if span.primary), None)
    file = _file(place, sources)
    line = place.line if place else 0
    rule = told.code.code if told.code else ""
    yield Finding(
        source="cargo",
        rule=rule,
        severity=severity,
        category=Category.CORRECTNESS
        if severity is Severity.ERROR or "clippy" not in rule
        else Category.STYLE,
        message=told.message,
        file=file,
        line=line,
        text=sources.line(file, line),
        fix=_fix(told, file, sources),
    )


def _fix(told: _Diagnostic, file: str, sources: Sources) -> Fix | None:
    """Return the only suggestion; of several nobody says which is meant."""
    offered = [child for child in told.children if any(span.replacement is not None for span in child.spans)]
    if len(offered) != 1 or not file:
        return None
    spans = [span for span in offered[0].spans if span.replacement is not None]
    if any(_file(span, sources) != file for span in spans):
        return None
    made = [
        Edit(
            start_line=span.line,
            start_column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            text=span.replacement or "",
        )
        for span in spans
    ]
    safe = all(span.applicability == "MachineApplicable" for span in spans)
    return fixes.fix_of(offered[0].message, made, file, sources, fixes.PLANE_0, safe=safe)


def _file(span: _Span | None, sources: Sources) -> str:
    """Name the span's file; none for code that a macro of elsewhere made."""
    if span is None or span.file.startswith("<"):
        return ""
    file = sources.relative(span.file)
    return "" if Path(file).is_absolute() else file
