"""Reports of tools for Python: what is read of them, and what is not believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checks.formats.samples_python import INTERROGATE, JSCPD, LIZARD, PYLINT, PYTHON, SEMGREP
from setpoint.checks.formats import registry
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.config.custom_check import ReportFormat

SOURCES = Sources(tree=Path("/nowhere"), report="r")
FOUND = {
    ReportFormat.PYREFLY: [
        ("bad-assignment", "error", "types", "a.py", 5, ""),
        ("parse-error", "warning", "correctness", "b.py", 1, ""),
    ],
    ReportFormat.SEMGREP: [
        ("no-shell", "error", "security", "a.py", 6, ""),
        ("slow", "warning", "performance", "a.py", 7, ""),
    ],
    ReportFormat.PYLINT: [
        ("C0116", "info", "documentation", "a.py", 4, "f"),
        ("E0602", "error", "correctness", "a.py", 9, ""),
    ],
    ReportFormat.LIZARD: [
        ("complexity", "info", "design", "a.py", 12, "g"),
        ("complexity", "warning", "design", "a.py", 50, "C.h"),
    ],
    ReportFormat.INTERROGATE: [
        ("no-docstring", "info", "documentation", "a.py", 1, ""),
        ("no-docstring", "info", "documentation", "a.py", 7, "C.f"),
    ],
    ReportFormat.DETECT_SECRETS: [("AWS Access Key", "warning", "security", "a.py", 7, "25910f981e85")],
    ReportFormat.VULTURE: [
        ("unused import", "info", "style", "a.py", 1, ""),
        ("unused function", "info", "style", "a.py", 4, ""),
    ],
    ReportFormat.JSCPD: [("duplication", "info", "design", "a.py", 2, "")],
}


def read(form: ReportFormat, text: bytes | str) -> ToolReport:
    report = registry.read(form, text.encode() if isinstance(text, str) else text, SOURCES)
    assert isinstance(report, ToolReport)
    return report


@pytest.mark.parametrize("form", FOUND)
def test_what_is_found(form: ReportFormat) -> None:
    report = read(form, PYTHON[form])

    told = [(f.rule, str(f.severity), str(f.category), f.file, f.line, f.symbol) for f in report.findings]
    assert told == FOUND[form]
    assert report.errors == ()


def test_no_secret_stands_in_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("\n" * 6 + "key = 'AKIA'\n")
    report = registry.read(
        ReportFormat.DETECT_SECRETS, PYTHON[ReportFormat.DETECT_SECRETS], Sources(tree=tmp_path, report="r")
    )

    assert isinstance(report, ToolReport)
    assert "AKIA" not in report.findings[0].model_dump_json()


def test_duplicated_lines_are_told_for_both_places() -> None:
    assert read(ReportFormat.JSCPD, json.dumps(JSCPD)).duplicated == {"a.py": (2, 3, 4), "b.py": (10, 11, 12)}


def test_suppressed_results_of_semgrep_are_counted_and_left_out() -> None:
    assert read(ReportFormat.SEMGREP, json.dumps(SEMGREP)).left_out == 1


@pytest.mark.parametrize(
    ("form", "text", "error"),
    [
        (
            ReportFormat.SEMGREP,
            {**SEMGREP, "errors": [{"level": "warn", "message": "m", "path": "x"}]},
            "x: m",
        ),
        (ReportFormat.SEMGREP, {**SEMGREP, "paths": {"scanned": []}}, "semgrep looked at no file"),
        (ReportFormat.PYLINT, {**PYLINT, "statistics": {"modulesLinted": 0}}, "pylint looked at no module"),
        (
            ReportFormat.PYLINT,
            {**PYLINT, "messages": [{**PYLINT["messages"][0], "type": "fatal", "message": "gone"}]},
            "a.py:4: gone",
        ),
        (ReportFormat.JSCPD, {**JSCPD, "statistics": {"total": {"sources": 0}}}, "jscpd looked at no file"),
    ],
)
def test_what_a_tool_could_not_look_at_is_an_error(form: ReportFormat, text: dict, error: str) -> None:
    assert read(form, json.dumps(text)).errors == (error,)


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        (ReportFormat.LIZARD, LIZARD + "1,2\n", "in line 4: it is not a line of lizard"),
        (ReportFormat.LIZARD, LIZARD.replace(",26,", "," + "9" * 10 + ","), "in line 3: its numbers"),
        (ReportFormat.VULTURE, "a.py: what\n", "in line 1: it is not a line of vulture"),
        (ReportFormat.INTERROGATE, INTERROGATE.replace("COVERED", "MISSED"), "counts 2 gaps and names 3"),
        (ReportFormat.INTERROGATE, INTERROGATE.replace(" (L4)", ""), "in line 6: it is not a line"),
        (ReportFormat.INTERROGATE, INTERROGATE.partition("| TOTAL")[0], "no line TOTAL"),
        (ReportFormat.DETECT_SECRETS, '{"plugins_used": [], "results": {}}', "plugins_used"),
        (ReportFormat.JSCPD, '{"statistics": {"total": {}}, "duplicates": []}', "sources"),
    ],
)
def test_what_is_not_believed_says_why(form: ReportFormat, text: str, said: str) -> None:
    with pytest.raises(BadReport, match=said):
        read(form, text)
