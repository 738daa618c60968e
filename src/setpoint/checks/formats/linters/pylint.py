"""The report of `pylint --output-format=json2`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "refactor": Severity.INFO}
_CATEGORIES = {"error": Category.CORRECTNESS, "warning": Category.CORRECTNESS, "refactor": Category.DESIGN}
_UNREAD = frozenset(
    {
        "syntax-error",
        "astroid-error",
        "parse-error",
        "config-parse-error",
        "method-check-failed",
        "bad-plugin-value",
        "bad-configuration-section",
        "unrecognized-option",
    }
)
"""Messages that say that a file, or pylint's own settings, could not be read."""
_DOCUMENTATION = "docstring"


class _Message(Part):
    kind: Literal["fatal", "error", "warning", "refactor", "convention", "info"] = Field(alias="type")
    symbol: str
    message: str
    rule: str = Field(alias="messageId")
    obj: str = ""
    line: Annotated[int, Field(ge=0)]
    path: str


class _Statistics(Part):
    modules: int = Field(alias="modulesLinted")


class _Report(Part):
    messages: tuple[_Message, ...]
    statistics: _Statistics


_REPORT = TypeAdapter(_Report)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; what pylint could not read is an error, even if it continues."""
    report = from_json(_REPORT, text, sources)
    unread = [each for each in report.messages if each.kind == "fatal" or each.symbol in _UNREAD]
    errors = [f"{sources.relative(each.path)}:{each.line}: {each.message}" for each in unread]
    if not report.statistics.modules:
        errors.append("pylint looked at no module")
    findings = tuple(_finding(each, sources) for each in report.messages if each not in unread)
    return ToolReport(findings=findings, errors=tuple(errors))


def _finding(message: _Message, sources: Sources) -> Finding:
    file = sources.relative(message.path)
    category = _CATEGORIES.get(message.kind, Category.STYLE)
    said, _, more = message.message.partition("\n")
    return Finding(
        source="pylint",
        rule=message.rule,
        severity=_SEVERITIES.get(message.kind, Severity.INFO),
        category=Category.DOCUMENTATION if _DOCUMENTATION in message.symbol else category,
        message=f"{said} ({message.symbol})",
        file=file,
        line=message.line,
        symbol=message.obj,
        text=sources.line(file, message.line),
        detail=more,
    )
