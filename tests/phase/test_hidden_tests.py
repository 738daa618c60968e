"""Tests that a test designer writes before the maker begins, and tests that reviewers vouch for."""

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import pytest

from setpoint.history.replay import history
from setpoint.model.attempt import BreakageKind, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.run import PhaseBounce, ReviewCompleted
from setpoint.model.ids import TraceId
from setpoint.model.proof import HiddenTest, HiddenTrial
from setpoint.model.stories.story import KnownRed, Story
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

STORY = Story(id="work", title="Add a total", known_red=KnownRed.TOLERATE)
SOURCE = "def test_secret():\n    assert total() == 3\n"
DESIGN = json.dumps({"tests": [{"path": "tests/test_s.py", "text": SOURCE, "behaviour": "a total is 3"}]})


class Trying(ScriptedEvaluator):
    """Judges hidden tests at the base by a script."""

    def __init__(self, *scenes, trials=()):
        super().__init__(*scenes)
        self.trials = list(trials)
        self.tried = []

    async def try_hidden(self, order, copy, tests):
        self.tried.append(tests)
        return self.trials.pop(0) if self.trials else HiddenTrial(kept=tests)


def stage_of(folder, designer, *scenes, trials=(), **values):
    edits = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)]
    return RunHarness(
        agent=ScriptedAgent(*edits),
        evaluator=Trying(*scenes, trials=trials),
        folder=folder,
        story=STORY,
        roles={"test_designer": designer} if designer else {},
        **values,
    )


