"""A list of files, one a line: what formatters print of files that they would change."""

from __future__ import annotations

import re

from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_PATH = re.compile(r"""[^"'<>{}|:;,=\t]*\.\w+""")


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read the list; nothing is printed where nothing is to be changed, and each line names a file."""
    found: dict[str, Finding] = {}
    for number, line in enumerate(lines_of(text, sources) if text else (), start=1):
        if not line.strip():
            continue
        if _PATH.fullmatch(line.strip()) is None:
            raise bad(sources, f"it is not the name of a file: {line[:200]!r}", f"in line {number}")
        file = sources.relative(line.strip())
        found[file] = Finding(
            source="formatter",
            rule="unformatted",
            severity=Severity.INFO,
            category=Category.STYLE,
            message="the formatter would change this file",
            file=file,
        )
    return ToolReport(findings=tuple(found.values()))
