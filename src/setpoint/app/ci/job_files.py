"""The files that a job leaves for later steps and other jobs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.app.ci.gitlab import code_quality, junit
from setpoint.app.ci.markdown import markdown
from setpoint.app.ci.sarif import sarif
from setpoint.errors import UsageError
from setpoint.model.ci_report import CiReport
from setpoint.system.files.atomic import write_atomic

REPORT = "setpoint-check.json"
SARIF = "setpoint.sarif"
CODE_QUALITY = "gl-code-quality-report.json"
JUNIT = "setpoint-junit.xml"


def write_github(report: CiReport, folder: Path, variables: Mapping[str, str]) -> None:
    """Write the data file and SARIF, and append the step's summary and its outputs."""
    data, found = folder / REPORT, folder / SARIF
    _write(data, report.model_dump_json(indent=1))
    _write(found, sarif(report.problems, report.setpoint))
    outputs = {
        "state": str(report.state),
        "new-problems": str(len(report.problems) + report.left_out),
        "blocking-problems": str(len(report.blocking)),
        "unproven": ",".join(each.name for each in report.unproven),
        "base": report.base,
        "report": str(data.absolute()),
        "sarif": str(found.absolute()),
    }
    _append(variables, "GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs.items()))
    _append(variables, "GITHUB_STEP_SUMMARY", markdown(report))


def write_gitlab(report: CiReport, folder: Path) -> None:
    """Write the data file, the code quality report and the JUnit report."""
    _write(folder / REPORT, report.model_dump_json(indent=1))
    _write(folder / CODE_QUALITY, code_quality(report))
    _write(folder / JUNIT, junit(report))


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text, flush=False)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="name a folder with --output") from None


def _append(variables: Mapping[str, str], name: str, text: str) -> None:
    """Append to a file that GitHub's runner names; nothing where it names none."""
    if not variables.get(name):
        return
    try:
        with Path(variables[name]).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{name}: {variables[name]}: {error.strerror}") from None
