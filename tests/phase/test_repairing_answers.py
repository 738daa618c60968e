"""An agent broke: the repair is offered first, and lets the first agent try again."""

from phase.test_escalation import ASKING, RED, a_stage, answer, waits
from setpoint.model.attempt import BreakageKind
from setpoint.model.ending import Ending
from setpoint.model.gate import Choice, Grant
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator


async def test_the_repair_of_a_broken_agent_is_offered_first_and_the_first_agent_tries_again(tmp_path):
    first = ScriptedAgent(
        Act(breakage=BreakageKind.AUTH), Act(edits={"src/work.py": "value = 2\n"}), name="first"
    )
    second = ScriptedAgent(*(Act(breakage=BreakageKind.AUTH) for _ in range(5)), name="second")
    harness = RunHarness(
        agent=first,
        evaluator=ScriptedEvaluator(Scene(), base=Scene(failing=RED)),
        folder=tmp_path,
        escalation=ASKING,
        roles={"next maker 1": second},
    )

    gate = await waits(harness)

    assert [option.choice for option in gate.options] == [Choice.RETRY, Choice.CANCEL]
    assert gate.options[0].text == "the environment is repaired: first tries again"
    harness.answer(gate.id, answer(Choice.RETRY, grant=Grant(iterations=1)))
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert (len(first.briefs), len(second.briefs)) == (2, 1)


async def test_a_broken_agent_may_continue_where_another_try_can_help(tmp_path):
    harness = a_stage(tmp_path, Scene(), acts=[Act(breakage=BreakageKind.CRASH)] * 9)
    gate = await waits(harness)
    assert [option.choice for option in gate.options] == [Choice.RETRY, Choice.CONTINUE, Choice.CANCEL]
