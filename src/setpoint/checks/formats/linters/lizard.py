"""The table of `lizard --csv`: one line for each function."""

from __future__ import annotations

import csv

from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

MOST_WAYS = 10
"""Highest cyclomatic complexity that is not a finding."""
FAR_TOO_MANY = 25
"""From more than this it is a warning."""
_COLUMNS = 11
"""Lines of code, complexity, tokens, parameters, length, place, file, name, signature, first line, last."""
_WAYS, _FILE, _NAME, _LINE = 1, 6, 7, 9


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read the table; a tree without functions gives an empty one."""
    if not text.strip():
        return ToolReport()
    findings = []
    try:
        for number, row in enumerate(csv.reader(lines_of(text, sources)), start=1):
            if not row:
                continue
            if len(row) != _COLUMNS or not (row[_WAYS].isdecimal() and row[_LINE].isdecimal()):
                raise bad(
                    sources, f"it is not a line of lizard: {','.join(row)[:200]!r}", f"in line {number}"
                )
            if len(row[_WAYS]) > 9 or len(row[_LINE]) > 9:  # noqa: PLR2004 - no code is that long
                raise bad(sources, "its numbers are too large", f"in line {number}")
            if int(row[_WAYS]) > MOST_WAYS:
                findings.append(_finding(row, sources))
    except csv.Error as error:
        raise bad(sources, str(error)) from None
    return ToolReport(findings=tuple(findings))


def _finding(row: list[str], sources: Sources) -> Finding:
    file, line, ways = sources.relative(row[_FILE]), int(row[_LINE]), int(row[_WAYS])
    return Finding(
        source="lizard",
        rule="complexity",
        severity=Severity.WARNING if ways > FAR_TOO_MANY else Severity.INFO,
        category=Category.DESIGN,
        message=f"{ways} ways lead through {row[_NAME]}; {MOST_WAYS} are easy to follow",
        file=file,
        line=line,
        symbol=row[_NAME],
        text=sources.line(file, line),
    )
