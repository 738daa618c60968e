"""The tables that `interrogate -vv` prints: there is no other report."""

from __future__ import annotations

import re

from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_ROW = re.compile(r"\|\s+(?P<name>.*?\S)\s+\|\s+(?P<status>COVERED|MISSED)\s\|")
_MODULE = re.compile(r"(?P<file>.+) \(module\)")
_MEMBER = re.compile(r"(?P<name>.+) \(L(?P<line>\d{1,9})\)")
_TOTAL = re.compile(r"\|\s+TOTAL\s+\|\s+(?P<total>\d+)\s+\|\s+(?P<miss>\d+)\s+\|")


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read the tables; where they do not hold as many gaps as their own sum, they are not believed."""
    findings, file, total = [], "", None
    for number, line in enumerate(lines_of(text, sources), start=1):
        if total := _TOTAL.match(line) or total:
            continue
        if (row := _ROW.match(line)) is None:
            continue
        if module := _MODULE.fullmatch(row["name"]):
            file = sources.relative(module["file"])
        elif not _MEMBER.fullmatch(row["name"]):
            raise bad(sources, f"it is not a line of interrogate: {line[:200]!r}", f"in line {number}")
        if row["status"] == "MISSED":
            findings.append(_finding(row["name"], file, sources))
    if total is None:
        raise bad(sources, "it has no line TOTAL")
    if int(total["miss"][:18]) != len(findings):
        raise bad(sources, f"it counts {total['miss'][:18]} gaps and names {len(findings)}", "at 'TOTAL'")
    return ToolReport(findings=tuple(findings))


def _finding(name: str, file: str, sources: Sources) -> Finding:
    member = _MEMBER.fullmatch(name)
    line = int(member["line"]) if member else 1
    symbol = member["name"] if member else ""
    return Finding(
        source="interrogate",
        rule="no-docstring",
        severity=Severity.INFO,
        category=Category.DOCUMENTATION,
        message=f"{symbol or 'the module'} has no docstring",
        file=file,
        line=line,
        symbol=symbol,
        text=sources.line(file, line) if member else "",
    )
