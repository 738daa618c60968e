"""Each iteration of a run in one line."""

import pytest

from setpoint.history.iteration_rows import iteration_rows
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

RED = ("t::a", "t::b")


@pytest.fixture
async def rows(tmp_path):
    agent = ScriptedAgent(*(Act(edits={"src/work.py": f"value = {each}\n"}) for each in (1, 2, 3)))
    evaluator = ScriptedEvaluator(
        Scene(failing=RED, passed=8),
        Scene(failing=RED[1:], passed=9, coverage=0.5),
        Scene(passed=10, coverage=0.9),
        base=Scene(failing=RED, passed=8),
    )
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path)
    await harness.drive()
    return list(iteration_rows(harness.log.replay(TraceId("run-1"))))


async def test_a_line_says_the_score_what_fails_and_why_the_loop_went_on_or_stopped(rows):
    first, second, third, _ = rows
    assert first.startswith("#1 ✗ score 0.91 · 2 of 10 tests fail · ")
    assert second.startswith("#2 ✗ score 0.96 · 1 of 10 tests fails · ")
    assert third.startswith("#3 ✓ score 1.00 · 10 of 10 tests · ")
    assert all(" · going on is worth 0." in each for each in (first, second, third))
    assert first.endswith(", stopping 0.00 → go on: no limit is reached")
    assert "→ stop: every hard gate passes" in third
    assert "rules-v1" not in "".join(rows)


async def test_the_score_is_of_the_metrics_that_every_iteration_measured(rows):
    assert rows[-1].startswith("score: tests, security, code quality, types, the same in every iteration")
