"""Read what GitLab's runner says about a job, and write its reports: code quality and JUnit."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from setpoint.app.ci.change import ZEROS, Change, Skipped
from setpoint.errors import UsageError
from setpoint.model.ci_report import MOST_NAME, CiReport, Level, Problem

VARIABLES = (
    "CI_COMMIT_SHA",
    "CI_COMMIT_BEFORE_SHA",
    "CI_COMMIT_TAG",
    "CI_DEFAULT_BRANCH",
    "CI_PIPELINE_SOURCE",
    "CI_PROJECT_PATH",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA",
    "CI_MERGE_REQUEST_LABELS",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",
    "CI_MERGE_REQUEST_TITLE",
)
"""Variables of GitLab's runner that Setpoint reads."""
_SEVERITIES = {Level.ERROR: "critical", Level.WARNING: "minor", Level.NOTICE: "info"}
_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_job(variables: Mapping[str, str], release_label: str) -> Change | Skipped:
    """Read what is to be checked: a merge request, or the commits of a push."""
    for name, value in variables.items():
        if name.endswith("_SHA") and value and not _SHA.fullmatch(value):
            raise UsageError(f"{name}: '{value[:100]}' is not a commit", hint="run it in a job of GitLab CI")
    head = variables.get("CI_COMMIT_SHA", "")
    if not head:
        raise UsageError("the variable CI_COMMIT_SHA is not set", hint="run it in a job of GitLab CI")
    source = variables.get("CI_PIPELINE_SOURCE", "")
    if variables.get("CI_COMMIT_TAG"):
        return Skipped(source, head, "a tag was pushed")
    labels = variables.get("CI_MERGE_REQUEST_LABELS", "").split(",")
    # In a pipeline for merged results GitLab checks out a commit that merges both sides.
    proposed = variables.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "")
    before = variables.get("CI_COMMIT_BEFORE_SHA", "")
    return Change(
        event=source or "gitlab",
        head=proposed or head,
        accepted=(head,),
        merged=head if proposed else "",
        base=variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "")
        or variables.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")
        or ("" if before in ZEROS else before),
        default_branch=variables.get("CI_DEFAULT_BRANCH", ""),
        title=variables.get("CI_MERGE_REQUEST_TITLE", "")[:MOST_NAME],
        released=release_label in [label.strip() for label in labels],
    )


def code_quality(report: CiReport) -> str:
    """Write GitLab's code quality report; a problem without a file is left to the JUnit report."""
    placed = [each for each in report.problems if each.file]
    return json.dumps([_issue(each) for each in placed], indent=1)


def junit(report: CiReport) -> str:
    """Write a JUnit report: one case for each check, and one for each problem that blocks."""
    blocking = report.blocking
    suite = ET.Element(
        "testsuite",
        name="setpoint",
        tests=str(len(report.checks) + len(blocking)),
        failures=str(len(blocking)),
    )
    for check in report.checks:
        case = ET.SubElement(suite, "testcase", classname="setpoint.check", name=_xml(check.name))
        if check.state == "not_measured":
            ET.SubElement(case, "skipped", message=_xml(check.reason))
    for each in blocking:
        name = _xml(f"{each.title} {_place(each)}".strip())
        case = ET.SubElement(suite, "testcase", classname=f"setpoint.{each.kind}", name=name)
        failure = ET.SubElement(case, "failure", message=_xml(each.message))
        failure.text = _xml(each.message)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True)


def _issue(each: Problem) -> dict[str, object]:
    known = f"{each.fingerprint}\x1f{each.kind}\x1f{each.title}\x1f{each.file}"
    known = known if each.fingerprint else f"{known}\x1f{each.message}"
    return {
        "description": f"{each.title}: {each.message}",
        "check_name": f"setpoint/{each.kind}" + (f"/{each.rule}" if each.rule else ""),
        "fingerprint": hashlib.sha256(known.encode()).hexdigest(),
        "severity": "blocker" if each.blocking else _SEVERITIES[each.level],
        "location": {"path": each.file, "lines": {"begin": max(each.line, 1)}},
    }


def _place(each: Problem) -> str:
    return f"({each.file}:{each.line})" if each.file and each.line else ""


def _xml(text: str) -> str:
    """Leave out what XML cannot hold."""
    return _NOT_XML.sub(" ", text)
