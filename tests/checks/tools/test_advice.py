"""A tool that the project does not use itself gives advice: its findings are shown and never block."""

from __future__ import annotations

import pytest

from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Severity
from setpoint.settings import ChecksSettings

SHELL = "import subprocess\n\n\ndef f(x):\n    return subprocess.call(x, shell=True)\n"
FILES = {"a.py": SHELL}
USED = {
    "requirements-dev.txt": "bandit==1.0\n",
    "pyproject.toml": "[tool.bandit]\n",
    "tox.ini": "[testenv]\ncommands = bandit -r .\n",
}


async def security(made):
    return await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root)


async def test_findings_of_a_tool_that_nothing_of_the_project_names_never_block(bench) -> None:
    made = await bench(FILES, settings=ChecksSettings(coverage=False))

    survey, seen = await made.survey(), await security(made)
    told = [each for each in seen.findings if each.source == "bandit"]

    assert survey.checks["bandit"].startswith("advice that never blocks: bandit ")
    assert seen.evidence_of("bandit").state is CheckState.FAIL
    assert (told[0].rule, told[0].severity) == ("B602", Severity.WARNING)  # the worst first
    assert {each.severity for each in told[1:]} == {Severity.INFO}
    assert seen.blocking == ()


@pytest.mark.parametrize("file", sorted(USED))
async def test_a_tool_that_the_project_names_is_a_gate(bench, file: str) -> None:
    made = await bench({**FILES, file: USED[file]}, settings=ChecksSettings(coverage=False))

    assert [each.rule for each in (await security(made)).blocking] == ["B602"]


async def test_one_key_switches_advice_off(bench) -> None:
    made = await bench(FILES, settings=ChecksSettings(advice=False))

    assert "bandit" not in (await made.survey()).checks


async def test_another_version_than_the_pinned_one_is_said(bench) -> None:
    made = await bench({**FILES, "requirements-dev.txt": "bandit==0.1.2\n"}, settings=ChecksSettings())

    reason = (await made.survey()).checks["bandit"]

    assert reason.startswith("requirements-dev.txt names the package bandit; version ")
    assert reason.endswith(" runs, and requirements-dev.txt pins 0.1.2")
