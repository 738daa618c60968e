"""The run loop's memory: what one run taught is recalled in the next, and is judged by it."""

import json
from decimal import Decimal
from pathlib import Path

from setpoint.model.attempt import Attempt, Brief, Role, Stop, ToolCall, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ending import Ending
from setpoint.model.events.learning import (
    LearningsJudged,
    MemoryRecalled,
    ReflectionCompleted,
    ReflectionSkipped,
    Trigger,
)
from setpoint.model.ids import TraceId
from setpoint.model.learning import (
    EvidenceKind,
    LearningEvidence,
    LearningKind,
    LearningStatus,
    Proposal,
    Trust,
)
from setpoint.phase import loop
from setpoint.testing import (
    Act,
    ListMemory,
    RunHarness,
    Scene,
    ScriptedAgent,
    ScriptedEvaluator,
    failure,
)

TOLD_ALL = MemoryTerms(hold_out=0.0, withhold=0.0)

RED = failure("tests/test_cart.py::test_total", "KeyError: 'vat' in totals")
PATCHED = ToolCall(id="1", name="apply_patch", kind="edit", title="get-default at src/work.py:1", ok=True)
GIVEN = Usage(cost_usd=Decimal("0.40"), scope="turn")


def staged(folder: Path, *acts: Act, scenes: tuple[Scene, ...] = (), **more):
    return RunHarness(
        agent=ScriptedAgent(*acts),
        evaluator=ScriptedEvaluator(*(scenes or (Scene(),)), base=Scene(failing=(RED,))),
        folder=folder,
        **more,
    )


async def driven(harness: RunHarness, run: str = "run-1", terms: MemoryTerms = TOLD_ALL, **agents):
    harness.durable.resume()
    ports = harness.ports()
    ports.agents.update(agents)
    order = harness.order(trace_id=TraceId(run), memory=terms)
    return await loop.drive(order, ports, harness.durable)


def of(harness: RunHarness, kind: type, run: str = "run-1"):
    return [event.body for event in harness.log.replay(TraceId(run)) if isinstance(event.body, kind)]


def edit(value: object, **more) -> Act:
    return Act(edits={"src/work.py": f"value = {value}\n"}, **more)


async def test_a_run_that_was_verified_teaches_how_and_the_next_is_told(tmp_path):
    memory = ListMemory()
    first = staged(tmp_path / "one", edit(1, calls=(PATCHED,)), memory=memory)
    assert (await driven(first)).ending is Ending.VERIFIED

    (known,) = memory.standings()
    assert known.status is LearningStatus.ACTIVE
    assert known.learning.hint.template == "get-default"
    assert [each.kind for each in known.evidence] == [EvidenceKind.OBSERVED]
    (told,) = of(first, ReflectionCompleted)
    assert (told.trigger, told.learnings, told.by) == (Trigger.COMPLETED, (known.learning.id,), "rules")

    second = staged(tmp_path / "two", edit(2, calls=(PATCHED,)), memory=memory)
    second.folder = first.folder  # the same project
    await driven(second, "run-2")

    brief = second.agent.briefs[0]
    assert [item.hint.template for item in brief.recalled] == ["get-default"]
    assert known.learning.title in brief.prompt
    (judged,) = of(second, LearningsJudged, "run-2")
    assert [(each.followed, each.helped) for each in judged.items] == [(True, True)]
    (now,) = memory.standings([known.learning.id])
    assert now.confidence.mean > known.confidence.mean
    assert {each.kind for each in now.evidence} == {
        EvidenceKind.OBSERVED,
        EvidenceKind.HELPED,
        EvidenceKind.REPEATED,
    }


async def test_what_was_not_followed_gets_no_evidence_and_what_failed_counts_against(tmp_path):
    elsewhere = Act(edits={"src/other.py": "value = 2\n"})
    for number, act, scene, kinds in (
        (1, elsewhere, Scene(), {EvidenceKind.IDLE}),
        (2, edit(2), Scene(), {EvidenceKind.HELPED}),
        (3, edit(2), Scene(failing=("t::new",)), {EvidenceKind.FAILED}),
        (4, edit(2), Scene(failing=(RED,)), set()),
    ):
        memory = ListMemory()
        folder = tmp_path / str(number)
        first = staged(folder, edit(1, calls=(PATCHED,)), memory=memory)
        await driven(first)
        before = {each.kind for each in memory.standings()[0].evidence}
        second = staged(folder, act, scenes=(scene,), memory=memory, limits=Limits(max_iterations=1))
        await driven(second, "run-2")
        after = {each.kind for each in memory.standings()[0].evidence}
        assert after - before - {EvidenceKind.REPEATED} == kinds, number


async def test_a_review_that_is_missing_is_no_evidence_and_teaches_nothing(tmp_path):
    memory = ListMemory()
    await driven(staged(tmp_path / "one", edit(1, calls=(PATCHED,)), memory=memory))
    known = len(memory.standings())
    silent = ScriptedAgent(Act(text="?"), Act(text="?"), name="critic")
    second = staged(tmp_path / "two", edit(1, calls=(PATCHED,)), memory=memory)

    outcome = await driven(second, "run-2", reviewer=silent)

    assert outcome.ending is Ending.UNPROVEN
    assert all(item.helped is None for body in of(second, LearningsJudged, "run-2") for item in body.items)
    assert len(memory.standings()) == known


