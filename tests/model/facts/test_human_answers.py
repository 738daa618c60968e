"""What is read from people's answers: words for the maker, own changes, decisions against the loop."""

from datetime import UTC, datetime

from setpoint.model.attempt import Mode
from setpoint.model.events import Event
from setpoint.model.events.run import AgentFinished, GateAnswered
from setpoint.model.facts import human_answers
from setpoint.model.gate import Answer, Choice, Edited, Via
from setpoint.model.ids import Commit, GateId, TraceId, Tree
from setpoint.model.run import Snapshot

NOW = datetime(2026, 5, 1, tzinfo=UTC)
EDITED = Edited(commit=Commit("e" * 40), files=("a.py",), diff="+x")


def log(*bodies):
    return [
        Event(id=f"ev-{place}", trace_id=TraceId("run-1"), seq=place, at=NOW, key=str(place), body=body)
        for place, body in enumerate(bodies, 1)
    ]


def answered(choice, **more):
    values = {"by": "Ann", "via": Via.CLI, **more}
    return GateAnswered(gate=GateId("g"), answer=Answer(choice=choice, **values))


def made():
    snapshot = Snapshot(
        label="implement-1", commit=Commit("c" * 40), tree=Tree("d" * 40), parent=Commit("b" * 40)
    )
    return AgentFinished(
        phase="implement",
        iteration=1,
        mode=Mode.FIX,
        snapshot=snapshot,
        changed_against_base=True,
        diff_hash="x",
    )


def test_a_change_counts_until_the_maker_has_built_on_it():
    own = answered(Choice.APPROVE, edited=EDITED)
    assert human_answers.edited_since(log(made(), own)) == EDITED
    assert human_answers.edited_since(log(own, made())) is None
    assert human_answers.edited_since(log(made(), answered(Choice.APPROVE))) is None
    assert human_answers.edited_files(log(own, made())) == ("a.py",)


def test_words_reach_the_maker_whatever_the_answer_was_and_changes_are_named():
    events = log(
        answered(Choice.CONTINUE, instruction="mind the sign"),
        answered(Choice.APPROVE, instruction="only this one", edited=EDITED),
        answered(Choice.CONTINUE, instruction="nobody said so", via=Via.DEADLINE),
    )
    first, second = human_answers.instructions(events)
    assert first == "mind the sign"
    assert "Ann changed a.py by hand" in second
    assert second.endswith("only this one")
    assert human_answers.said(events) == (("Ann", "mind the sign"), ("Ann", "only this one"))


def test_what_overrides_the_loop_is_told_from_what_lets_it_go_on():
    assert not human_answers.overridden(log(answered(Choice.CONTINUE), answered(Choice.REJECT)))
    for choice, more in (
        (Choice.ACCEPT, {}),
        (Choice.APPROVE, {}),
        (Choice.CONTINUE, {"instruction": "x"}),
        (Choice.CONTINUE, {"edited": EDITED}),
    ):
        assert human_answers.overridden(log(answered(choice, **more)))
