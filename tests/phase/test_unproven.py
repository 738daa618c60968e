"""Work against which nothing is found, and that is not proved."""

import pytest

from setpoint.app.runs.exit_codes import exit_code
from setpoint.errors import ExitCode
from setpoint.history.replay import history
from setpoint.model.ending import Ending
from setpoint.model.events.run import Delivered, PhaseBounce
from setpoint.model.exam import Exam, Examiner
from setpoint.model.ids import TraceId
from setpoint.model.proof import ProofTerms
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

UNPROVEN = Scene(unproven=("witness",))


def stage_of(folder, *scenes, **terms):
    edits = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)]
    return RunHarness(
        agent=ScriptedAgent(*edits),
        evaluator=ScriptedEvaluator(*scenes),
        folder=folder,
        proof=ProofTerms(**terms),
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


@pytest.mark.parametrize(
    ("examiner", "least", "ending", "enough"),
    [
        (Examiner.MAKER, "others", Ending.SELF_TESTED, False),
        (Examiner.MAKER, "self", Ending.SELF_TESTED, True),
        (Examiner.COMMAND, "others", Ending.VERIFIED, True),
        (Examiner.COMMAND, "hidden", Ending.VERIFIED, False),
        (Examiner.HIDDEN_TESTS, "hidden", Ending.VERIFIED, True),
    ],
)
async def test_whose_exam_is_enough_decides_the_branch_and_the_exit_code(
    tmp_path, examiner, least, ending, enough
):
    stage = stage_of(tmp_path, Scene(exams=(Exam(examiner=examiner),)), least=least)

    outcome = await stage.drive()

    assert (outcome.ending, outcome.enough) == (ending, enough)
    assert outcome.branch.startswith("unverified/") is not enough
    assert exit_code(outcome.ending, outcome.branch) == (ExitCode.OK if enough else ExitCode.UNPROVEN)
    assert outcome.verdict in stage.forge.branches[outcome.branch].message


@pytest.mark.parametrize("scene", [Scene(failing=("t::a",)), Scene(broken=("ruff",))])
async def test_nothing_is_proved_before_everything_else_passes(tmp_path, scene):
    stage = stage_of(tmp_path, scene, Scene())

    await stage.drive()

    first, *_ = history(tuple(stage.log.replay(TraceId("run-1")))).rounds
    assert first.proof is None
    assert [gate for gate in first.gates if gate.name == "witness"] == []
