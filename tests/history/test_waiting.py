"""A run that waits for a person, as its history, its files and its progress tell it."""

import json

from model.examples import ANSWER, AT, EXAMPLES, GATE, ORDER
from setpoint.history.replay import history
from setpoint.history.reports.progress_file import progress
from setpoint.history.reports.run_report import html, markdown, scratchpad
from setpoint.model import events as e
from setpoint.model.gate import Choice
from setpoint.model.ids import EventId, GateId


def told(*bodies):
    begun = (EXAMPLES["run.started"], EXAMPLES["baseline.measured"], EXAMPLES["agent.finished"], *bodies)
    return tuple(
        e.Event(id=EventId(f"e{seq}"), trace_id=ORDER.trace_id, seq=seq, at=AT, key=str(seq), body=body)
        for seq, body in enumerate(begun, start=1)
    )


ASKED = e.GateOpened(gate=GATE)
ANSWERED = e.GateAnswered(gate=GATE.id, answer=ANSWER)


def test_it_waits_until_it_is_answered_cancelled_or_finished():
    assert history(told(ASKED)).waiting == GATE
    assert history(told(ASKED, ANSWERED)).waiting is None
    assert history(told(ASKED, e.CancelRequested(by="Ann"))).waiting is None
    assert history(told(ASKED, EXAMPLES["run.finished"])).waiting is None


def test_an_answer_to_nothing_is_none():
    stray = e.GateAnswered(gate=GateId("never"), answer=ANSWER)
    assert history(told(ASKED, stray)).waiting == GATE


def test_what_was_granted_counts_into_the_limits():
    assert history(told(ASKED, ANSWERED)).limits.max_iterations == ORDER.limits.max_iterations + 2
    assert progress(told(ASKED, ANSWERED)).feedback_loop.max_iterations == ORDER.limits.max_iterations + 2


def test_progress_names_the_question_and_the_commands():
    shown = json.loads(progress(told(ASKED)).model_dump_json())
    assert shown["feedback_loop"]["status"] == "escalated"
    assert shown["run"]["waits_for"]["question"] == GATE.question
    assert shown["run"]["waits_for"]["answers"] == {
        "continue": f"setpoint answer continue 3 {ORDER.trace_id}",
        "cancel": f"setpoint answer cancel {ORDER.trace_id}",
    }
    after = progress(told(ASKED, ANSWERED))
    assert (after.feedback_loop.status, after.run.waits_for) == ("in_progress", None)


def test_the_files_a_person_opens_say_what_is_asked_and_how_to_answer():
    command = f"setpoint answer {Choice.CONTINUE} 3 {ORDER.trace_id}"
    for text in (markdown(told(ASKED)), html(told(ASKED))):
        assert "Waits for a person" in text
        assert GATE.question in text
        assert command in text
        assert "2026-02-03 12:00" in text
    assert "A person is asked: 7 of 7 iterations are used up" in scratchpad(told(ASKED))


def test_what_a_person_said_stands_in_them_afterwards():
    for text in (
        markdown(told(ASKED, ANSWERED)),
        html(told(ASKED, ANSWERED)),
        scratchpad(told(ASKED, ANSWERED)),
    ):
        assert "look at the rounding" in text
        assert "Waits for a person" not in text


def test_known_issues_of_accepted_work_are_listed():
    finished = EXAMPLES["run.finished"]
    outcome = finished.outcome.model_copy(update={"ending": "accepted", "known_issues": ("one is wrong",)})
    events = told(finished.model_copy(update={"outcome": outcome}))
    for text in (markdown(events), html(events)):
        assert "ACCEPTED" in text
        assert "not verified; gained: " in text
        assert "one is wrong" in text
    assert progress(events).feedback_loop.status == "accepted"