def of(stage, kind):
    return [event.body for event in stage.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


async def test_hidden_tests_reach_the_proof_and_never_the_maker(tmp_path):
    left = Act(text=DESIGN, edits={"tests/test_s.py": SOURCE})
    stage = stage_of(tmp_path, designer := ScriptedAgent(left), Scene())

    outcome = await stage.drive()

    (hidden,) = of(stage, HiddenTestsWritten)
    assert outcome.ending is Ending.VERIFIED
    assert [each.path for each in hidden.kept] == ["tests/test_s.py"]
    assert stage.evaluator.vouched[0].hidden == hidden.kept
    assert "Add a total" in designer.briefs[0].prompt
    assert "test_secret" not in "".join(brief.model_dump_json() for brief in stage.agent.briefs)
    (round_,) = history(tuple(stage.log.replay(TraceId("run-1")))).rounds
    assert round_.snapshot.files == ("src/work.py",)


async def test_tests_that_prove_nothing_at_the_base_are_designed_once_more(tmp_path):
    dropped = HiddenTrial(dropped=("tests/test_s.py passes at the base already",))
    stage = stage_of(
        tmp_path, designer := ScriptedAgent(*[Act(text=DESIGN)] * 2), Scene(), trials=(dropped, dropped)
    )

    await stage.drive()

    assert [each.dropped for each in of(stage, HiddenTestsWritten)] == [dropped.dropped] * 2
    assert "passes at the base already" in designer.briefs[1].prompt
    assert stage.evaluator.vouched[0].hidden == ()


async def test_a_designer_that_breaks_stops_nothing(tmp_path):
    stage = stage_of(tmp_path, ScriptedAgent(Act(text="I would rather not.")), Scene())

    outcome = await stage.drive()

    assert outcome.ending is Ending.VERIFIED
    (hidden,) = of(stage, HiddenTestsWritten)
    assert hidden.dropped == ("the answer of scripted holds no tests",)
    assert "no hidden tests (the answer of scripted holds no tests)" in outcome.verdict


async def test_hidden_tests_are_written_beside_the_maker_in_a_copy_of_their_own(tmp_path):
    begun, places = asyncio.Event(), []

    class Waiting(ScriptedAgent):
        """A maker that ends only when the designer has begun."""

        async def attempt(self, brief, observer):
            await asyncio.wait_for(begun.wait(), 10)
            places.append(brief.workdir)
            return await super().attempt(brief, observer)

    class Beginning(ScriptedAgent):
        async def attempt(self, brief, observer):
            places.append(brief.workdir)
            begun.set()
            return await super().attempt(brief, observer)

    stage = stage_of(tmp_path, Beginning(Act(text=DESIGN)), Scene())
    stage.agent = Waiting(Act(edits={"src/work.py": "value = 1\n"}))

    outcome = await stage.drive()

    assert outcome.ending is Ending.VERIFIED
    assert len(set(places)) == 2
    assert stage.evaluator.vouched[0].hidden


class AtALimit(ScriptedAgent):
    """Breaks as its script says, and tells how long that lasts."""

    wait_s = None

    async def attempt(self, brief, observer):
        made = await super().attempt(brief, observer)
        if made.breakage is None:
            return made
        told = made.breakage.model_copy(update={"wait_s": self.wait_s})
        return made.model_copy(update={"breakage": told})


@pytest.mark.parametrize(
    ("kind", "wait_s", "said"),
    [
        (BreakageKind.RATE_LIMIT, 3 * 3600, "claude is at its limit until 15:00 UTC"),
        (BreakageKind.RATE_LIMIT, 36 * 3600, "claude is at its limit until 2026-01-03 00:00 UTC"),
        (BreakageKind.RATE_LIMIT, None, "claude is at its limit"),
        (BreakageKind.OVERLOAD, None, "claude has no room at its provider"),
        (BreakageKind.NETWORK, None, "claude cannot reach its model"),
        (BreakageKind.IDLE, None, "claude gave no sign of life; its model may be at a limit"),
    ],
)
async def test_a_limit_leaves_hidden_tests_out_and_the_first_line_says_until_when(
    tmp_path, kind, wait_s, said
):
    designer = AtALimit(Act(breakage=kind), name="claude")
    designer.wait_s = wait_s
    stage = stage_of(tmp_path, designer, Scene())

    outcome = await stage.drive()

    assert (outcome.ending, len(designer.briefs), stage.clock.slept) == (Ending.VERIFIED, 1, [])
    assert f"; no hidden tests ({said})" in outcome.verdict


async def test_a_reviewer_at_a_limit_is_waited_for_and_what_it_took_is_recorded(tmp_path):
    paid = Usage(cost_usd=Decimal("0.10"), scope="turn")
    approves = Act(text=json.dumps(APPROVES), usage=paid, duration_s=4)
    reviewer = AtALimit(Act(breakage=BreakageKind.RATE_LIMIT, usage=paid, duration_s=2), approves)
    reviewer.wait_s = 600
    stage = stage_of(tmp_path, None, Scene(), reviewer=reviewer)

    outcome = await stage.drive()

    assert (outcome.ending, stage.clock.slept) == (Ending.VERIFIED, [600])
    assert "reviewed by scripted" in outcome.verdict
    (reviewed,) = of(stage, ReviewCompleted)
    assert (reviewed.usage.duration_s, reviewed.usage.cost_usd) == (6, Decimal("0.20"))


async def test_hidden_tests_may_cost_a_quarter_of_the_run(tmp_path):
    stage = stage_of(
        tmp_path, designer := ScriptedAgent(Act(text=DESIGN)), Scene(),
        limits=Limits(max_cost_usd=Decimal(8), max_tokens=1000),
    )  # fmt: skip

    await stage.drive()

    limits = designer.briefs[0].limits
    assert (limits.cost_usd, limits.tokens) == (Decimal(2), 250)


async def test_a_second_design_may_cost_what_the_first_one_left(tmp_path):
    dropped = HiddenTrial(dropped=("tests/test_s.py passes at the base already",))
    paid = Usage(cost_usd=Decimal("0.50"), input_tokens=90, output_tokens=10, scope="turn")
    designer = ScriptedAgent(*[Act(text=DESIGN, usage=paid)] * 2)
    limits = Limits(max_cost_usd=Decimal(8), max_tokens=1000)
    stage = stage_of(tmp_path, designer, Scene(), trials=(dropped,), limits=limits)

    await stage.drive()

    left = designer.briefs[1].limits
    assert (left.cost_usd, left.tokens) == (Decimal("1.50"), 150)


RED = Scene(red_hidden=("tests/test_s.py",))


def said_of_it(*, withdrawn):
    answer = {"path": "tests/test_s.py", "withdrawn": withdrawn, "reason": "the goal is open there"}
    return json.dumps({"tests": [answer]})


async def test_a_test_that_fails_twice_is_withdrawn_by_its_author_and_counts_no_longer(tmp_path):
    designer = ScriptedAgent(Act(text=DESIGN), Act(text=said_of_it(withdrawn=True)))
    stage = stage_of(tmp_path, designer, RED)

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert "no hidden tests (withdrawn by their author)" in outcome.verdict
    asked = designer.briefs[1].prompt
    assert "expected: tests/test_s.py" in asked
    assert "value = 2" not in asked
    assert [each.tests[0].withdrawn for each in of(stage, HiddenTestsAnswered)] == [True]


@pytest.mark.parametrize("answer", [said_of_it(withdrawn=False), "I would rather not say."])
async def test_a_test_whose_author_keeps_it_leaves_the_decision_to_a_person(tmp_path, answer):
    designer = ScriptedAgent(Act(text=DESIGN), Act(text=answer))
    stage = stage_of(tmp_path, designer, RED)

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations, len(of(stage, PhaseBounce))) == (Ending.UNPROVEN, 2, 1)
    assert "the work and a hidden test disagree" in outcome.reason
    assert "tests/test_s.py is kept by its author: " in outcome.reason


