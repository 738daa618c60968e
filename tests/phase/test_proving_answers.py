"""A person answers an unproven run with a command; and what the question tells before that."""

from dataclasses import replace

from phase.test_escalation import ASKING, a_stage, answer, differing, of, waits
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import AgentFinished, ProofMeasured
from setpoint.model.gate import Choice
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

UNPROVEN = Scene(unproven=("witness",))


class Commanded(ScriptedEvaluator):
    """Takes the command `good` for a proof; `red` fails on the result."""

    def _scene(self, place, stage):
        commands = self.orders[-1].story.acceptance if self.orders else ()
        scene = super()._scene(place, stage)
        if "good" in commands:
            return replace(scene, unproven=(), acceptance=(True,))
        if "red" in commands and stage is not Stage.EVALUATE and place < 2:
            return replace(scene, acceptance=(False,))
        return scene


def asked_about(folder):
    edits = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)]
    return RunHarness(
        agent=ScriptedAgent(*edits), evaluator=Commanded(UNPROVEN), folder=folder, escalation=ASKING
    )


def proving(command):
    return answer(Choice.PROVE, acceptance=command)


async def test_a_command_that_proves_the_work_verifies_it_without_an_agent(tmp_path):
    stage = asked_about(tmp_path)
    gate = await waits(stage)
    assert [option.choice for option in gate.options][:2] == [Choice.CONTINUE, Choice.PROVE]
    assert "not proved: scripted to be not_met" in gate.context

    stage.answer(gate.id, proving("good"))
    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert len(of(stage, AgentFinished)) == 2
    assert [len(each.proof.missing) for each in of(stage, ProofMeasured)] == [1, 1, 0]
    delivered = stage.evaluator.orders[-1].story.acceptance
    assert delivered == ("good",)


async def test_a_command_that_proves_nothing_has_the_run_ask_again(tmp_path):
    stage = asked_about(tmp_path)
    first = await waits(stage)
    stage.answer(first.id, proving("useless"))

    second = await waits(stage)
    stage.answer(second.id, proving("good"))
    outcome = await stage.drive()

    assert (first.id, second.id) == ("escalation-2", "escalation-2-2")
    assert "not proved: scripted to be not_met" in second.context
    assert outcome.ending is Ending.VERIFIED
    assert stage.evaluator.orders[-1].story.acceptance == ("useless", "good")


async def test_a_command_that_fails_on_the_result_sends_the_work_back_with_it(tmp_path):
    stage = asked_about(tmp_path)
    stage.answer((await waits(stage)).id, proving("red"))

    await waits(stage)

    assert len(of(stage, AgentFinished)) > 2
    assert stage.agent.briefs[2].story.acceptance == ("red",)


async def test_a_question_tells_what_was_tried_and_restored_in(tmp_path):
    tried = Scene(restored=("tests/test_a.py",))
    stage = a_stage(tmp_path, tried, tried, acts=[Act(), Act()], limits=Limits(max_empty_diffs=2))

    gate = await waits(stage)

    tried = "tests/test_a.py"
    assert gate.context[:3] == (
        f"iteration 1: all that was changed was restored: {tried}",
        f"iteration 2: all that was changed was restored: {tried}",
        f"restored in all: {tried} (twice)",
    )
    assert gate.question.endswith(f"but protected files, which were restored: {tried} (twice)")


async def test_only_unproven_work_is_proved_by_a_command(tmp_path):
    stage = a_stage(tmp_path, *differing(1), limits=Limits(max_iterations=1))

    options = [option.choice for option in (await waits(stage)).options]

    assert options == [Choice.CONTINUE, Choice.ACCEPT, Choice.CANCEL]
