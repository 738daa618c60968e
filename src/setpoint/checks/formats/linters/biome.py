"""The report of biome, SARIF or before 2.4 GitLab's, in which its own faults appear as results of rules."""

from __future__ import annotations

from setpoint.checks.formats.general import gitlab, sarif
from setpoint.checks.formats.report import Sources, ToolReport

_FAULTS = ("fs/", "configuration", "internalError/", "io", "files/", "project")
"""Beginnings of the rules that say that biome could not look, not that something is wrong in the code."""


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; what biome says about files that it could not read is an error."""
    reader = gitlab if text.lstrip().startswith(b"[") else sarif
    report = reader.read(text, sources)
    faults = [each for each in report.findings if each.rule.startswith(_FAULTS)]
    said = tuple(f"{each.file}: {each.rule}: {each.message}" for each in faults)
    return ToolReport(
        findings=tuple(each for each in report.findings if each not in faults),
        errors=(*report.errors, *said),
        left_out=report.left_out,
    )