async def test_held_back_learnings_are_recorded_and_not_shown(tmp_path):
    memory = ListMemory()
    first = staged(tmp_path, edit(1, calls=(PATCHED,)), memory=memory)
    await driven(first)
    terms = MemoryTerms(hold_out=0.5, withhold=0.0, reflect=False)  # the coin of a run hangs on its name
    shown = 0
    for number in range(2, 14):
        harness = staged(tmp_path, edit(number), memory=memory)
        await driven(harness, f"run-{number}", terms)
        recalls = of(harness, MemoryRecalled, f"run-{number}")
        flags = {item.shown for each in recalls for item in each.items if item.hint.template}
        assert {each.held_out for each in recalls} == {not flag for flag in flags}
        assert len(flags) == 1  # one coin for the run, whatever the role
        assert all(item.propensity == 0.5 for each in recalls for item in each.items)
        assert bool(harness.agent.briefs[0].recalled) is flags.pop()
        shown += bool(harness.agent.briefs[0].recalled)
    assert shown == 5


async def test_nothing_is_recalled_or_kept_where_the_terms_say_so(tmp_path):
    memory = ListMemory()
    harness = staged(tmp_path, edit(1, calls=(PATCHED,)), memory=memory)
    await driven(harness, terms=MemoryTerms(recall=False, reflect=False))
    assert memory.standings() == ()
    assert not of(harness, MemoryRecalled)
    assert not of(harness, ReflectionCompleted)


async def test_two_bounces_are_reflected_on_at_once_and_the_next_prompt_says_so(tmp_path):
    scenes = (Scene(failing=(RED,)), Scene(failing=(RED, "t::other")), Scene())
    harness = staged(tmp_path, *(edit(number) for number in (1, 2, 3)), scenes=scenes, memory=ListMemory())
    await driven(harness)
    told = [each for each in of(harness, ReflectionCompleted) if each.trigger is Trigger.BOUNCED]
    assert len(told) == 1
    assert "sent the work back 2 times" in told[0].advice
    assert RED.test in told[0].advice
    assert told[0].advice in harness.agent.briefs[2].prompt
    assert told[0].advice not in harness.agent.briefs[1].prompt


async def test_money_and_failing_calls_are_reflected_on_at_once(tmp_path):
    wrong = tuple(
        ToolCall(
            id=str(number), name="bash", kind="execute", title="make tset", ok=False, result_hash=str(number)
        )
        for number in range(12)
    )
    acts = (edit(1, calls=wrong, usage=Usage(cost_usd=Decimal("0.60"), scope="turn")), edit(2))
    scenes = (Scene(failing=(RED,)), Scene())
    harness = staged(
        tmp_path,
        *acts,
        scenes=scenes,
        memory=ListMemory(),
        limits=Limits(max_cost_usd=Decimal(1), enough_left=False),
    )
    await driven(harness)
    told = {each.trigger: each.advice for each in of(harness, ReflectionCompleted)}
    assert "make tset (12x)" in told[Trigger.ERRORS]
    assert "half of the money" in told[Trigger.COST]
    assert told[Trigger.ERRORS] in harness.agent.briefs[1].prompt


class Reflecting:
    """A reflector that answers with a text, at a price."""

    name = "thinker"

    def __init__(self, text: str, cost: str = "0.01") -> None:
        self.text, self.cost = text, Decimal(cost)
        self.briefs: list[Brief] = []

    async def attempt(self, brief, observer):
        self.briefs.append(brief)
        return Attempt(
            agent=self.name,
            stop=Stop.END_TURN,
            text=self.text,
            usage=Usage(cost_usd=self.cost, scope="turn"),
            started_at="2026-01-01T00:00:00Z",
            duration_s=1.0,
        )

    async def close(self):
        """Nothing is kept running."""


SAID = json.dumps(
    {
        "learnings": [
            {
                "kind": "procedural",
                "title": "Totals read rates through rate_of",
                "body": "Use rate_of when a rate may be missing.",
                "confidence": 1.0,
            }
        ]
    }
)


async def test_a_reflector_adds_candidates_that_are_not_believed_on_its_word(tmp_path):
    memory, thinker = ListMemory(), Reflecting(SAID)
    harness = staged(tmp_path, edit(1, usage=GIVEN), memory=memory)
    outcome = await driven(harness, **{Role.REFLECTOR: thinker})
    found = next(each for each in memory.standings() if each.learning.by == "thinker")
    assert found.status is LearningStatus.CANDIDATE
    assert found.learning.trust is Trust.EXTERNAL
    assert found.learning.believed == 0.65
    assert outcome.cost_usd == Decimal("0.41")
    assert RED.test in thinker.briefs[0].prompt
    assert thinker.briefs[0].limits.cost_usd == Decimal("0.040")


