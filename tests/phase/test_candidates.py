"""Several candidates at once: each is measured, the best goes on, nothing is lost and nothing paid twice."""

import asyncio
from decimal import Decimal

import pytest

from setpoint.history.replay import history
from setpoint.model.attempt import BreakageKind, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage as Measuring
from setpoint.model.events.candidates import CandidateChosen, CandidateMade, CandidateMeasured
from setpoint.model.events.run import AgentFinished, AgentStarted
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.ids import TraceId
from setpoint.testing import Act, Crash, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

RED, GREEN = Scene(failing=("t::a",)), Scene()
ADVICE = Finding(source="ruff", severity=Severity.WARNING, category=Category.STYLE, message="long line")


def change(text, cost=None, **more):
    usage = Usage(cost_usd=cost if cost is None else Decimal(str(cost)), scope="turn")
    return Act(edits={"src/work.py": f"{text}\n"}, usage=usage, **more)


def contest(tmp_path, *acts, scenes=(GREEN,), **more):
    """RunHarness a run; each candidate plays its acts, a scene is played for each commit in turn."""
    makers = [ScriptedAgent(*of, name=f"agent-{number}") for number, of in enumerate(acts, start=1)]
    evaluator = ScriptedEvaluator(*scenes, base=RED)
    more.setdefault("limits", Limits(max_cost_usd=Decimal(12)))
    harness = RunHarness(
        agent=makers[0], candidates=tuple(makers), evaluator=evaluator, folder=tmp_path, **more
    )
    return makers, harness


def said(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


async def test_the_one_that_is_right_goes_on_and_among_those_the_cheapest(tmp_path):
    makers, harness = contest(
        tmp_path,
        [change("wrong", 0.1)],
        [change("right", 3)],
        [change("right", 1)],
        scenes=(RED, GREEN, GREEN),
    )
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations, outcome.best_iteration) == (Ending.VERIFIED, 1, 1)
    (chosen,) = said(harness, CandidateChosen)
    assert chosen.candidate == 3
    assert chosen.reason == ("candidate 3 (agent-3) is as good and costs less than candidate 2 (agent-2)")
    assert [(each.candidate, each.red, each.cost_usd) for each in chosen.standings] == [
        (3, 0, Decimal(1)),
        (2, 0, Decimal(3)),
        (1, 1, Decimal("0.1")),
    ]
    (finished,) = said(harness, AgentFinished)
    assert (finished.candidate, finished.snapshot.label) == (3, "implement-1-c3")
    assert outcome.cost_usd == Decimal("4.1")
    assert outcome.best == finished.snapshot.commit
    told = history(harness.log.replay(TraceId("run-1")))
    assert (told.account.cost_usd, [each.candidate for each in told.candidates]) == (
        Decimal("4.1"),
        [1, 2, 3],
    )
    assert harness.workspace.files(finished.snapshot.commit)["src/work.py"] == b"right\n"
    assert {agent.briefs[0].limits.cost_usd for agent in makers} == {Decimal(4)}


async def test_each_works_in_a_copy_of_its_own_at_the_same_time(tmp_path):
    met = asyncio.Barrier(2)

    async def meet(_brief):
        async with asyncio.timeout(5):
            await met.wait()

    makers, harness = contest(tmp_path, [change("a", do=meet)], [change("b", do=meet)])
    assert (await harness.drive()).ending is Ending.VERIFIED
    places = {agent.briefs[0].workdir for agent in makers}
    assert len(places) == 2
    assert len({agent.briefs[0].session for agent in makers}) == 2


async def test_no_more_work_at_once_than_allowed(tmp_path):
    working, most = 0, 0

    async def works(_brief):
        nonlocal working, most
        working += 1
        most = max(most, working)
        await asyncio.sleep(0.01)
        working -= 1

    _, harness = contest(tmp_path, *[[change(str(number), do=works)] for number in range(5)])
    harness.order = lambda known=harness.order: known(candidates_at_once=2)
    await harness.drive()
    assert most == 2


def one_at_a_time(harness, worth=None):
    stated = HaltingWorth(worth_usd=None if worth is None else Decimal(worth))
    harness.order = lambda known=harness.order: known(candidates_at_once=1, halting=stated)


@pytest.mark.parametrize(("worth", "started"), [(None, 3), (20, 3), (5, 1)])
async def test_no_more_are_started_than_their_gain_is_worth(tmp_path, worth, started):
    makers, harness = contest(tmp_path, *[[change(str(number), 1)] for number in range(3)])
    one_at_a_time(harness, worth)
    assert (await harness.drive()).ending is Ending.VERIFIED
    assert [len(agent.briefs) for agent in makers] == [1] * started + [0] * (3 - started)
    (chosen,) = said(harness, CandidateChosen)
    assert ("not started: 2, 3, because candidate 1 has no problems" in chosen.reason) is (started == 1)


async def test_where_none_passes_more_are_started(tmp_path):
    makers, harness = contest(
        tmp_path, [change("wrong", 1)], [change("right", 1)], [change("late", 1)], scenes=(RED, GREEN)
    )
    one_at_a_time(harness, 5)
    assert (await harness.drive()).ending is Ending.VERIFIED
    assert [len(agent.briefs) for agent in makers] == [1, 1, 0]
    (chosen,) = said(harness, CandidateChosen)
    assert chosen.candidate == 2
    assert len(said(harness, CandidateMeasured)) == 2, (
        "what was measured for the decision is not measured again"
    )


