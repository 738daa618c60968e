"""Money and tokens in a run's loop: warned of in flight, bounded for each try, and for all roles."""

from decimal import Decimal

import pytest

from setpoint.errors import RunWaiting
from setpoint.model.attempt import BreakageKind, Stop, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.run import (
    AgentSpent,
    AgentStarted,
    BudgetWarned,
    HaltingDecided,
    ReviewAnswered,
    RunFinished,
)
from setpoint.model.gate import Answer, Choice, Escalation, Grant, Via
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

EDIT = {"src/work.py": "value = 1\n"}


def of(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


def paid(money, tokens=0):
    cost = None if money is None else Decimal(money)
    return Usage(cost_usd=cost, input_tokens=tokens, output_tokens=0, scope="turn")


def a_stage(tmp_path, *acts, **keys):
    scenes = keys.pop("scenes", (Scene(),))
    return RunHarness(
        agent=ScriptedAgent(*acts), evaluator=ScriptedEvaluator(*scenes), folder=tmp_path, **keys
    )


async def test_a_mark_is_warned_of_while_the_agent_works(tmp_path):
    harness = a_stage(tmp_path, Act(edits=EDIT, usage=paid("0.6")), limits=Limits(max_cost_usd="1"))
    await harness.drive()
    kinds = [event.body.kind for event in harness.log.replay(TraceId("run-1"))]
    assert kinds.index("agent.spent") < kinds.index("budget.warned") < kinds.index("agent.finished")
    assert [(each.budget, each.share, each.used) for each in of(harness, BudgetWarned)] == [
        ("cost", 0.5, 0.6)
    ]


async def test_tokens_without_a_cost_are_recorded_and_counted(tmp_path):
    harness = a_stage(tmp_path, Act(edits=EDIT, usage=paid(None, 900)), limits=Limits(max_tokens=1000))
    outcome = await harness.drive()
    assert (outcome.tokens, outcome.cost_known, outcome.cost_shown) == (900, False, "cost not told")
    assert [each.usage.input_tokens for each in of(harness, AgentSpent)] == [900]
    assert [(each.budget, each.share) for each in of(harness, BudgetWarned)] == [("tokens", 0.8)]


async def test_what_is_left_bounds_every_try(tmp_path):
    dies = Act(breakage=BreakageKind.CRASH, usage=paid("0.3", 300))
    harness = a_stage(
        tmp_path,
        dies,
        Act(edits=EDIT, usage=paid("0.1", 100)),
        limits=Limits(max_cost_usd="1", max_tokens=1000),
    )
    outcome = await harness.drive()
    limits = [each.limits for each in harness.agent.briefs]
    assert [each.cost_usd for each in limits] == [1, Decimal("0.7")]
    assert [each.tokens for each in limits] == [1000, 700]
    assert (outcome.cost_usd, outcome.tokens) == (Decimal("0.4"), 400)


async def test_no_try_is_begun_when_the_money_is_gone(tmp_path):
    dies = Act(breakage=BreakageKind.CRASH, usage=paid("0.6"))
    harness = a_stage(tmp_path, dies, dies, dies, limits=Limits(max_cost_usd="1"))
    outcome = await harness.drive()
    assert (outcome.ending, outcome.halt.guard) == (Ending.STOPPED, "max_cost_usd")
    assert (len(of(harness, AgentStarted)), outcome.cost_usd) == (2, Decimal("1.2"))


async def test_a_reviewer_that_cannot_be_paid_stops_the_run_and_is_no_iteration(tmp_path):
    refusing = ScriptedAgent(Act(breakage=BreakageKind.BUDGET), Act(), name="critic")
    harness = a_stage(
        tmp_path,
        Act(edits=EDIT, usage=paid("1")),
        reviewers={"code": refusing},
        limits=Limits(max_cost_usd="1"),
    )
    outcome = await harness.drive()
    assert (outcome.ending, outcome.halt.guard) == (Ending.STOPPED, "max_cost_usd")
    assert (outcome.iterations, len(refusing.briefs)) == (0, 1)
    assert "not reviewed" in outcome.reason


async def test_an_answer_that_is_asked_for_again_costs_again(tmp_path):
    broken = Act(breakage=BreakageKind.CRASH, usage=paid("0.1", 10))
    fine = Act(text='{"judgement": "approve"}', usage=paid("0.2", 20))
    harness = a_stage(
        tmp_path, Act(edits=EDIT), reviewers={"code": ScriptedAgent(broken, fine, name="critic")}
    )
    outcome = await harness.drive()
    (answer,) = of(harness, ReviewAnswered)
    assert (answer.usage.cost_usd, answer.usage.input_tokens) == (Decimal("0.3"), 30)
    assert (outcome.cost_usd, outcome.tokens) == (Decimal("0.3"), 30)
    assert outcome == of(harness, RunFinished)[0].outcome


async def test_a_cancelled_turn_without_money_is_not_nudged(tmp_path):
    from setpoint.model.attempt import ToolCall

    circles = tuple(ToolCall(id=str(each), name="bash", title="make", result_hash="x") for each in (1, 2, 3))
    harness = a_stage(
        tmp_path,
        Act(calls=circles, stop=Stop.CANCELLED, usage=paid("1")),
        Act(edits=EDIT),
        limits=Limits(max_cost_usd="1"),
    )
    outcome = await harness.drive()
    assert (len(harness.agent.briefs), outcome.halt.guard) == (1, "max_cost_usd")


async def test_a_run_goes_on_from_a_review_that_nobody_could_pay_for(tmp_path):
    approves = Act(text='{"decision":"approve"}')
    critic = ScriptedAgent(Act(breakage=BreakageKind.BUDGET), approves, approves, name="critic")
    harness = a_stage(
        tmp_path,
        Act(edits=EDIT, usage=paid("1")),
        Act(edits={"src/work.py": "value = 2\n"}, usage=paid("0.1")),
        scenes=(Scene(), Scene()),
        reviewers={"code": critic},
        limits=Limits(max_cost_usd="1"),
        escalation=Escalation(),
    )
    with pytest.raises(RunWaiting) as waiting:
        await harness.drive()
    grant = Grant(iterations=3, cost_usd=Decimal(5))
    harness.answer(waiting.value.gate, Answer(choice=Choice.CONTINUE, by="Ann", via=Via.CLI, grant=grant))
    harness.durable.resume()
    outcome = await harness.drive()
    assert (outcome.ending, outcome.branch != "") == (Ending.VERIFIED, True)
    (said,) = [each for each in of(harness, HaltingDecided) if each.halt is not None]
    assert said.decision.reason.endswith("so the change is not reviewed")
