"""An agent that goes in circles is ended, told so once, and then judged as it stands."""

from decimal import Decimal

from setpoint.model.attempt import BreakageKind, Stop, ToolCall, Usage
from setpoint.model.ending import Ending
from setpoint.model.events.run import AgentFinished, AgentSpent, LoopStagnated
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

CIRCLES = tuple(
    ToolCall(id=str(number), name="bash", title="make", result_hash="same") for number in (1, 2, 3)
)
PAID = Usage(cost_usd=Decimal("0.25"), scope="turn")


def of(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


def a_stage(tmp_path, *acts):
    return RunHarness(agent=ScriptedAgent(*acts), evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)


def circling(edits=None):
    return Act(edits=edits or {}, calls=CIRCLES, stop=Stop.CANCELLED, usage=PAID)


async def test_it_is_told_once_and_goes_on_from_what_it_left(tmp_path):
    first = circling({"src/half.py": "half = 1\n"})
    harness = a_stage(tmp_path, first, Act(edits={"src/work.py": "value = 1\n"}, usage=PAID))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations, outcome.cost_usd) == (Ending.VERIFIED, 1, Decimal("0.50"))
    assert "3 times in a row" in harness.agent.briefs[1].prompt
    assert "`make`" in harness.agent.briefs[1].prompt
    assert harness.workspace.files(outcome.best)["src/half.py"] == b"half = 1\n"
    assert [each.nudged for each in of(harness, LoopStagnated)] == [True]
    assert of(harness, AgentFinished)[0].lost == 0


async def test_the_second_time_it_is_judged_as_it_stands(tmp_path):
    harness = a_stage(tmp_path, circling({"src/work.py": "value = 1\n"}), circling(), Act(text="never asked"))

    outcome = await harness.drive()

    assert (outcome.ending, len(harness.agent.briefs)) == (Ending.VERIFIED, 2)
    assert [each.nudged for each in of(harness, LoopStagnated)] == [True, False]


async def test_a_turn_that_ended_by_itself_is_not_disturbed(tmp_path):
    harness = a_stage(tmp_path, Act(edits={"src/work.py": "value = 1\n"}, calls=CIRCLES))

    outcome = await harness.drive()

    assert (outcome.ending, len(harness.agent.briefs)) == (Ending.VERIFIED, 1)
    assert of(harness, LoopStagnated) == []


async def test_a_lost_try_that_told_nothing_leaves_the_cost_unknown(tmp_path):
    lost = Act(breakage=BreakageKind.CRASH, usage=Usage())
    harness = a_stage(tmp_path, lost, Act(edits={"src/work.py": "value = 1\n"}, usage=PAID))

    outcome = await harness.drive()

    so_far = account_of(harness.log.replay(TraceId("run-1"))).used
    assert (outcome.ending, so_far.cost_usd, so_far.known) == (Ending.VERIFIED, Decimal("0.25"), False)
    assert [each.usage.scope for each in of(harness, AgentSpent)] == ["unknown", "turn"]


async def test_of_tries_that_called_no_model_nothing_is_recorded(tmp_path):
    harness = a_stage(tmp_path, Act(breakage=BreakageKind.CRASH), Act(edits={"src/work.py": "value = 1\n"}))

    await harness.drive()

    assert of(harness, AgentSpent) == []
    assert account_of(harness.log.replay(TraceId("run-1"))).used.known
