from decimal import Decimal
from pathlib import Path

import pytest

from history.report_runs import recorded
from setpoint.errors import RecordedDataError
from setpoint.history.replay import History, history
from setpoint.model.attempt import BreakageKind, Mode, ToolCall, Usage
from setpoint.model.ending import Ending
from setpoint.model.events.run import AgentSpent, AgentStarted, PhaseEntered, RunResumed, RunStarted
from setpoint.model.ids import TraceId
from setpoint.model.run import Action
from setpoint.testing import Act, Crash, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator, failure

RED = ("t::a", "t::b", "t::c")


def told(harness: RunHarness) -> History:
    return history(harness.log.replay(TraceId("run-1")))


def act(number: int, **more) -> Act:
    return Act(edits={"src/work.py": f"value = {number}\n"}, **more)


async def test_a_run_that_bounced_once_and_was_verified(tmp_path: Path) -> None:
    paid = Usage(cost_usd=Decimal("0.40"), scope="turn")
    calls = (ToolCall(id="1", name="bash", ok=True), ToolCall(id="2", name="write", ok=False))
    harness = RunHarness(
        agent=ScriptedAgent(act(1, usage=paid, calls=calls), act(2, usage=paid)),
        evaluator=ScriptedEvaluator(Scene(failing=RED[:1]), Scene(), base=Scene(failing=RED)),
        folder=tmp_path,
    )
    outcome = await harness.drive()

    past = told(harness)

    assert past.outcome == outcome
    assert past.order == harness.order(started_at=past.order.started_at)
    assert past.base is not None
    assert [each.test for each in past.base.failures] == list(RED)
    assert [each.number for each in past.rounds] == [1, 2]
    first, second = past.rounds
    assert (first.mode, first.verified, first.bounced_to) == (Mode.FRESH, False, "implement")
    assert first.tests is None
    assert (second.mode, second.verified, second.bounced_to) == (Mode.FIX, True, "")
    assert second.verdict is not None
    assert second.tests is not None
    assert [each.target for each in past.bounces] == ["implement"]
    assert [each.decision.action for each in past.decisions] == [Action.CONTINUE, Action.HALT]
    assert past.calls["implement-1"][-2:] == calls
    assert [call.name for call in past.calls["implement-1"]] == ["edit", "bash", "write"]
    assert [(each.label, each.finished, len(each.calls)) for each in past.tries] == [
        ("implement-1", True, 3),
        ("implement-2", True, 1),
    ]
    assert (past.account.cost_usd, past.account.known) == (outcome.cost_usd, outcome.cost_known)
    assert set(past.texts) == {"research", "plan"}
    assert past.delivered is not None
    assert past.delivered.branch == outcome.branch


async def test_a_restart_opens_a_new_chain_and_guards_are_told(tmp_path: Path) -> None:
    harness = RunHarness(
        agent=ScriptedAgent(*(act(number) for number in range(1, 9))),
        evaluator=ScriptedEvaluator(Scene(failing=("t::a",)), base=Scene(failing=RED)),
        folder=tmp_path,
    )
    outcome = await harness.drive()

    past = told(harness)

    assert len(past.restarts) == 1
    turn = past.restarts[0].iteration
    assert [each.chain for each in past.rounds] == [int(each.number > turn) for each in past.rounds]
    assert past.rounds[turn].mode is Mode.RESTART
    assert [each.halt for each in past.guards][-1] == outcome.halt
    assert outcome.ending is Ending.STOPPED


async def test_a_lost_try_is_told_with_its_cost(tmp_path: Path) -> None:
    lost = Act(breakage=BreakageKind.CRASH, usage=Usage(cost_usd=Decimal("0.30"), scope="turn"))
    harness = RunHarness(
        agent=ScriptedAgent(lost, act(1, usage=Usage(cost_usd=Decimal("0.20"), scope="turn"))),
        evaluator=ScriptedEvaluator(Scene()),
        folder=tmp_path,
    )
    outcome = await harness.drive()

    past = told(harness)

    assert [(each.attempt, each.finished) for each in past.tries] == [(1, False), (2, True)]
    assert past.account.cost_usd == outcome.cost_usd


async def test_a_run_that_died_tells_where_it_is_and_the_same_after_it_went_on(tmp_path: Path) -> None:
    def harness(folder: Path) -> RunHarness:
        folder.mkdir()
        scenes = [Scene(failing=(failure("t::a", "assert 1"),)), Scene()]
        return RunHarness(
            agent=ScriptedAgent(act(1), act(2)),
            evaluator=ScriptedEvaluator(*scenes, base=Scene(failing=RED)),
            folder=folder,
        )

    killed, whole = harness(tmp_path / "killed"), harness(tmp_path / "whole")
    killed.durable.crash(before="review-2")
    with pytest.raises(Crash):
        await killed.drive()
    half = told(killed)
    assert (half.phase, half.figures.iteration, half.outcome) == ("review", 2, None)
    assert [each.number for each in half.rounds] == [1, 2]
    assert half.rounds[1].verdict is None

    await killed.drive()
    await whole.drive()

    one, other = told(killed), told(whole)
    for mine, its in zip(one.rounds, other.rounds, strict=True):
        assert (mine.snapshot.tree, mine.diff_hash, mine.chain) == (
            its.snapshot.tree,
            its.diff_hash,
            its.chain,
        )
        assert (mine.verified, len(mine.gates)) == (its.verified, len(its.gates))
    assert [each.decision for each in one.decisions] == [each.decision for each in other.decisions]
    assert one.bounces == other.bounces


def test_money_that_a_try_under_way_told_is_counted(tmp_path: Path) -> None:
    order = RunHarness(agent=ScriptedAgent(), evaluator=ScriptedEvaluator(Scene()), folder=tmp_path).order()
    begun = AgentStarted(
        phase="implement", iteration=1, label="implement-1", attempt=1, agent="claude", mode=Mode.FRESH
    )
    events = recorded(
        RunStarted(order=order, workdir="/copy"),
        PhaseEntered(phase="implement", iteration=1),
        begun,
        AgentSpent(label="implement-1", attempt=1, usage=Usage(cost_usd=Decimal("0.10"))),
        AgentSpent(label="implement-1", attempt=1, usage=Usage(cost_usd=Decimal("0.25"))),
        RunResumed(process=7),
        begun.model_copy(update={"attempt": 2}),
        AgentSpent(label="implement-1", attempt=2, usage=Usage(cost_usd=Decimal("0.05"))),
    )

    past = history(events)

    assert past.account.cost_usd == Decimal("0.30")
    assert [each.process for each in past.resumptions] == [7]
    assert past.active_s == 12.0  # two seconds each, less the gap before the resumption


def test_events_that_do_not_begin_a_run_are_refused() -> None:
    with pytest.raises(RecordedDataError, match="has no events"):
        history(())
    with pytest.raises(RecordedDataError, match=r"begins with 'phase\.entered'"):
        history(recorded(PhaseEntered(phase="plan")))
