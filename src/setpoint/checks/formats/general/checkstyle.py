"""The XML of Checkstyle, which many linters can write."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from setpoint.checks.formats.parsing import bad, from_xml, number
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "info": Severity.INFO}
_IGNORED = "ignore"


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; an exception that the tool lists is a file it did not look at."""
    root = from_xml(text, sources, ("checkstyle",))
    findings: list[Finding] = []
    errors = [_exception(each, "") for each in root.findall("exception")]
    left_out = 0
    for index, entry in enumerate(root.findall("file"), start=1):
        if not (name := entry.get("name")):
            raise bad(sources, "it has no name", f"at file {index}")
        file = sources.relative(name)
        errors += [_exception(each, file) for each in entry.findall("exception")]
        for each in entry.findall("error"):
            if each.get("severity") == _IGNORED:
                left_out += 1
            else:
                findings.append(_finding(each, file, sources))
    return ToolReport(findings=tuple(findings), errors=tuple(errors), left_out=left_out)


def _finding(error: Element, file: str, sources: Sources) -> Finding:
    where = f"at an error of {file}"
    severity = error.get("severity", "error")
    if severity not in _SEVERITIES:
        raise bad(sources, f"there is no severity {severity[:60]!r}", where)
    line = max(0, number(error.attrib, "line", sources, where))
    return Finding(
        source="checkstyle",
        rule=error.get("source", ""),
        severity=_SEVERITIES[severity],
        category=Category.STYLE,
        message=error.get("message") or "no message",
        file=file,
        line=line,
        text=sources.line(file, line),
    )


def _exception(element: Element, file: str) -> str:
    lines = (element.text or "").strip().splitlines() or ["the tool broke"]
    return f"{file}: {lines[0]}" if file else lines[0]
