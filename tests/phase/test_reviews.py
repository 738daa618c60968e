"""Several reviewers at once, objections that are declined, and reviews that come to an end."""

import asyncio
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.errors import RunWaiting
from setpoint.model.attempt import BY_RULE, NEXT_REVIEWER, BreakageKind
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.candidates import FindingDeclined
from setpoint.model.events.run import AgentFinished, GateOpened, ReviewAnswered, ReviewCompleted
from setpoint.model.gate import Answer, Choice, Escalation, Via
from setpoint.model.ids import TraceId
from setpoint.phase import loop
from setpoint.ports import Reviewing
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


async def test_each_reviewer_has_a_copy_of_its_own_which_goes_with_all_it_left(tmp_path):
    seen = {}

    async def looks(brief):
        place = Path(brief.workdir)
        seen[brief.review, brief.session] = (place, (place / "src/work.py").read_text())
        (place / "tests").mkdir()
        (place / "tests/test_scratch.py").write_text("def test(): pass\n")
        (place / "src/work.py").write_text("value = 9\n")

    looking = Act(text=APPROVES.text, do=looks)
    first = Act(text=objects(WRONG).text, do=looks)
    reviewers = by_kind(code=[first, looking], security=[looking, looking])
    harness = a_stage(tmp_path, *changes(1, 2), reviewers=reviewers)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert [text for _, text in seen.values()] == ["value = 1\n"] * 2 + ["value = 2\n"] * 2
    places = {place for place, _ in seen.values()}
    assert len(places) == 2
    assert not [place for place in places if place.exists()]
    made = said(harness, AgentFinished)
    assert [each.snapshot.files for each in made] == [("src/work.py",)] * 2
    maker = {brief.workdir for brief in harness.agent.briefs}
    assert not maker & set(map(str, places))
    assert len({session for _, session in seen}) == 4


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


async def test_a_reviewer_that_stays_broken_leaves_the_work_unproven_and_is_named(tmp_path):
    broken = Act(breakage=BreakageKind.CRASH)
    reviewers = by_kind(code=[APPROVES], security=[broken, broken, broken])
    outcome = await a_stage(tmp_path, *changes(1), reviewers=reviewers).drive()
    assert outcome.ending is Ending.UNPROVEN
    assert "review missing: security:agent-security: " in outcome.reason
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


async def test_a_reviewer_that_finds_errors_forever_is_never_overruled(tmp_path):
    errors = [
        objects({**WRONG, "message": f"the {word} is wrong"}) for word in ("name", "type", "tone", "hue")
    ]
    reviewer = ScriptedAgent(*errors, name="critic")
    limits = Limits(max_iterations=3)
    harness = a_stage(tmp_path, *changes(1, 2, 3, 4), reviewer=reviewer, limits=limits)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.STOPPED, 3)
    assert "reviewed 2 times" in reviewer.briefs[2].prompt


NIT = {**WRONG, "severity": "warning"}
WANTS = Act(text=json.dumps({"decision": "request_changes", "findings": [], "feedback": "add a docstring"}))


async def test_a_request_that_names_nothing_is_asked_about_once(tmp_path):
    reviewer = ScriptedAgent(WANTS, objects(WRONG), APPROVES, name="reviewer")
    harness = a_stage(tmp_path, *changes(1, 2), reviewer=reviewer)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert "needs a finding of severity error" in reviewer.briefs[1].prompt
    assert said(harness, ReviewCompleted)[0].verdict.blocking[0].message == "the name is wrong"


@pytest.mark.parametrize("asks", [WANTS, objects(NIT)])
async def test_a_request_that_stays_without_an_error_is_an_approval_with_notes(tmp_path, asks):
    reviewer = ScriptedAgent(asks, asks, name="critic")
    harness = a_stage(tmp_path, *changes(1), reviewer=reviewer)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations, len(reviewer.briefs)) == (Ending.VERIFIED, 1, 2)
    (review,) = said(harness, ReviewCompleted)
    assert (review.verdict.judgement, review.verdict.approved_by) == ("approve", ("critic",))
    assert harness.evaluator.vouched[0].reviewers == ("critic",)


async def test_a_request_whose_second_answer_cannot_be_read_is_no_approval(tmp_path):
    harness = a_stage(tmp_path, *changes(1), reviewer=ScriptedAgent(WANTS, NONSENSE, name="critic"))
    outcome = await harness.drive()
    assert (outcome.ending, harness.evaluator.vouched[0].reviewers) == (Ending.UNPROVEN, ())


async def test_who_wants_a_person_is_shown_with_the_reason(tmp_path):
    asks = Act(text=json.dumps({"decision": "require_human", "feedback": "the licence is unclear"}))
    harness = a_stage(tmp_path, *changes(1), reviewers=by_kind(code=[APPROVES], security=[asks]))

    outcome = await harness.drive()

    assert outcome.ending is Ending.ESCALATED
    assert "security:agent-security: the licence is unclear" in outcome.reason


RAW = st.sampled_from(("approve", "request_changes", "require_human", "unreadable"))
OPINIONS = st.builds(
    lambda decision, severities: Act(
        text="I like it."
        if decision == "unreadable"
        else json.dumps(
            {
                "decision": decision,
                "findings": [{**WRONG, "message": f"{each}", "severity": each} for each in severities],
            }
        )
    ),
    RAW,
    st.lists(st.sampled_from(("info", "warning", "error", "critical")), max_size=2),
)


