"""An answer that does not fit is asked for once more, in the same session; then it is no answer."""

import json

import pytest

from setpoint.inner.structured_answer import read_object
from setpoint.model.answers.role_answers import OpinionsShape, ReviewShape, example_of, schema_of
from setpoint.model.attempt import BreakageKind, Role, Stop
from setpoint.model.ending import Ending
from setpoint.model.events.candidates import AnswerRejected
from setpoint.model.events.run import PhaseCompleted, ReviewCompleted
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

APPROVES = Act(text=json.dumps({"decision": "approve", "findings": []}))
PROSE = Act(text="Looks good to me!")
GREEN = (Scene(),)
RED_THEN_GREEN = (Scene(failing=("t::a",)), Scene())
MAKES = Act(edits={"src/work.py": "value = 1\n"})


def a_stage(tmp_path, *acts, maker=(MAKES,), scenes=GREEN, **more):
    reviewer = ScriptedAgent(*acts, name="critic")
    evaluator = ScriptedEvaluator(*scenes, base=Scene(failing=("t::a",)))
    return reviewer, RunHarness(
        agent=ScriptedAgent(*maker), evaluator=evaluator, folder=tmp_path, reviewer=reviewer, **more
    )


def rejected(harness):
    return [
        event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, AnswerRejected)
    ]


async def test_what_does_not_fit_is_asked_for_once_more_in_the_same_session(tmp_path):
    reviewer, harness = a_stage(tmp_path, Act(text='{"decision": "maybe"}'), APPROVES)
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    first, second = reviewer.briefs
    assert second.session == first.session
    assert second.answer is first.answer is ReviewShape
    assert "decision: Input should be" in second.prompt
    assert schema_of(ReviewShape) in second.prompt
    assert example_of(ReviewShape) in first.prompt
    (told,) = rejected(harness)
    assert (told.agent, told.label, told.asked_again) == ("critic", "review-1:code", True)


async def test_two_answers_that_do_not_fit_leave_the_review_missing(tmp_path):
    reviewer, harness = a_stage(tmp_path, PROSE, PROSE, APPROVES)
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.UNPROVEN, 1)
    assert "review missing: code:critic: the answer is not the JSON object" in outcome.reason
    assert len(reviewer.briefs) == 2
    assert [each.asked_again for each in rejected(harness)] == [True, False]
    (completed,) = [
        event.body
        for event in harness.log.replay(TraceId("run-1"))
        if isinstance(event.body, ReviewCompleted)
    ]
    assert "there is no JSON object in it" in completed.verdict.missing


async def test_a_turn_that_was_ended_from_outside_is_not_asked_again(tmp_path):
    reviewer, harness = a_stage(tmp_path, Act(text="I was look", stop=Stop.CANCELLED), APPROVES)
    assert (await harness.drive()).ending is Ending.UNPROVEN
    assert len(reviewer.briefs) == 1


async def test_a_reviewer_that_breaks_is_asked_again_after_a_while(tmp_path):
    reviewer, harness = a_stage(tmp_path, Act(breakage=BreakageKind.RATE_LIMIT), APPROVES)
    before = harness.clock.now()
    assert (await harness.drive()).ending is Ending.VERIFIED
    assert (harness.clock.now() - before).total_seconds() >= 2
    assert reviewer.briefs[0].prompt == reviewer.briefs[1].prompt


@pytest.mark.parametrize("kind", [BreakageKind.AUTH, BreakageKind.MISSING])
async def test_what_trying_again_cannot_mend_is_not_tried_again(tmp_path, kind):
    reviewer, harness = a_stage(tmp_path, Act(breakage=kind), APPROVES)
    assert (await harness.drive()).ending is Ending.UNPROVEN
    assert len(reviewer.briefs) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no", "there is no JSON object"),
        ('{"opinions" ', "there is no JSON object"),
        ("{}", "opinions: Field required"),
        ('{"opinions": [{"grant": true}]}', "opinions.0.path: Field required"),
    ],
)
def test_a_misfit_is_named(text, why):
    with pytest.raises(ValueError, match=why):
        read_object(text, OpinionsShape)


def test_many_misfits_are_named_within_bounds():
    with pytest.raises(ValueError, match=r"and 14 more$"):
        read_object(json.dumps({"opinions": [{}] * 20}), OpinionsShape)


def test_a_schema_asks_for_nothing_that_only_rules_may_say():
    assert "reproducible" not in schema_of(ReviewShape)
    assert json.loads(schema_of(ReviewShape))["required"] == ["decision"]


async def test_the_tester_explains_failing_tests_to_the_next_round(tmp_path):
    maker = (MAKES, Act(edits={"src/work.py": "value = 2\n"}))
    tester = ScriptedAgent(Act(text="line 1 adds where it should multiply"), name="analyst")
    _, harness = a_stage(
        tmp_path,
        APPROVES,
        maker=maker,
        scenes=RED_THEN_GREEN,
        roles={Role.TESTER: tester},
    )
    assert (await harness.drive()).ending is Ending.VERIFIED
    (asked,) = tester.briefs
    assert (asked.role, asked.failures[0].test, asked.answer) == (Role.TESTER, "t::a", None)
    assert "+value = 1" in asked.prompt
    assert "line 1 adds where it should multiply" in harness.agent.briefs[1].prompt
    texts = [e.body for e in harness.log.replay(TraceId("run-1")) if isinstance(e.body, PhaseCompleted)]
    assert texts[-1].phase == "analysis"


async def test_nobody_explains_where_nobody_is_asked_to(tmp_path):
    maker = (MAKES, Act(edits={"src/work.py": "value = 2\n"}))
    _, harness = a_stage(tmp_path, APPROVES, maker=maker, scenes=RED_THEN_GREEN)
    await harness.drive()
    assert "analyst" not in harness.agent.briefs[1].prompt


def test_json_that_is_nested_too_deeply_is_no_answer():
    with pytest.raises(ValueError, match="there is no JSON object"):
        read_object('{"findings": ' + "[" * 100_000 + "}", ReviewShape)
