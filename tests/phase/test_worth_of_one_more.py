"""A question at a limit says whether one more iteration pays, where the person states a worth."""

from decimal import Decimal

import pytest

from setpoint.errors import RunWaiting
from setpoint.model.config.limits import Limits
from setpoint.model.events.run import GateOpened, HaltingDecided
from setpoint.model.gate import Escalation
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

TRACE = TraceId("run-1")
SAID = "one more iteration: "


async def asked(tmp_path, worth):
    """Drive to the limit; gives the lines of the question and the newest decision."""
    harness = RunHarness(
        agent=ScriptedAgent(*(Act(edits={"src/work.py": f"value = {n}\n"}) for n in (1, 2))),
        evaluator=ScriptedEvaluator(
            Scene(failing=("t::a", "t::b")), Scene(failing=("t::a",)), base=Scene(failing=("t::a", "t::b"))
        ),
        folder=tmp_path,
        limits=Limits(max_iterations=2),
        escalation=Escalation(),
        worth=worth,
    )
    with pytest.raises(RunWaiting):
        await harness.drive()
    bodies = [event.body for event in harness.log.replay(TRACE)]
    (gate,) = [each.gate for each in bodies if isinstance(each, GateOpened)]
    return gate.context, [each.decision for each in bodies if isinstance(each, HaltingDecided)][-1]


async def test_a_stated_worth_adds_the_line_and_is_what_the_predictions_use(tmp_path):
    context, decision = await asked(tmp_path, HaltingWorth(worth_usd=Decimal(20), question_usd=Decimal(1)))
    (line,) = [each for each in context if each.startswith(SAID)]
    assert ": worth trying; by assumptions" in line
    assert decision.values.escalate == -1
    assert decision.values.one_more.low_usd > 0


async def test_without_a_stated_worth_nothing_is_said(tmp_path):
    context, decision = await asked(tmp_path, HaltingWorth())
    assert not any(each.startswith(SAID) for each in context)
    assert decision.values.one_more is None
