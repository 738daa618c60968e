"""Which reader reads which format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from setpoint.checks.formats import plugged
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage import cobertura, coverage_json, lcov
from setpoint.checks.formats.coverage.covered_lines import Reached
from setpoint.checks.formats.general import checkstyle, file_list, gitlab, rdjson, sarif, sonarqube
from setpoint.checks.formats.linters import (
    bandit,
    biome,
    cargo,
    detect_secrets,
    eslint,
    go_vet,
    interrogate,
    jscpd,
    lizard,
    mypy,
    pylint,
    pyrefly,
    pyright,
    ruff,
    semgrep,
    tsc,
    vulture,
)
from setpoint.checks.formats.parsing import bad, checked
from setpoint.checks.formats.report import Reader, Sources, ToolReport
from setpoint.checks.formats.tests import cargo_test, ctrf, go_test, jest, junit
from setpoint.model.config.custom_check import BUILT_IN_FORMATS, ReportFormat
from setpoint.model.evidence import TestReport

FINDINGS: Mapping[ReportFormat, Reader] = {
    ReportFormat.SARIF: sarif.read,
    ReportFormat.GITLAB: gitlab.read,
    ReportFormat.RDJSON: rdjson.read,
    ReportFormat.RDJSONL: rdjson.read_lines,
    ReportFormat.CHECKSTYLE: checkstyle.read,
    ReportFormat.FILE_LIST: file_list.read,
    ReportFormat.RUFF: ruff.read,
    ReportFormat.MYPY: mypy.read,
    ReportFormat.BANDIT: bandit.read,
    ReportFormat.PYREFLY: pyrefly.read,
    ReportFormat.PYLINT: pylint.read,
    ReportFormat.SEMGREP: semgrep.read,
    ReportFormat.LIZARD: lizard.read,
    ReportFormat.INTERROGATE: interrogate.read,
    ReportFormat.DETECT_SECRETS: detect_secrets.read,
    ReportFormat.VULTURE: vulture.read,
    ReportFormat.JSCPD: jscpd.read,
    ReportFormat.ESLINT: eslint.read,
    ReportFormat.TSC: tsc.read,
    ReportFormat.PYRIGHT: pyright.read,
    ReportFormat.BIOME: biome.read,
    ReportFormat.GO_VET: go_vet.read,
    ReportFormat.CARGO: cargo.read,
    ReportFormat.SONARQUBE: sonarqube.read,
}
"""Formats of tools that look at code."""
TESTS: Mapping[ReportFormat, Callable[[bytes, Sources], TestReport]] = {
    ReportFormat.JUNIT: junit.read,
    ReportFormat.CTRF: ctrf.read,
    ReportFormat.JEST: jest.read,
    ReportFormat.GO_TEST: go_test.read,
    ReportFormat.CARGO_TEST: cargo_test.read,
}
"""Formats of test runners."""
COVERAGE: Mapping[ReportFormat, Callable[[bytes, Sources], Reached]] = {
    ReportFormat.COBERTURA: cobertura.read,
    ReportFormat.LCOV: lcov.read,
    ReportFormat.COVERAGE_JSON: coverage_json.read,
}
"""Formats of tools that tell what tests reached."""
_MAY_BE_EMPTY = (
    ReportFormat.FILE_LIST, ReportFormat.RDJSONL, ReportFormat.MYPY, ReportFormat.LIZARD,
    ReportFormat.VULTURE, ReportFormat.GO_VET,
)  # fmt: skip
"""Formats of one line for each finding, so that nothing is written where nothing was found."""


def read(form: str, text: bytes, sources: Sources) -> ToolReport | TestReport | Reached:
    """Read a report; whatever is wrong with it is a `BadReport` that names it and the place."""
    if form not in BUILT_IN_FORMATS:
        return plugged.read(form, text, sources)
    form = ReportFormat(form)
    if text or form not in _MAY_BE_EMPTY:
        checked(text, sources)
    reader = FINDINGS.get(form) or TESTS.get(form) or COVERAGE[form]
    try:
        report = reader(text, sources)
    except BadReport as error:
        if str(error).startswith(sources.report):
            raise
        raise bad(sources, str(error)) from None
    if isinstance(report, Reached) and not report.statements:
        raise bad(sources, "it names no line that could be run")
    return report
