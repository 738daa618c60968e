"""The mutation goal of `setpoint cover`: where no score came about, it is missed, with the reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from setpoint.checks.cover.check import CoverCheck
from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.layout import Layout
from setpoint.model.cover import CoverGoals, CoverReport
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts

UNCACHED = (*PLAIN, "-p", "no:cacheprovider")
FEES = "def fee(total):\n    if total < 10:\n        return 1\n    return 2\n"
NOTHING = "def fee(total):\n    pass\n"
TESTS = "from fees import fee\n\n\ndef test_fee():\n    assert (fee(5), fee(50)) in ((1, 2), (None, None))\n"


@pytest.fixture
def judged(tmp_path: Path):
    async def run(stage: Stage, code: str = FEES, **goals: object) -> tuple[CoverReport, CheckState, str]:
        tree = tmp_path / "tree"
        (tree / "tests").mkdir(parents=True, exist_ok=True)
        (tree / "fees.py").write_text(code, "utf-8")
        (tree / "tests" / "test_fees.py").write_text(TESTS, "utf-8")
        artifacts = Artifacts(tmp_path / "artifacts")
        check = CoverCheck(
            interpreter=await find_interpreter(tree, ChecksSettings(python=sys.executable)),
            layout=Layout(files=(), packages=(), imports=(), tests=(), configured={}),
            artifacts=artifacts,
            goals=CoverGoals(paths=("fees.py",), success=0.0, quality=0.1, **goals),
            files=("fees.py",),
            timeout_s=60.0,
            stage=stage,
            args=UNCACHED,
        )
        copy = WorkCopy(TraceId("run-1"), str(tree), base=Commit("0" * 40), base_tree=Tree("0" * 40))
        result = await check.run(
            Measured(copy=copy, commit=Commit("0" * 40), tree=Tree("0" * 40), stage=stage)
        )
        report = CoverReport.model_validate_json(artifacts.read(result.evidence.output))
        return report, result.evidence.state, result.findings[0].message if result.findings else ""

    return run


async def test_a_goal_that_could_not_be_measured_blocks_with_the_engines_reason(judged) -> None:
    report, state, told = await judged(Stage.TEST, NOTHING, mutation=0.1, mutation_s=20.0)

    assert report.mutation is None
    assert state is CheckState.FAIL
    assert told.startswith("the tests do not reach enough: mutation score not measured: ")
    assert report.unscored in told
    assert report.unscored


async def test_a_goal_without_time_blocks_and_says_so(judged) -> None:
    _, state, told = await judged(Stage.TEST, mutation=0.1, mutation_s=0.0)

    assert state is CheckState.FAIL
    assert "mutation score not measured: cover.mutation_s is 0, asked 10%" in told


async def test_a_goal_that_is_reached_does_not_block(judged) -> None:
    report, state, _ = await judged(Stage.TEST, mutation=0.1, mutation_s=20.0)

    assert (state, report.unscored) == (CheckState.PASS, "")
    assert report.mutation is not None
    assert report.mutation >= 0.1


@pytest.mark.parametrize("stage", [Stage.BASE, Stage.CONFIRM])
async def test_where_no_score_is_due_none_is_asked(judged, stage) -> None:
    report, state, _ = await judged(stage, mutation=0.9, mutation_s=20.0)

    assert (state, report.mutation, report.asked.mutation) == (CheckState.PASS, None, None)
