"""R4's flow: rejected work goes back to the right phase, at most three times; then a person has to look."""

import json

from setpoint.model.attempt import BreakageKind
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.run import PhaseBounce, PhaseCompleted
from setpoint.model.ids import TraceId
from setpoint.settings import CLASSIC
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator


def rejecting(category, number, severity="error", *, findings=1):
    found = [
        {
            "severity": severity,
            "category": category,
            "message": f"problem {number}{'abcdefgh'[place]}",
            "file": "src/work.py",
            "line": number,
        }
        for place in range(findings)
    ]
    return Act(text=json.dumps({"decision": "request_changes", "findings": found}))


APPROVING = Act(text='```json\n{"decision": "approve", "findings": []}\n```')


def a_stage(tmp_path, *reviews, limits=None):
    agent = ScriptedAgent(*(Act(edits={"src/work.py": f"value = {round_}\n"}) for round_ in range(1, 9)))
    reviewer = ScriptedAgent(*reviews, name="reviewer")
    limits = limits or Limits(**CLASSIC)
    return RunHarness(
        agent=agent, reviewer=reviewer, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path, limits=limits
    )


def events_of(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


async def test_rejected_twice_then_approved(tmp_path):
    harness = a_stage(tmp_path, rejecting("correctness", 1), rejecting("correctness", 2), APPROVING)

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    bounces = events_of(harness, PhaseBounce)
    assert [(each.source, each.target, each.bounce) for each in bounces] == [
        ("review", "implement", 1),
        ("review", "implement", 2),
    ]
    assert "problem 1" in harness.agent.briefs[1].prompt


async def test_the_circuit_breaks_after_three_reworks(tmp_path):
    reviews = (rejecting("correctness", number, findings=6 - number) for number in range(1, 6))
    harness = a_stage(tmp_path, *reviews)

    outcome = await harness.drive()

    assert outcome.ending is Ending.STOPPED
    assert outcome.halt is not None
    assert outcome.halt.guard == "max_refinement_attempts"
    assert "3/3" in outcome.reason
    assert outcome.iterations == 4  # the first attempt and three reworks
    assert (
        outcome.branch == "unverified/setpoint/work"
    )  # it breaks nothing, so it is offered, and said to be unverified
    assert "not verified" in harness.forge.branches["unverified/setpoint/work"].message


async def test_a_misunderstanding_goes_back_to_research(tmp_path):
    harness = a_stage(tmp_path, rejecting("misunderstanding", 1), APPROVING)

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    assert [each.target for each in events_of(harness, PhaseBounce)] == ["research"]
    thought = [(each.phase, each.iteration) for each in events_of(harness, PhaseCompleted)]
    assert thought == [("research", 0), ("plan", 0), ("research", 1), ("plan", 1)]


async def test_a_wrong_architecture_goes_back_to_plan(tmp_path):
    harness = a_stage(tmp_path, rejecting("architecture", 1), APPROVING)

    await harness.drive()

    assert [each.target for each in events_of(harness, PhaseBounce)] == ["plan"]
    thought = [(each.phase, each.iteration) for each in events_of(harness, PhaseCompleted)]
    assert thought == [("research", 0), ("plan", 0), ("plan", 1)]


async def test_minor_findings_alone_are_asked_about_and_not_bounced(tmp_path):
    harness = a_stage(tmp_path, rejecting("style", 1, severity="warning"), APPROVING)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.bounces) == (Ending.VERIFIED, 0)


async def test_a_reviewer_that_breaks_leaves_the_work_unproven(tmp_path):
    harness = a_stage(tmp_path, *(Act(breakage=BreakageKind.MODEL) for _ in range(9)))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.UNPROVEN, 1)
    assert "review missing" in outcome.reason


async def test_a_reviewer_is_asked_again_when_its_answer_cannot_be_read(tmp_path):
    harness = a_stage(tmp_path, Act(text="Looks good to me!"), APPROVING)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)


async def test_a_reviewer_may_want_a_person(tmp_path):
    harness = a_stage(tmp_path, Act(text='{"decision": "require_human", "findings": []}'))

    outcome = await harness.drive()

    assert outcome.ending is Ending.ESCALATED
    assert "person" in outcome.reason
