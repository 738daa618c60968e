"""Which reader reads which format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from setpoint.domain.custom_check import ReportFormat
from setpoint.domain.evidence import TestReport
from setpoint.evaluators.formats import (
    bandit,
    biome,
    cargo,
    cargo_test,
    checkstyle,
    cobertura,
    coverage_json,
    ctrf,
    detect_secrets,
    eslint,
    gitlab,
    go_test,
    go_vet,
    interrogate,
    jest,
    jscpd,
    junit,
    lcov,
    lizard,
    mypy,
    pylint,
    pyrefly,
    pyright,
    rdjson,
    ruff,
    sarif,
    semgrep,
    sonarqube,
    tsc,
    vulture,
)
from setpoint.evaluators.formats.bad import BadReport
from setpoint.evaluators.formats.parsing import bad, checked
from setpoint.evaluators.formats.reached import Reached
from setpoint.evaluators.formats.report import Reader, Sources, ToolReport

FINDINGS: Mapping[ReportFormat, Reader] = {
    ReportFormat.SARIF: sarif.read,
    ReportFormat.GITLAB: gitlab.read,
    ReportFormat.RDJSON: rdjson.read,
    ReportFormat.RDJSONL: rdjson.read_lines,
    ReportFormat.CHECKSTYLE: checkstyle.read,
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
    ReportFormat.RDJSONL, ReportFormat.MYPY, ReportFormat.LIZARD, ReportFormat.VULTURE, ReportFormat.GO_VET,
)  # fmt: skip
"""Formats of one line for each finding, so that nothing is written where nothing was found."""


def read(form: ReportFormat, text: bytes, sources: Sources) -> ToolReport | TestReport | Reached:
    """Read a report; whatever is wrong with it is a `BadReport` that names it and the place."""
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