async def test_another_hidden_test_that_fails_is_told_first(tmp_path):
    both = json.dumps({"tests": [
        {"path": f"tests/test_{name}.py", "text": SOURCE, "behaviour": name} for name in ("s", "t")
    ]})  # fmt: skip
    stage = stage_of(
        tmp_path, ScriptedAgent(Act(text=both)), RED, Scene(red_hidden=("tests/test_t.py",)), Scene()
    )

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 3)
    assert of(stage, HiddenTestsAnswered) == []


async def test_a_persons_own_hidden_test_is_measured_at_the_base_and_judges(tmp_path):
    mine = HiddenTest(path="tests/test_s.py", source="a" * 64, behaviour="a total is 3")
    stage = stage_of(tmp_path, None, RED, Scene(), hidden=(mine,))

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert stage.evaluator.tried == [(mine,)]
    assert stage.evaluator.vouched[1].hidden == (mine,)


async def test_a_persons_hidden_test_that_proves_nothing_is_named_in_the_first_line(tmp_path):
    mine = HiddenTest(path="tests/test_s.py", source="a" * 64, behaviour="a total is 3")
    dropped = HiddenTrial(dropped=("tests/test_s.py passes at the base already",))
    stage = stage_of(tmp_path, None, Scene(), hidden=(mine,), trials=(dropped,))

    outcome = await stage.drive()

    assert "your hidden test is not used (tests/test_s.py passes at the base already)" in outcome.verdict


async def test_the_copy_of_the_designer_goes_with_its_work(tmp_path):
    left = Act(text=DESIGN, edits={"tests/test_s.py": SOURCE})
    stage = stage_of(tmp_path, designer := ScriptedAgent(left), Scene())

    await stage.drive()

    assert not Path(designer.briefs[0].workdir).exists()


async def test_nobody_designs_tests_for_documents(tmp_path):
    stage = stage_of(tmp_path, designer := ScriptedAgent(Act(text=DESIGN)), Scene())
    stage.story = Story(id="work", title="Improve the docs", known_red=KnownRed.TOLERATE)

    await stage.drive()

    assert designer.briefs == []


APPROVES = {"decision": "approve", "findings": [], "feedback": "good"}


@pytest.mark.parametrize(
    ("said", "scope", "every", "named"),
    [
        ({"tests_express_request": True}, "unknown", True, ()),
        ({"expressing_tests": ["test_total"]}, "unknown", False, ("test_total",)),
        ({"tests_express_request": True, "expressing_tests": ["test_total"]}, "none", False, ()),
        ({}, "unknown", False, ()),
    ],
)
async def test_a_reviewer_with_a_model_says_which_tests_express_the_request(
    tmp_path, said, scope, every, named
):
    reviewer = ScriptedAgent(Act(text=json.dumps({**APPROVES, **said}), usage=Usage(scope=scope)))
    stage = stage_of(tmp_path, None, Scene(), reviewer=reviewer)

    await stage.drive()

    (others,) = stage.evaluator.vouched
    assert (others.all_reviewed, others.reviewed) == (every, named)
    assert stage.agent.name == reviewer.name  # another session of the maker's program counts too
    assert others.reviewers == (() if scope == "none" else (reviewer.name,))
    assert others.by == (reviewer.name if every or named else "")


async def test_where_only_rules_reviewed_nobody_did(tmp_path):
    stage = stage_of(tmp_path, None, Scene())

    await stage.drive()

    assert (stage.evaluator.vouched[0].reviewers, stage.evaluator.vouched[0].by) == ((), "")
