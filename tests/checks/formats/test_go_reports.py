"""Reports of tools for Go that do not run here: written after the printers of their own sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from setpoint.checks.formats import registry
from setpoint.checks.formats.report import Sources
from setpoint.model.config.custom_check import ReportFormat
from setpoint.model.finding import Severity
from setpoint.presets import presets

GO_MOD = "module example.com/calc\n"
CALC = 'package calc\n\nimport "fmt"\n\nfunc Sum(n int) string {\n\treturn fmt.Sprintf("%s", n)\n}\n'

GOLANGCI_LINT = """<?xml version="1.0" encoding="UTF-8"?>

<checkstyle version="5.0">
  <file name="calc.go">
    <error column="9" line="6" message="printf: fmt.Sprintf format %s has arg n of wrong type int" \
severity="error" source="govet"></error>
  </file>
</checkstyle>
"""
GOLANGCI_LINT_CLEAN = '<?xml version="1.0" encoding="UTF-8"?>\n\n<checkstyle version="5.0"></checkstyle>\n'


def sarif(tool: str, *results: dict[str, object]) -> str:
    return json.dumps(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{"tool": {"driver": {"name": tool, "rules": []}}, "results": list(results)}],
        }
    )


def located(file: str, line: int) -> list[dict[str, object]]:
    artifact = {"uri": file, "uriBaseId": "%SRCROOT%"}
    return [{"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": line}}}]


STATICCHECK = sarif(
    "staticcheck",
    {
        "ruleId": "SA5009",
        "kind": "fail",
        "message": {"text": "Printf format %s has arg #1 of wrong type int"},
        "locations": located("calc.go", 6),
        "suppressions": [],
    },
)
GOVULNCHECK = sarif(
    "govulncheck",
    {
        "ruleId": "GO-2023-1571",
        "level": "error",
        "message": {"text": "Your code calls vulnerable functions in 1 package (net/http)."},
        "locations": located("go.mod", 1),
    },
    {
        "ruleId": "GO-2024-2598",
        "level": "note",
        "message": {
            "text": "Your code depends on 1 vulnerable module (stdlib), but doesn't appear to call it."
        },
        "locations": located("go.mod", 1),
    },
)


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    (tmp_path / "go.mod").write_text(GO_MOD)
    (tmp_path / "calc.go").write_text(CALC)
    return Sources(tree=tmp_path)


@pytest.mark.parametrize(
    ("tool", "report", "found"),
    [
        ("golangci_lint", GOLANGCI_LINT, [("govet", "calc.go", 6, Severity.ERROR)]),
        ("golangci_lint", GOLANGCI_LINT_CLEAN, []),
        ("staticcheck", STATICCHECK, [("SA5009", "calc.go", 6, Severity.WARNING)]),
        ("staticcheck", sarif("staticcheck"), []),
        (
            "govulncheck",
            GOVULNCHECK,
            [("GO-2023-1571", "go.mod", 1, Severity.ERROR), ("GO-2024-2598", "go.mod", 1, Severity.INFO)],
        ),
    ],
)
def test_what_the_tool_found_is_read_with_its_place(sources, tool, report, found):
    preset = presets()[tool]
    read = registry.read(ReportFormat(preset.format), report.encode(), sources)
    assert [(each.rule, each.file, each.line, each.severity) for each in read.findings] == found


def test_staticcheck_may_end_with_either_code_where_it_found_something():
    preset = presets()["staticcheck"]
    assert {0, 1} <= {*preset.clean, *preset.found}