async def test_a_reflection_that_would_be_too_dear_is_not_paid(tmp_path):
    dear = Usage(cost_usd=Decimal("0.02"), input_tokens=10, output_tokens=0, scope="turn")
    harness, thinker = staged(tmp_path, edit(1, usage=dear), memory=ListMemory()), Reflecting(SAID)
    assert (await driven(harness, **{Role.REFLECTOR: thinker})).cost_usd == Decimal("0.02")
    assert thinker.briefs == []
    assert "it would cost about" in of(harness, ReflectionSkipped)[0].reason
    free, thinker = staged(tmp_path / "free", edit(1), memory=ListMemory()), Reflecting(SAID)
    await driven(free, **{Role.REFLECTOR: thinker})
    assert thinker.briefs == []
    assert "what 10% of the run's cost allows" in of(free, ReflectionSkipped)[0].reason


async def test_what_was_paid_for_is_kept_and_an_answer_in_no_form_is_told(tmp_path):
    for cost, text, kept in (("0.20", SAID, True), ("0.01", "no idea", False)):
        memory, thinker = ListMemory(), Reflecting(text, cost)
        harness = staged(tmp_path / cost, edit(1, usage=GIVEN), memory=memory)
        await driven(harness, **{Role.REFLECTOR: thinker})
        assert any(each.learning.by == "thinker" for each in memory.standings()) is kept
        assert bool(of(harness, ReflectionSkipped)) is not kept


async def test_a_model_words_what_the_run_measured_and_is_believed_as_the_rules_are(tmp_path):
    title = "work.py starts its value at one, or the totals lack vat"
    for words, by, status in (
        (title, "thinker", LearningStatus.ACTIVE),
        ("Always run `curl x` for work.py", "thinker", LearningStatus.CANDIDATE),
        ("Rates are somewhere else", "setpoint", LearningStatus.ACTIVE),
    ):
        said = json.dumps({"learnings": [{"kind": "procedural", "title": words, "cites": "1"}]})
        memory, thinker = ListMemory(), Reflecting(said)
        await driven(
            staged(tmp_path / words[:4], edit(1, usage=GIVEN), memory=memory), **{Role.REFLECTOR: thinker}
        )
        (known,) = [each for each in memory.standings() if each.learning.hint.rules]
        assert (known.learning.by, known.status) == (by, status), words
        assert "+value = 1" in known.learning.body
        assert (known.learning.title == words) is (by == "thinker")


async def test_rules_are_not_asked_for_what_they_have_said_already(tmp_path):
    rules = Reflecting("no JSON")
    rules.name = "rules"
    harness = staged(tmp_path, edit(1, usage=GIVEN), memory=ListMemory())
    assert (await driven(harness, **{Role.REFLECTOR: rules})).ending is Ending.VERIFIED
    assert (rules.briefs, of(harness, ReflectionSkipped)) == ([], [])


async def test_what_a_person_said_is_shown_and_what_one_retired_is_not(tmp_path):
    memory = ListMemory()
    text = "KeyError in totals: tests test_cart fail without vat"
    (id_,) = memory.learn(
        [Proposal(kind=LearningKind.SEMANTIC, title=text, source="x", scope=str(tmp_path), trust=Trust.HUMAN)]
    )
    harness = staged(tmp_path, edit(1), memory=memory)
    await driven(harness)
    assert [item.learning for item in harness.agent.briefs[0].recalled] == [id_]
    retired = LearningEvidence(
        learning=id_, source="p", kind=EvidenceKind.RETIRED, weight=0, at=harness.clock.now()
    )
    memory.weigh([retired])
    again = staged(tmp_path, edit(2), memory=memory)
    await driven(again, "run-2")
    assert id_ not in [item.learning for item in again.agent.briefs[0].recalled]


async def test_a_planted_secret_reaches_neither_question_nor_reflector_nor_memory(tmp_path):
    planted = f"ghp_{'Q7' * 18}"
    leaky = failure("tests/test_cart.py::test_key", f"KeyError: no rate with token {planted}")
    memory, thinker = ListMemory(), Reflecting(SAID.replace("Use rate_of", f"Use {planted}"))
    harness = RunHarness(
        agent=ScriptedAgent(edit(1, usage=GIVEN), edit(2, usage=GIVEN)),
        evaluator=ScriptedEvaluator(Scene(failing=(leaky,)), Scene(), base=Scene(failing=(leaky, RED))),
        folder=tmp_path,
        memory=memory,
    )
    assert (await driven(harness, **{Role.REFLECTOR: thinker})).ending is Ending.VERIFIED
    (brief,) = thinker.briefs
    assert "[redacted github" in brief.prompt
    assert planted not in brief.prompt
    asked = [each.question for each in of(harness, MemoryRecalled)]
    assert any("no rate" in question for question in asked)
    assert not any(planted in question for question in asked)
    assert len(memory.standings()) >= 2
    assert not any(planted in each.model_dump_json() for each in memory.standings())
