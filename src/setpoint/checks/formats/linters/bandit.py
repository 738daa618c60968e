"""The JSON report of bandit."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.parsing import whole_characters
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_CONFIDENCE = {"LOW": 0.3, "MEDIUM": 0.6, "HIGH": 0.9, "UNDEFINED": 0.3}
_SEVERITY = {"LOW": Severity.INFO, "MEDIUM": Severity.WARNING, "UNDEFINED": Severity.INFO}
_TOTALS = "_totals"

_Level = Literal["LOW", "MEDIUM", "HIGH", "UNDEFINED"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Error(_Part):
    filename: str
    reason: str


class _Item(_Part):
    filename: str
    line_number: int
    issue_text: str
    issue_severity: _Level
    issue_confidence: _Level
    test_id: str
    more_info: str | None = None


class _Report(_Part):
    errors: tuple[_Error, ...]
    results: tuple[_Item, ...]
    metrics: dict[str, object] | None = None
    """What was counted, by file, and of all files together."""


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; bandit ends well on files that it could not parse, but lists them as errors."""
    try:
        report = _Report.model_validate_json(whole_characters(text))
    except ValidationError as error:
        first = error.errors()[0]
        raise BadReport(f"bandit's report is not readable at {first['loc']}: {first['msg']}") from None
    looked = None
    if report.metrics is not None:
        looked = frozenset(sources.relative(file) for file in report.metrics if file != _TOTALS)
    return ToolReport(
        findings=tuple(_finding(item, sources) for item in report.results),
        errors=tuple(f"{sources.relative(error.filename)}: {error.reason}" for error in report.errors),
        looked=looked,
    )


def _finding(item: _Item, sources: Sources) -> Finding:
    file = sources.relative(item.filename)
    return Finding(
        source="bandit",
        rule=item.test_id,
        severity=_severity(item),
        category=Category.SECURITY,
        message=item.issue_text,
        file=file,
        line=item.line_number,
        text=sources.line(file, item.line_number),
        confidence=_CONFIDENCE[item.issue_confidence],
        detail=item.more_info or "",
    )


def _severity(item: _Item) -> Severity:
    if item.issue_severity == "HIGH":
        return Severity.CRITICAL if item.issue_confidence in ("MEDIUM", "HIGH") else Severity.ERROR
    return _SEVERITY[item.issue_severity]
