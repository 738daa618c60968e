"""The JSON lines of `mypy --output=json`."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_NOTE = re.compile(r"[^{\s].*: (note|warning): ")
"""What mypy says about its own configuration, as text before the report."""


class _Item(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    file: str
    line: int
    message: str
    hint: str | None = None
    code: str | None = None
    severity: str


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; notes only explain and are left out, though mypy may say that it found something."""
    items = []
    for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), start=1):
        if not line.strip() or _NOTE.match(line):
            continue
        try:
            items.append(_Item.model_validate_json(line))
        except ValidationError:
            raise BadReport(f"line {number} of mypy's report is not JSON of mypy: {line[:200]}") from None
    errors = [item for item in items if item.severity == "error"]
    syntax = tuple(f"{item.file}:{item.line}: {item.message}" for item in errors if item.code == "syntax")
    findings = tuple(_finding(item, sources) for item in errors)
    return ToolReport(findings=findings, errors=syntax, left_out=len(items) - len(errors))


def _finding(item: _Item, sources: Sources) -> Finding:
    file, line = sources.relative(item.file), max(item.line, 0)
    return Finding(
        source="mypy",
        rule=item.code or "",
        severity=Severity.ERROR,
        category=Category.TYPES,
        message=item.message,
        file=file,
        line=line,
        text=sources.line(file, line),
        detail=item.hint or "",
    )
