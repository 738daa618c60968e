"""The JSON report of semgrep and opengrep."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_SEVERITIES = {
    "INFO": Severity.INFO,
    "LOW": Severity.INFO,
    "INVENTORY": Severity.INFO,
    "EXPERIMENT": Severity.INFO,
    "WARNING": Severity.WARNING,
    "MEDIUM": Severity.WARNING,
    "ERROR": Severity.ERROR,
    "HIGH": Severity.ERROR,
    "CRITICAL": Severity.CRITICAL,
}
_CATEGORIES = {
    "best-practice": Category.STYLE,
    "maintainability": Category.STYLE,
    "correctness": Category.CORRECTNESS,
    "performance": Category.PERFORMANCE,
    "portability": Category.CORRECTNESS,
}
"""By the category that a rule states; a rule that states none looks for security."""
_CONFIDENCE = {"LOW": 0.3, "MEDIUM": 0.6, "HIGH": 0.9}


class _Place(Part):
    line: Annotated[int, Field(ge=0)]


class _Metadata(Part):
    category: object = None
    confidence: object = None


class _Extra(Part):
    message: str
    severity: Literal[
        "INFO", "LOW", "INVENTORY", "EXPERIMENT", "WARNING", "MEDIUM", "ERROR", "HIGH", "CRITICAL"
    ]
    metadata: _Metadata = _Metadata()
    is_ignored: bool = False


class _Item(Part):
    check_id: str
    path: str
    start: _Place
    extra: _Extra


class _Error(Part):
    level: str = "error"
    message: str = ""
    path: str | None = None


class _Paths(Part):
    scanned: tuple[str, ...]


class _Report(Part):
    results: tuple[_Item, ...]
    errors: tuple[_Error, ...]
    paths: _Paths


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; semgrep ends well on rules and files that it could not use, but lists some as errors.

    Its fixes are left out: they are templates whose variables are not filled in.
    """
    report = from_json(_REPORT, text, sources)
    counted = [item for item in report.results if not item.extra.is_ignored]
    errors = [f"{each.path or 'semgrep'}: {each.message}".strip() for each in report.errors]
    if not report.paths.scanned:
        errors.append("semgrep looked at no file")
    return ToolReport(
        findings=tuple(_finding(item, sources) for item in counted),
        errors=tuple(errors),
        left_out=len(report.results) - len(counted),
    )


def _finding(item: _Item, sources: Sources) -> Finding:
    file, stated = sources.relative(item.path), item.extra.metadata
    return Finding(
        source="semgrep",
        rule=item.check_id,
        severity=_SEVERITIES[item.extra.severity],
        category=_CATEGORIES.get(str(stated.category), Category.SECURITY),
        message=item.extra.message.strip(),
        file=file,
        line=item.start.line,
        text=sources.line(file, item.start.line),
        confidence=_CONFIDENCE.get(str(stated.confidence).upper(), 1.0),
    )
