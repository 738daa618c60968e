"""The lines that `tsc --pretty false --listFiles` prints.

The list of files is what tells a clean project from one of which tsc looked at nothing, as it does without a
word where `tsconfig.json` only refers to others.
"""

from __future__ import annotations

import re

from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_PLACED = re.compile(r"(?P<file>[^\s(][^(]*)\((?P<line>\d{1,9}),\d{1,9}\): (?P<rest>.*)")
_SAID = re.compile(r"(?P<level>error|warning|message) TS(?P<code>\d{1,6}): (?P<text>.*)")
_LISTED = re.compile(r"(?:[A-Za-z]:)?/.+\.(?:[cm]?[jt]sx?|json)")
_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "message": Severity.INFO}
_SYNTAX = 2000
"""Codes below it say that a file does not parse, or breaks a rule of the grammar."""


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read what was printed; an error without a place is one of the configuration: nothing was judged."""
    findings: list[Finding] = []
    errors: list[str] = []
    seen = False
    for number, line in enumerate(lines_of(text, sources), start=1):
        if not line.strip() or (line[0].isspace() and (findings or errors)):
            continue  # the second line of a message, which explains the first
        placed = _PLACED.fullmatch(line)
        said = _SAID.fullmatch(placed["rest"] if placed else line)
        if said is None and _LISTED.fullmatch(line):
            seen = seen or "/node_modules/" not in line
            continue
        if said is None:
            raise bad(sources, f"it is not a line of tsc: {line[:200]!r}", f"in line {number}")
        if placed is None:
            errors.append(f"TS{said['code']}: {said['text']}")
        else:
            findings.append(_finding(placed, said, sources))
    if not (seen or findings or errors):
        errors.append("tsc looked at no file of the project")
    return ToolReport(findings=tuple(findings), errors=tuple(errors))


def _finding(placed: re.Match[str], said: re.Match[str], sources: Sources) -> Finding:
    file, line = sources.relative(placed["file"]), int(placed["line"])
    return Finding(
        source="tsc",
        rule=f"TS{said['code']}",
        severity=_LEVELS[said["level"]],
        category=Category.CORRECTNESS if int(said["code"]) < _SYNTAX else Category.TYPES,
        message=said["text"],
        file=file,
        line=line,
        text=sources.line(file, line),
    )
