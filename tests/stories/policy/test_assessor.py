"""What is done next: rework first, nothing that is done again, and a person's word where it is newer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.ending import Ending
from setpoint.model.stories.board import ActionKind, Card, PhaseProgress
from setpoint.model.stories.story import Refinement, Status, StoryRecord
from setpoint.stories.policy.assessor import AUTOMATIC, PRIORITY, assess, by_urgency, column

PHASES = ("research", "plan", "implement", "evaluate", "review", "test", "deliver")
JUDGING = PHASES[3:]
ONCE = Refinement(
    iteration=1,
    agent_type="implement",
    started_at="2026-01-01T00:00:00Z",
    review_feedback="wrong",
    result="failed",
)


def standing(**values):
    done = values.pop("done", 0)
    given = {
        "trace_id": "run-1",
        "phases": PHASES,
        "judging": JUDGING,
        "complete": PHASES[:done],
        "next_phase": PHASES[done] if done < len(PHASES) else "",
        "limit": 3,
    }
    return PhaseProgress(**{**given, **values})


def record(status=None, last_run="run-1", count=0):
    return StoryRecord(status=status, last_run=last_run, refinement_count=count)


@pytest.mark.parametrize(
    ("done", "kind"),
    [
        (0, ActionKind.THINK),
        (1, ActionKind.THINK),
        (2, ActionKind.MAKE),
        (3, ActionKind.JUDGE),
        (4, ActionKind.JUDGE),
        (5, ActionKind.JUDGE),
        (6, ActionKind.DELIVER),
    ],
)
def test_a_run_goes_on_with_the_first_phase_that_is_not_done(done, kind):
    action = assess(record(Status.IN_PROGRESS), standing(done=done))
    assert (action.kind, action.phase, action.automatic) == (kind, PHASES[done], True)
    assert action.trace_id == "run-1"


def test_rework_says_how_often_and_why():
    action = assess(record(Status.REWORK), standing(done=2, target="implement", refinements=(ONCE,)))
    assert (action.kind, action.phase, action.priority) == (ActionKind.REWORK, "implement", 450)
    assert "1/3" in action.reason
    assert "wrong" in action.reason
    assert action.shown == "rework(implement)"


def test_rework_goes_before_all_else():
    assert max(PRIORITY, key=PRIORITY.get) is ActionKind.REWORK
    assert min(PRIORITY[kind] for kind in AUTOMATIC) > max(
        PRIORITY[kind] for kind in set(PRIORITY) - AUTOMATIC
    )


COLUMNS = [
    (record(), None, Status.READY),
    (record(Status.BACKLOG, ""), None, Status.BACKLOG),
    (record(Status.DONE, ""), None, Status.DONE),
    (record(Status.IN_PROGRESS), None, Status.IN_PROGRESS),
    (record(Status.IN_PROGRESS), standing(done=1), Status.IN_PROGRESS),
    (record(Status.IN_PROGRESS), standing(done=3), Status.IN_REVIEW),
    (record(Status.IN_PROGRESS), standing(done=2, target="implement"), Status.REWORK),
    (record(Status.BACKLOG), standing(done=2), Status.BACKLOG),
    (record(Status.BACKLOG), standing(done=2, alive=True), Status.IN_PROGRESS),
    (record(Status.BACKLOG, "run-0"), standing(done=2), Status.IN_PROGRESS),
    (record(Status.IN_PROGRESS), standing(done=3, waiting=True), Status.BLOCKED),
    (record(Status.DONE), standing(ending=Ending.VERIFIED), Status.DONE),
    (record(Status.IN_PROGRESS), standing(ending=Ending.VERIFIED), Status.DONE),
    (record(Status.READY), standing(ending=Ending.VERIFIED), Status.READY),
    (record(Status.READY, "run-0"), standing(ending=Ending.VERIFIED), Status.DONE),
    (record(Status.BLOCKED, count=1), standing(ending=Ending.STOPPED, refinements=(ONCE,)), Status.BLOCKED),
    (record(Status.BLOCKED, count=0), standing(ending=Ending.STOPPED, refinements=(ONCE,)), Status.READY),
    (record(Status.BLOCKED, count=0), standing(ending=Ending.STOPPED), Status.BLOCKED),
    (record(Status.READY), standing(ending=Ending.STOPPED), Status.READY),
    (record(Status.DONE), standing(ending=Ending.STOPPED), Status.DONE),
]


@pytest.mark.parametrize(("kept", "run", "expected"), COLUMNS)
def test_the_log_knows_the_runs_and_the_file_what_a_person_decided_since(kept, run, expected):
    assert column(kept, run) is expected


@pytest.mark.parametrize(
    ("kept", "run", "kind"),
    [
        (record(), None, ActionKind.START),
        (record(Status.BACKLOG, ""), None, ActionKind.REST),
        (record(Status.DONE), standing(ending=Ending.VERIFIED), ActionKind.REST),
        (record(Status.READY), standing(ending=Ending.VERIFIED), ActionKind.START),
        (record(Status.BLOCKED), standing(ending=Ending.BROKEN_AGENT), ActionKind.LOOK),
        (record(Status.BLOCKED), standing(done=3, waiting=True), ActionKind.ANSWER),
        (record(Status.IN_PROGRESS), standing(done=3, alive=True), ActionKind.WAIT),
        (record(Status.IN_REVIEW), None, ActionKind.LOOK),
    ],
)
def test_what_may_be_done(kept, run, kind):
    action = assess(kept, run)
    assert action.kind is kind
    assert action.automatic == (kind in AUTOMATIC)
    assert action.reason


@given(
    status=st.none() | st.sampled_from(Status),
    last_run=st.sampled_from(["", "run-0", "run-1"]),
    count=st.integers(0, 3),
    done=st.integers(0, 6),
    ending=st.none() | st.sampled_from(Ending),
    alive=st.booleans(),
    waiting=st.booleans(),
    target=st.sampled_from(["", "research", "implement"]),
)
def test_nothing_that_is_done_is_proposed_again(
    status, last_run, count, done, ending, alive, waiting, target
):
    kept = StoryRecord(status=status, last_run=last_run, refinement_count=count)
    unfinished = ending is None
    place = PHASES.index(target) if target and unfinished else done
    run = standing(
        done=min(done, place), ending=ending, alive=alive and unfinished, waiting=waiting and unfinished,
        target=target if unfinished else "", refinements=(ONCE,),
    )  # fmt: skip
    action = assess(kept, run)
    if action.automatic and action.kind is not ActionKind.START:
        assert action.phase not in run.complete
        assert not run.finished
    if action.kind is ActionKind.START:
        assert run.finished or last_run != run.trace_id or status is Status.READY
        assert last_run == run.trace_id  # only a person's newer word begins another run
    if run.alive:
        assert action.kind is ActionKind.WAIT


def test_the_board_is_sorted_by_action_then_priority_then_name():
    def card(name, run, priority):
        return Card(
            id=name, title=name, path=name, status=Status.READY, priority=priority,
            action=assess(record(Status.IN_PROGRESS) if run else record(), run),
        )  # fmt: skip

    cards = [
        card("new-b", None, 900),
        card("new-a", None, 900),
        card("low", None, 1),
        card("judged", standing(done=4), 5),
        card("rework", standing(done=2, target="implement", refinements=(ONCE,)), 1),
    ]
    assert [each.id for each in by_urgency(cards)] == ["rework", "judged", "new-a", "new-b", "low"]
