"""Tests that a test designer writes before the maker begins, and tests that reviewers vouch for."""

import json

import pytest

from setpoint.history.replay import history
from setpoint.model.attempt import Usage
from setpoint.model.ending import Ending
from setpoint.model.events.run import HiddenTestsWritten, PhaseBounce
from setpoint.model.ids import TraceId
from setpoint.model.proof import HiddenTrial
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
    assert "not the JSON object" in hidden.dropped[0]


async def test_a_red_hidden_test_sends_the_work_back_twice_and_then_asks_a_person(tmp_path):
    stage = stage_of(tmp_path, ScriptedAgent(Act(text=DESIGN)), Scene(unproven=("hidden",)))

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations, len(of(stage, PhaseBounce))) == (Ending.UNPROVEN, 3, 2)
    assert "the work or a test that the maker cannot see is wrong" in outcome.reason


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
