"""Several reviewers at once, objections that are declined, and reviews that come to an end."""

import asyncio
import json

import pytest

from setpoint.model.attempt import BreakageKind
from setpoint.model.events.candidates import FindingDeclined
from setpoint.model.events.run import ReviewAnswered, ReviewCompleted
from setpoint.model.ids import TraceId
from setpoint.model.run import Ending, Limits
from setpoint.model.verdict import Judgement
from setpoint.testing import Act, Crash, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

WRONG = {
    "severity": "error",
    "category": "correctness",
    "message": "the name is wrong",
    "file": "src/work.py",
}
APPROVES = Act(text=json.dumps({"decision": "approve", "findings": []}))


def objects(*findings, settled=()):
    return Act(
        text=json.dumps({"decision": "request_changes", "findings": [*findings], "settled": [*settled]})
    )


def changes(*values, text="done"):
    return [Act(edits={"src/work.py": f"value = {value}\n"}, text=text) for value in values]


def a_stage(tmp_path, *acts, **more):
    more.setdefault("limits", Limits(max_iterations=7))
    return RunHarness(
        agent=ScriptedAgent(*acts),
        evaluator=ScriptedEvaluator(Scene(), base=Scene(failing=("t::a",))),
        folder=tmp_path,
        **more,
    )


def said(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


def by_kind(**acts):
    return {kind: ScriptedAgent(*played, name=f"agent-{kind}") for kind, played in acts.items()}


async def test_one_objection_of_many_reviewers_sends_the_work_back(tmp_path):
    reviewers = by_kind(code=[APPROVES, APPROVES], security=[objects(WRONG), APPROVES])
    harness = a_stage(tmp_path, *changes(1, 2), reviewers=reviewers)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    first, second = said(harness, ReviewCompleted)
    assert first.verdict.reviewer == "code:agent-code, security:agent-security"
    assert (first.verdict.judgement, second.verdict.judgement) == ("request_changes", "approve")
    assert [finding.source for finding in first.verdict.findings] == ["review:security"]
    assert [(each.iteration, each.review) for each in said(harness, ReviewAnswered)] == [
        (1, "code"),
        (1, "security"),
        (2, "code"),
        (2, "security"),
    ]


async def test_reviewers_work_at_the_same_time(tmp_path):
    met = asyncio.Barrier(2)

    async def meet(_brief):
        async with asyncio.timeout(5):
            await met.wait()

    meeting = Act(text=APPROVES.text, do=meet)
    harness = a_stage(tmp_path, *changes(1), reviewers=by_kind(code=[meeting], security=[meeting]))
    assert (await harness.drive()).ending is Ending.VERIFIED


async def test_each_kind_is_told_its_own_task(tmp_path):
    reviewers = by_kind(code=[APPROVES], security=[APPROVES], product=[APPROVES], spec=[APPROVES])
    await a_stage(tmp_path, *changes(1), reviewers=reviewers).drive()
    told = {kind: agent.briefs[0] for kind, agent in reviewers.items()}
    assert "an attacker" in told["security"].prompt
    assert "would you accept it" in told["product"].prompt
    assert "point by point" in told["spec"].prompt
    assert len({brief.session for brief in told.values()}) == len(told)
    assert {kind: brief.review for kind, brief in told.items()} == {kind: kind for kind in told}


async def test_the_money_that_is_left_is_shared_by_the_reviewers(tmp_path):
    reviewers = by_kind(code=[APPROVES], security=[APPROVES])
    await a_stage(tmp_path, *changes(1), reviewers=reviewers, limits=Limits(max_cost_usd="4")).drive()
    assert [agent.briefs[0].limits.cost_usd for agent in reviewers.values()] == [2, 2]


async def test_a_reviewer_that_stays_broken_ends_the_run_and_is_named(tmp_path):
    broken = Act(breakage=BreakageKind.CRASH)
    reviewers = by_kind(code=[APPROVES], security=[broken, broken, broken])
    outcome = await a_stage(tmp_path, *changes(1), reviewers=reviewers).drive()
    assert outcome.ending is Ending.BROKEN_AGENT
    assert "security:agent-security" in outcome.reason
    assert (len(reviewers["code"].briefs), len(reviewers["security"].briefs)) == (1, 3)


async def test_after_a_crash_no_reviewer_is_asked_twice(tmp_path):
    async def dies(brief):
        await asyncio.sleep(0)
        if len(reviewers["security"].briefs) == 1:
            raise Crash(brief.label)

    reviewers = by_kind(code=[APPROVES], security=[Act(text=APPROVES.text, do=dies), APPROVES])
    harness = a_stage(tmp_path, *changes(1), reviewers=reviewers)
    with pytest.raises(BaseExceptionGroup) as died:
        await harness.drive()
    assert died.group_contains(Crash)

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    assert [len(agent.briefs) for agent in reviewers.values()] == [1, 2]
    assert [each.review for each in said(harness, ReviewAnswered)] == ["code", "security"]


async def test_a_reviewer_that_finds_something_new_forever_does_not_hold_the_work_up(tmp_path):
    nits = [objects({**WRONG, "message": f"the {word} is wrong"}) for word in ("name", "type", "tone", "hue")]
    reviewer = ScriptedAgent(*nits, name="nit-picker")
    harness = a_stage(tmp_path, *changes(1, 2, 3, 4), reviewer=reviewer)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 3)
    last = said(harness, ReviewCompleted)[-1].verdict
    assert (last.judgement, last.findings[0].severity) == (Judgement.APPROVE, "warning")
    assert "reviewed 2 times" in reviewer.briefs[2].prompt


class Declining(ScriptedAgent):
    """Makes its first change, and declines whatever is objected to."""

    async def attempt(self, brief, observer):
        if brief.role == "maker" and self.briefs:
            self.acts = (*self.acts, Act(text=f"DECLINE {brief.findings[0].fingerprint}: it is meant so"))
        return await super().attempt(brief, observer)


class Withdrawing(ScriptedAgent):
    """Objects once, and takes it back when the maker declines."""

    async def attempt(self, brief, observer):
        _, _, declined = brief.prompt.partition("still open\n- `")
        if declined:
            settled = {"id": declined[:16], "withdrawn": True, "reason": "right"}
            answer = {"decision": "approve", "findings": [], "settled": [settled]}
            self.acts = (*self.acts, Act(text=json.dumps(answer)))
        return await super().attempt(brief, observer)


async def test_a_declined_objection_is_settled_once(tmp_path):
    reviewer = Withdrawing(objects(WRONG), name="reviewer")
    harness = a_stage(tmp_path, reviewer=reviewer)
    harness.agent = Declining(*changes(1), name="scripted")

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    (decline,) = said(harness, FindingDeclined)
    assert (decline.iteration, decline.reason) == (2, "it is meant so")
    assert "The maker declines it: it is meant so" in reviewer.briefs[1].prompt
    assert said(harness, ReviewCompleted)[-1].verdict.settled[0].withdrawn


async def test_what_is_declined_twice_and_upheld_waits_for_a_person(tmp_path):
    harness = a_stage(tmp_path, reviewer=ScriptedAgent(*[objects(WRONG)] * 5, name="reviewer"))
    harness.agent = Declining(*changes(1), name="scripted")
    harness.limits = Limits(max_empty_diffs=9, repeated_findings=9)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.ESCALATED, 3)
    assert "wants a person to decide" in outcome.reason
    assert [each.iteration for each in said(harness, FindingDeclined)] == [2, 3]
