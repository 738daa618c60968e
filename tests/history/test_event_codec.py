"""Recorded facts that were just read, made cheaply, and the same as any other event."""

import pickle

import pytest
from pydantic import ValidationError

from model.examples import AT, EXAMPLES
from setpoint.history.event_codec import known_event, read_body
from setpoint.model.events import BODY, Event
from setpoint.model.events.run import PhaseEntered

TOLD = {"trace_id": "run-1", "seq": 1, "at": AT, "key": "k"}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_kind_is_read_back_as_it_was(kind):
    body = EXAMPLES[kind]
    assert read_body(kind, body.model_dump_json()) == body


def test_what_is_known_is_the_event_that_would_have_been_checked():
    body = PhaseEntered(phase="plan")
    known, checked = known_event(id_="evt-1", body=body, **TOLD), Event(id="evt-1", body=body, **TOLD)
    assert known == checked
    assert repr(known) == repr(checked)
    assert known.model_dump_json() == checked.model_dump_json()
    assert pickle.loads(pickle.dumps(known)) == checked
    assert known.model_copy(update={"seq": 2}) == checked.model_copy(update={"seq": 2})
    assert known.model_fields_set == checked.model_fields_set
    with pytest.raises(ValidationError, match="frozen"):
        known.seq = 3


@pytest.mark.parametrize("kind", ["phase.entered", "moon.landed"])
def test_what_cannot_be_read_is_told_as_the_union_tells_it(kind):
    text = f'{{"kind": "{kind}", "mood": "hopeful"}}'
    with pytest.raises(ValidationError) as own:
        read_body(kind, text)
    with pytest.raises(ValidationError) as told:
        BODY.validate_json(text)
    assert own.value.errors() == told.value.errors()


def test_a_body_of_another_kind_than_its_row_is_read_by_its_own_word():
    body = PhaseEntered(phase="plan")
    assert read_body("phase.approved", body.model_dump_json()) == body