@pytest.mark.parametrize(
    ("scenes", "first", "second", "why"),
    [
        ((RED, GREEN), "a", "b", "has fewer failing tests"),
        ((Scene(findings=(ADVICE,)), GREEN), "a", "b", "has fewer findings"),
        ((GREEN, GREEN), "a\nb\nc", "b", "is the smaller change"),
        ((GREEN, GREEN), "a", "b", "is as good and costs less"),
    ],
)
async def test_why_the_second_goes_before_the_first(tmp_path, scenes, first, second, why):
    _, harness = contest(tmp_path, [change(first, 2)], [change(second, 1)], scenes=scenes)
    await harness.drive()
    (chosen,) = said(harness, CandidateChosen)
    assert (chosen.candidate, chosen.reason) == (2, f"candidate 2 (agent-2) {why} than candidate 1 (agent-1)")


async def test_a_cost_that_nobody_knows_is_the_highest(tmp_path):
    _, harness = contest(tmp_path, [change("a")], [change("b", 5)])
    await harness.drive()
    assert said(harness, CandidateChosen)[0].candidate == 2


async def test_those_in_which_nothing_is_found_are_measured_in_full_before_one_is_chosen(tmp_path):
    late = {Measuring.EVALUATE: GREEN, Measuring.TEST: Scene(failing=("t::late",))}
    _, harness = contest(tmp_path, [change("a", 1)], [change("b", 2)], scenes=(late, GREEN))
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert [(each.candidate, each.evaluation.stage) for each in said(harness, CandidateMeasured)] == [
        (1, Measuring.EVALUATE),
        (2, Measuring.EVALUATE),
        (1, Measuring.TEST),
        (2, Measuring.TEST),
    ]
    assert said(harness, CandidateChosen)[0].candidate == 2


async def test_the_same_tree_twice_is_measured_in_full_by_the_run_alone(tmp_path):
    _, harness = contest(tmp_path, [change("a", 2)], [change("a", 1)])
    await harness.drive()
    assert {each.evaluation.stage for each in said(harness, CandidateMeasured)} == {Measuring.EVALUATE}


async def test_later_rounds_go_on_with_the_one_that_was_chosen(tmp_path):
    makers, harness = contest(
        tmp_path, [change("bad", 1)], [change("better", 1), change("good", 1)], scenes=(RED, RED, GREEN)
    )
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    chosen = said(harness, CandidateChosen)[0].candidate
    assert chosen == 1  # as good, and it comes first
    assert [len(agent.briefs) for agent in makers] == [2, 1]


async def test_after_a_restart_all_of_them_are_asked_again(tmp_path):
    acts = [[change(f"{name}{number}", 0.1) for number in range(6)] for name in "ab"]
    makers, harness = contest(tmp_path, *acts, scenes=(RED,) * 9)
    await harness.drive()
    assert len(said(harness, CandidateChosen)) == 2
    first, again = (agent.briefs for agent in makers)
    assert [brief.mode for brief in again] == ["fresh", "restart"]
    assert [brief.mode for brief in first][-1] in {"fix", "restart"}
    assert first[0].session != next(brief for brief in first if brief.mode == "restart").session


async def test_one_that_breaks_does_not_stop_the_others(tmp_path):
    broken = change("half", 1, breakage=BreakageKind.AUTH)
    _, harness = contest(tmp_path, [broken], [change("right", 1)], [Act(text="I did nothing.")])
    outcome = await harness.drive()
    assert outcome.ending is Ending.VERIFIED
    (chosen,) = said(harness, CandidateChosen)
    assert chosen.reason == "candidate 2 (agent-2) is the only one that finished with a change"
    assert [each.agent for each in said(harness, CandidateMade)] == ["agent-1", "agent-2", "agent-3"]


async def test_where_all_break_the_run_ends_and_says_so(tmp_path):
    broken = Act(breakage=BreakageKind.AUTH)
    _, harness = contest(tmp_path, [broken], [broken])
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.BROKEN_AGENT, 0)
    assert "auth" in outcome.reason
    assert said(harness, CandidateChosen)[0].candidate == 0


@pytest.mark.parametrize("place", ["second agent", "measuring", "after all"])
async def test_after_a_crash_nobody_who_was_done_is_asked_again(tmp_path, place):
    crashed = []

    async def dies(brief):
        await asyncio.sleep(0.05)  # the first one is done by then
        if place == "second agent" and not crashed:
            crashed.append(brief.label)
            raise Crash(brief.label)

    makers, harness = contest(
        tmp_path,
        [change("wrong", 1)],
        [change("right", 1, do=dies), change("right", 1)],
        scenes=(RED, GREEN),
    )
    known = harness.evaluator.evaluate

    async def evaluate(order, measured):
        chosen, told = said(harness, CandidateChosen), len(said(harness, CandidateMeasured))
        reached = {"measuring": told == 1, "after all": bool(chosen)}
        if reached.get(place) and not crashed and measured.stage is not Measuring.BASE:
            crashed.append(place)
            raise Crash(place)
        return await known(order, measured)

    harness.evaluator.evaluate = evaluate
    with pytest.raises((Crash, BaseExceptionGroup)):
        await harness.drive()
    outcome = await harness.drive()
    assert outcome.ending is Ending.VERIFIED
    assert [len(agent.briefs) for agent in makers] == [1, 2 if place == "second agent" else 1]
    assert sorted(each.candidate for each in said(harness, CandidateMade)) == [1, 2]
    assert [each.candidate for each in said(harness, CandidateMeasured)] == [1, 2]
    assert len(said(harness, CandidateChosen)) == 1
    started = [(each.label, each.attempt) for each in said(harness, AgentStarted)]
    assert len(started) == len(set(started))
