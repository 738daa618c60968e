"""How a run stands is told from its events alone, at any moment of it."""

import json

import pytest

from setpoint.errors import RunWaiting
from setpoint.model.attempt import BreakageKind
from setpoint.model.config.limits import Limits
from setpoint.model.events.run import PhaseEntered
from setpoint.model.gate import Answer, Choice, Escalation, Grant, OnLimit, Via
from setpoint.model.ids import TraceId
from setpoint.presets.classic import CLASSIC
from setpoint.stories.policy.run_progress import phase_progress_of
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

APPROVING = Act(text='{"decision": "approve", "findings": []}')


def rejecting(category, number):
    finding = {
        "severity": "error",
        "category": category,
        "message": f"problem {number}",
        "file": "src/work.py",
    }
    return Act(text=json.dumps({"decision": "request_changes", "findings": [finding]}))


def a_stage(tmp_path, *, reviews=(APPROVING,), scenes=None, acts=None, **limits):
    acts = acts or [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 12)]
    return RunHarness(
        agent=ScriptedAgent(*acts),
        reviewer=ScriptedAgent(*reviews, name="reviewer"),
        evaluator=ScriptedEvaluator(*(scenes or [Scene()]), base=Scene(failing=("t::a", "t::b"))),
        folder=tmp_path,
        limits=Limits(**limits),
    )


def red(*names):
    return Scene(failing=names)


def entered_as_proposed(events):
    """See that each phase was what its run would have been told to do next; gives their number."""
    entered = [place for place, event in enumerate(events) if isinstance(event.body, PhaseEntered)]
    for place in entered:
        standing = phase_progress_of(events[:place])
        assert standing.next_phase == events[place].body.phase, f"event {place}"
        assert events[place].body.phase not in standing.complete
    return len(entered)


COURSES = {
    "at once": {},
    "tests fail twice": {"scenes": [red("t::a", "t::b"), red("t::a"), Scene()]},
    "rejected, then approved": {"reviews": [rejecting("correctness", 1), APPROVING]},
    "misunderstood": {"reviews": [rejecting("misunderstanding", 1), rejecting("architecture", 2), APPROVING]},
    "restarted": {"scenes": [red("t::a")] * 9, "max_iterations": 8},
    "sent to plan, then restarted": {"reviews": [rejecting("design", 1)] * 9, "max_iterations": 8},
    "given up": {"scenes": [red(f"t::{number}", "t::b") for number in range(9)], "max_iterations": 3},
    "nothing changed": {"acts": [Act(text="done")]},
}


@pytest.mark.parametrize("name", COURSES)
async def test_what_is_proposed_next_is_what_the_run_does_next(tmp_path, name):
    harness = a_stage(tmp_path, **COURSES[name])
    await harness.drive()
    assert entered_as_proposed(harness.log.replay(TraceId("run-1"))) > 3


async def test_each_return_is_told_with_its_result(tmp_path):
    harness = a_stage(
        tmp_path, reviews=[rejecting("misunderstanding", 1), rejecting("security", 2), APPROVING]
    )
    await harness.drive()
    events = harness.log.replay(TraceId("run-1"))

    standing = phase_progress_of(events)

    told = [
        (each.iteration, each.agent_type, each.review_feedback, each.result) for each in standing.refinements
    ]
    assert told == [
        (1, "research", "Review failed: 1 error", "failed"),
        (2, "implement", "Review failed: 1 error", "passed"),
    ]
    assert standing.succeeded
    assert (standing.next_phase, standing.target, standing.last_error) == ("", "", "")
    assert standing.refinements[0].started_at.endswith("Z")
    assert set(standing.texts) == {"research", "plan"}
    halfway = next(
        each
        for place in range(1, len(events))
        if (each := phase_progress_of(events[:place])).target == "implement"
    )
    assert halfway.refinements[-1].result == "in_progress"
    assert halfway.complete == ("research", "plan")


async def test_the_circuit_breaker_is_told_in_the_words_of_the_guard(tmp_path):
    limits = {**CLASSIC, "stagnation": False, "diminishing_returns": False}
    harness = a_stage(tmp_path, reviews=[rejecting("correctness", number) for number in range(9)], **limits)
    await harness.drive()

    standing = phase_progress_of(harness.log.replay(TraceId("run-1")))

    assert (len(standing.refinements), standing.limit) == (3, 3)
    assert [each.result for each in standing.refinements] == ["failed"] * 3
    assert "3/3" in standing.last_error
    assert standing.finished
    assert not standing.succeeded


@pytest.mark.parametrize("rejected", [0, 1])
async def test_a_reviewer_that_breaks_raises_no_count(tmp_path, rejected):
    broken = [Act(breakage=BreakageKind.MODEL)] * 9
    harness = a_stage(tmp_path, reviews=[*[rejecting("correctness", 1)] * rejected, *broken])
    outcome = await harness.drive()

    standing = phase_progress_of(harness.log.replay(TraceId("run-1")))

    assert "review missing" in outcome.reason
    assert len(standing.refinements) == rejected
    assert not standing.succeeded


async def test_failing_tests_are_counted_in_the_feedback(tmp_path):
    harness = a_stage(tmp_path, scenes=[red("t::a", "t::b"), red("t::a"), Scene()])
    await harness.drive()
    standing = phase_progress_of(harness.log.replay(TraceId("run-1")))
    assert [each.review_feedback.split(": ")[1] for each in standing.refinements] == [
        "2 failing tests",
        "1 failing test",
    ]


async def test_a_maker_that_broke_has_made_nothing(tmp_path):
    harness = a_stage(tmp_path, acts=[Act(breakage=BreakageKind.AUTH)])
    await harness.drive()
    standing = phase_progress_of(harness.log.replay(TraceId("run-1")))
    assert standing.complete == ("research", "plan")
    assert "broke" in standing.last_error


@pytest.mark.parametrize("new_approach", [False, True])
async def test_a_run_that_waits_says_so_and_goes_on_with_the_making(tmp_path, new_approach):
    scenes = [red("t::a", "t::b"), red("t::a"), red("t::b"), Scene()]
    harness = a_stage(tmp_path, scenes=scenes, max_iterations=2)
    harness.escalation = Escalation()
    with pytest.raises(RunWaiting):
        await harness.drive()
    waits = phase_progress_of(harness.log.replay(TraceId("run-1")))
    assert (waits.waiting, waits.finished) == (True, False)
    assert "2 of 2 iterations" in waits.last_error

    grant = Grant(iterations=3)
    answer = Answer(choice=Choice.CONTINUE, by="Ann", via=Via.CLI, grant=grant, new_approach=new_approach)
    harness.answer("escalation-2", answer)
    answered = phase_progress_of(harness.log.replay(TraceId("run-1")))
    assert (answered.waiting, answered.last_error, answered.target) == (False, "", "implement")
    await harness.drive()
    assert entered_as_proposed(harness.log.replay(TraceId("run-1"))) > 8


def test_no_events_are_no_run():
    assert phase_progress_of(()) is None


async def test_work_that_is_not_enough_leaves_the_last_phase_undone(tmp_path):
    unproven = Scene(unproven=("witness",))
    harness = a_stage(tmp_path, scenes=[unproven] * 3, max_iterations=2)
    harness.escalation = Escalation(on_limit=OnLimit.SKIP)
    await harness.drive()
    standing = phase_progress_of(harness.log.replay(TraceId("run-1")))
    assert "test" not in standing.complete
    assert {"evaluate", "review"} <= set(standing.complete)
    assert not standing.succeeded
