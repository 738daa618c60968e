"""A tool of the user's own: how it is run, and what it writes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field, field_validator

from setpoint.model.finding import Category
from setpoint.model.quality import Metric
from setpoint.model.value import Value


class ReportFormat(StrEnum):
    """What a tool of your own may write."""

    SARIF = "sarif"
    """Findings: SARIF 2.1.0."""
    GITLAB = "gitlab"
    """Findings: GitLab code quality (Code Climate)."""
    RDJSON = "rdjson"
    """Findings: reviewdog's diagnostics, one document."""
    RDJSONL = "rdjsonl"
    """Findings: reviewdog's diagnostics, one a line."""
    CHECKSTYLE = "checkstyle"
    """Findings: Checkstyle XML."""
    FILE_LIST = "file-list"
    """Findings: files that a formatter would change, one a line (`gofmt -l`, `prettier --list-different`)."""
    RUFF = "ruff"
    """Findings: `ruff check --output-format=json`, with fixes that are marked safe or not."""
    MYPY = "mypy"
    """Findings: `mypy --output=json`."""
    BANDIT = "bandit"
    """Findings: `bandit --format=json`."""
    PYREFLY = "pyrefly"
    """Findings: `pyrefly check --output-format=json`."""
    PYLINT = "pylint"
    """Findings: `pylint --output-format=json2`."""
    SEMGREP = "semgrep"
    """Findings: `semgrep scan --json`."""
    LIZARD = "lizard"
    """Findings: `lizard --csv`; each function with a cyclomatic complexity above 10."""
    INTERROGATE = "interrogate"
    """Findings: `interrogate -vv`; each definition without a docstring."""
    DETECT_SECRETS = "detect-secrets"
    """Findings: `detect-secrets scan`."""
    VULTURE = "vulture"
    """Findings: `vulture`."""
    JSCPD = "jscpd"
    """Findings: `jscpd --reporters=json`."""
    ESLINT = "eslint"
    """Findings: `eslint --format=json`, with fixes."""
    TSC = "tsc"
    """Findings: `tsc --pretty false --listFiles`."""
    PYRIGHT = "pyright"
    """Findings: `pyright --outputjson` and `basedpyright --outputjson`."""
    BIOME = "biome"
    """Findings: `biome lint --reporter=sarif` or `gitlab`, in which its own faults are told apart."""
    GO_VET = "go-vet"
    """Findings: `go vet -json`."""
    CARGO = "cargo"
    """Findings: `cargo check|clippy --message-format=json`, with fixes that are marked safe or not."""
    SONARQUBE = "sonarqube"
    """Findings: all pages of SonarQube's `api/issues/search`, one document or a list of them."""
    JUNIT = "junit"
    """Tests: JUnit XML."""
    CTRF = "ctrf"
    """Tests: Common Test Report Format."""
    JEST = "jest"
    """Tests: the JSON report of jest and vitest."""
    GO_TEST = "go-test"
    """Tests: `go test -json`."""
    CARGO_TEST = "cargo-test"
    """Tests: what `cargo test` prints."""
    COBERTURA = "cobertura"
    """Coverage: Cobertura XML."""
    LCOV = "lcov"
    """Coverage: LCOV tracefile."""
    COVERAGE_JSON = "coverage-json"
    """Coverage: `coverage json`."""

    @property
    def runs_code(self) -> bool:
        """Whether it tells of tests that ran, so that its tool belongs to the test stage."""
        return self in _OF_TESTS


_OF_TESTS = frozenset(
    {
        ReportFormat.JUNIT,
        ReportFormat.CTRF,
        ReportFormat.JEST,
        ReportFormat.GO_TEST,
        ReportFormat.CARGO_TEST,
        ReportFormat.COBERTURA,
        ReportFormat.LCOV,
        ReportFormat.COVERAGE_JSON,
    }
)
BUILT_IN_FORMATS = frozenset(map(str, ReportFormat))
PluggedFormat = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]{0,39}$")]
"""A format that a plug-in reads, by its name in the setting `plugins`."""
OWN_CHECKS = frozenset(
    {"parse", "integrity", "pytest", "unittest", "suite", "coverage", "cover", "review", "sonarqube"}
    | {"mutation", "own_command", "git_hooks"}
)
"""Names of Setpoint\'s own checks, which no other can have; those of the presets are taken too."""
_MEASURED_BY = {
    Category.SECURITY: Metric.SECURITY,
    Category.TYPES: Metric.TYPES,
    Category.DOCUMENTATION: Metric.DOCUMENTATION,
}
CHECK_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,39}")
"""What a check may be called."""


class CustomCheck(Value):
    """A tool of your own, under `[check.NAME]`; its findings are compared with the base like all others."""

    command: tuple[str, ...] = Field(min_length=1)
    """Program and arguments, run at the root of the measured tree; `{python}` is the project's Python."""
    format: ReportFormat | PluggedFormat = Field(union_mode="left_to_right")
    """What it writes; see [Checks](checks.md#formats). Or the name of a plug-in that reads it."""
    report: str = ""
    """The file it writes, from the root of the tree; empty: standard output."""
    category: Category | None = None
    """What its findings are about; none: as the report says."""
    feeds: Metric | None = None
    """The metric of the quality vector that it measures; none: as its category says, if that names one."""
    clean_exit: tuple[int, ...] = (0,)
    """Exit codes that say: ran to its end, found nothing."""
    findings_exit: tuple[int, ...] = (1,)
    """Exit codes that say: ran to its end, found something. With any other code the tool broke."""
    timeout_s: float = Field(default=900.0, gt=0)
    """Seconds it may take."""
    kept: bool | None = None
    """Whether what it says of a tree is taken for the same tree later; false where it asks a database that
    others change. None: false for programs that are known to, such as pip-audit, npm audit and osv-scanner.
    """

    @property
    def measures(self) -> tuple[Metric, ...]:
        """The metrics it measures: what is said, else what follows from the category."""
        if self.feeds is not None:
            return (self.feeds,)
        return (_MEASURED_BY[self.category],) if self.category in _MEASURED_BY else ()

    @property
    def runs_code(self) -> bool:
        """Whether it tells of tests that ran; what a plug-in reads are findings."""
        return isinstance(self.format, ReportFormat) and self.format.runs_code

    def readable(self, plugins: Collection[str]) -> bool:
        """Whether Setpoint or one of these plug-ins reads its format."""
        return isinstance(self.format, ReportFormat) or self.format in plugins

    @field_validator("command")
    @classmethod
    def _named(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        if not command[0].strip():
            raise ValueError("the first word names the program to start")
        return command

    @field_validator("report")
    @classmethod
    def _inside(cls, report: str) -> str:
        path = PurePosixPath(report)
        if report and (path.is_absolute() or ".." in path.parts or not path.name or path.parts[0] == ".git"):
            raise ValueError("a report is a file inside the tree, named from its root")
        return str(path) if report else ""


def refuse_unknown_formats(checks: Mapping[str, CustomCheck], plugins: Collection[str]) -> None:
    """Raise `ValueError` where neither Setpoint nor one of these plug-ins reads a check's format."""
    if unknown := [name for name, check in checks.items() if not check.readable(plugins)]:
        wrong = f"check.{unknown[0]}.format: no format is called '{checks[unknown[0]].format}'"
        message = f"{wrong}; there are {', '.join(ReportFormat)}"
        raise ValueError(f"{message}, and those of plug-ins that the setting plugins names")
