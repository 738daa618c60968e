"""The lines that vulture prints: code that nothing uses."""

from __future__ import annotations

import re

from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,9}): (?P<said>.+) \((?P<sure>\d{1,3})% confidence.*\)")


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read what was printed; nothing is printed where nothing was found."""
    findings = []
    for number, line in enumerate(lines_of(text, sources) if text.strip() else (), start=1):
        if not line.strip():
            continue
        if (found := _LINE.fullmatch(line)) is None:
            raise bad(sources, f"it is not a line of vulture: {line[:200]!r}", f"in line {number}")
        findings.append(_finding(found, sources))
    return ToolReport(findings=tuple(findings))


def _finding(found: re.Match[str], sources: Sources) -> Finding:
    file, line = sources.relative(found["file"]), int(found["line"])
    return Finding(
        source="vulture",
        rule=" ".join(found["said"].split()[:2]),
        severity=Severity.INFO,
        category=Category.STYLE,
        message=found["said"],
        file=file,
        line=line,
        text=sources.line(file, line),
        confidence=min(int(found["sure"]), 100) / 100,
    )
