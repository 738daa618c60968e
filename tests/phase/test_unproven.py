"""Work against which nothing is found, and that is not proved."""

import pytest

from setpoint.history.replay import history
from setpoint.model.ending import Ending
from setpoint.model.events.run import Delivered, PhaseBounce
from setpoint.model.ids import TraceId
from setpoint.model.proof import ProofTerms
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

UNPROVEN = Scene(unproven=("witness",))


def stage_of(folder, *scenes, required=True):
    edits = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)]
    return RunHarness(
        agent=ScriptedAgent(*edits),
        evaluator=ScriptedEvaluator(*scenes),
        folder=folder,
        proof=ProofTerms(required=required),
    )


def of(stage, kind):
    return [event.body for event in stage.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


async def test_the_maker_is_told_once_then_the_run_ends_unproven(tmp_path):
    stage = stage_of(tmp_path, UNPROVEN)

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations, outcome.mark) == (Ending.UNPROVEN, 2, "")
    assert "not proved: scripted to be not_met" in stage.agent.briefs[1].prompt
    assert outcome.branch == "unverified/setpoint/work"
    assert [each.verified for each in of(stage, Delivered)] == [False]


async def test_a_proof_that_is_brought_later_counts(tmp_path):
    stage = stage_of(tmp_path, UNPROVEN, Scene())

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert len(of(stage, PhaseBounce)) == 1


async def test_what_is_not_required_is_reported_and_does_not_count(tmp_path):
    stage = stage_of(tmp_path, UNPROVEN, required=False)

    outcome = await stage.drive()

    assert outcome.ending is Ending.VERIFIED
    (delivered,) = stage.forge.branches.values()
    assert "witness: not_measured (missing, and not required" in delivered.message


@pytest.mark.parametrize("scene", [Scene(failing=("t::a",)), Scene(broken=("ruff",))])
async def test_nothing_is_proved_before_everything_else_passes(tmp_path, scene):
    stage = stage_of(tmp_path, scene, Scene())

    await stage.drive()

    first, *_ = history(tuple(stage.log.replay(TraceId("run-1")))).rounds
    assert first.proof is None
    assert [gate for gate in first.gates if gate.name == "witness"] == []
