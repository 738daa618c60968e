"""Reports in the formats of plug-ins."""

from __future__ import annotations

from pathlib import Path

from setpoint.checks.formats.parsing import bad, checked
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.config.custom_check import BUILT_IN_FORMATS
from setpoint.model.finding import Finding
from setpoint.plugins import FormatReader, Group, installed, load_formats, missing


def read(form: str, text: bytes, sources: Sources) -> ToolReport:
    """Read a report with the plug-in of this name; a plug-in that fails is a `BadReport` that names it."""
    loaded = load_formats((form,))
    if form not in loaded.usable:
        raise bad(sources, str((*loaded.failures, *missing((form,)))[0]))
    return read_with(loaded.usable[form], text, sources, form)


def read_with(reader: FormatReader, text: bytes, sources: Sources, form: str) -> ToolReport:
    """Read a report with a reader, and complete its findings with the lines of code that they point at."""
    if text.strip():  # a format of one line for each finding is empty where nothing was found
        checked(text, sources)
    try:
        findings = tuple(reader(text, sources.tree))
    except Exception as error:  # foreign code: whatever breaks in it, the report was not read
        message = f"plug-in '{form}' cannot read it: {type(error).__name__}: {error}"
        raise bad(sources, message) from error
    for each in findings:
        if not isinstance(each, Finding):
            raise bad(sources, f"plug-in '{form}' read a {type(each).__name__}, not a Finding")
    return ToolReport(findings=tuple(_placed(each, sources) for each in findings))


def version_of(form: str) -> str:
    """Name the package and version that reads a format; empty where Setpoint reads it."""
    if form in BUILT_IN_FORMATS:
        return ""
    return "; ".join(each.by for each in installed() if each.group is Group.FORMATS and each.name == form)


def _placed(finding: Finding, sources: Sources) -> Finding:
    file = sources.relative(finding.file) if Path(finding.file).is_absolute() else finding.file
    text = finding.text or sources.line(file, finding.line)
    return finding.model_copy(update={"file": file, "text": text})