@given(
    code=st.lists(OPINIONS, min_size=1, max_size=6),
    security=st.lists(OPINIONS, min_size=1, max_size=6),
    freeze=st.sampled_from((None, 1, 2)),
)
@settings(max_examples=60, deadline=None)
def test_verified_says_that_no_reviewers_last_word_was_an_error(code, security, freeze):
    with tempfile.TemporaryDirectory() as folder:
        reviewers = by_kind(code=code, security=security)
        limits = Limits(max_iterations=6, freeze_reviews_after=freeze)
        harness = a_stage(Path(folder), *changes(*range(1, 9)), reviewers=reviewers, limits=limits)
        outcome = asyncio.run(harness.drive())
    if outcome.ending is Ending.VERIFIED:
        for agent in reviewers.values():
            last = json.loads(agent.acts[len(agent.briefs) - 1].text)
            assert last["decision"] != "require_human"
            assert not {each["severity"] for each in last["findings"]} & {"error", "critical"}


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


NONSENSE = Act(text="I think so")


def following(tmp_path, *acts, **more):
    """Give a stage with a reviewer, and its ports, to which others can be added."""
    harness = a_stage(tmp_path, *changes(1, 2), reviewer=ScriptedAgent(*acts, name="critic"), **more)
    ports = harness.ports()
    return harness, ports


async def test_the_next_reviewer_is_asked_where_one_gives_no_answer(tmp_path):
    harness, ports = following(tmp_path, NONSENSE, NONSENSE)
    second = ScriptedAgent(APPROVES, name="second")
    ports.agents.update({f"{NEXT_REVIEWER}1": second, BY_RULE: ScriptedAgent(name="rules")})
    outcome = await loop.drive(harness.order(), ports, harness.durable)
    assert outcome.ending is Ending.VERIFIED
    (answered,) = said(harness, ReviewAnswered)
    assert (answered.verdict.reviewer, answered.verdict.missing) == ("code:second", "")
    assert len(second.briefs) == 1


async def test_where_none_answers_the_review_is_made_by_rule_and_is_missing(tmp_path):
    harness, ports = following(tmp_path, NONSENSE, NONSENSE)
    rules = ScriptedAgent(objects(WRONG), APPROVES, name="rules")
    ports.agents.update({BY_RULE: rules})
    outcome = await loop.drive(harness.order(), ports, harness.durable)
    first, second = (each.verdict for each in said(harness, ReviewAnswered))
    assert (str(first.judgement), bool(first.missing)) == ("request_changes", True)
    assert (str(second.judgement), bool(second.missing)) == ("approve", True)
    assert outcome.ending is Ending.UNPROVEN
    assert "not proved: review missing: code:critic" in outcome.reason


async def test_a_person_can_have_the_reviewers_asked_again_without_another_change(tmp_path):
    harness, _ = following(tmp_path, NONSENSE, NONSENSE, APPROVES, escalation=Escalation())
    with pytest.raises(RunWaiting):
        await harness.drive()
    gate = said(harness, GateOpened)[-1].gate
    assert gate.options[0].text == "ask the reviewers again; no agent changes anything"
    harness.answer(gate.id, Answer(choice=Choice.CONTINUE, by="Ann", via=Via.CLI))
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)


async def test_what_the_reviewers_object_to_when_asked_again_goes_back_to_the_maker(tmp_path):
    harness, _ = following(tmp_path, NONSENSE, NONSENSE, objects(WRONG), APPROVES, escalation=Escalation())
    with pytest.raises(RunWaiting):
        await harness.drive()
    gate = said(harness, GateOpened)[-1].gate
    harness.answer(gate.id, Answer(choice=Choice.CONTINUE, by="Ann", via=Via.CLI))
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert "the name is wrong" in harness.agent.briefs[1].prompt


async def test_a_request_for_changes_is_advice_where_a_rule_says_so_and_the_commit_says_it(tmp_path):
    reviewers = by_kind(code=[APPROVES], security=[objects(WRONG)])
    harness = a_stage(tmp_path, *changes(1), reviewers=reviewers)
    asked = []

    def why(kind, made_by):
        asked.append((kind, made_by.agent, made_by.version, bool(made_by.prompt)))
        return "the rule of the test" if kind == "security" else ""

    harness.durable.resume()
    ports = harness.ports()._replace(reviewing=Reviewing(why_advice=why))
    outcome = await loop.drive(harness.order(), ports, harness.durable)

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert asked == [
        ("code", "agent-code", "script", True),
        ("security", "agent-security", "script", True),
    ]
    told = "security:agent-security requested changes, which counts as advice by the rule of the test"
    assert told in harness.forge.branches[outcome.branch].message
    (reviewed,) = said(harness, ReviewCompleted)
    assert (reviewed.verdict.advice, reviewed.verdict.blocking) == (told, ())
    assert [finding.severity for finding in reviewed.verdict.findings] == ["warning"]


async def test_a_review_records_what_made_it_and_who_gave_unreadable_answers(tmp_path):
    reviewer = ScriptedAgent(Act(text="?"), APPROVES, name="critic")
    harness = a_stage(tmp_path, *changes(1), reviewer=reviewer)
    await harness.drive()
    (answered,) = said(harness, ReviewAnswered)
    assert (answered.made_by.agent, answered.made_by.version) == ("critic", "script")
    assert answered.made_by.prompt == reviewer.briefs[0].prompt_version
    assert answered.unreadable == (answered.made_by,)
