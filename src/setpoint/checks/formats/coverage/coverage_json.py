"""The JSON report of coverage.py."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage.covered_lines import FileLines, Reached
from setpoint.checks.formats.parsing import whole_characters
from setpoint.checks.formats.report import Sources


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _File(_Part):
    executed_lines: tuple[int, ...]
    missing_lines: tuple[int, ...]


class _Totals(_Part):
    covered_lines: int
    num_statements: int
    covered_branches: int | None = None
    num_branches: int | None = None


class _Meta(_Part):
    version: str


class _Report(_Part):
    meta: _Meta
    files: dict[str, _File]
    totals: _Totals


def read(text: bytes, sources: Sources | None = None) -> Reached:
    """Read a report; raises `BadReport` naming what is wrong with it."""
    try:
        report = _Report.model_validate_json(whole_characters(text))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        whose = sources.report if sources else "coverage's report (coverage.json)"
        raise BadReport(f"{whose} is not readable at '{place}': {first['msg']}") from None
    totals = report.totals
    files = {
        sources.relative(name) if sources else name: FileLines(
            executed=frozenset(file.executed_lines), missing=frozenset(file.missing_lines)
        )
        for name, file in report.files.items()
    }
    return Reached(
        files=files,
        covered=totals.covered_lines,
        statements=totals.num_statements,
        covered_branches=totals.covered_branches or 0,
        branches=totals.num_branches or 0,
    )
