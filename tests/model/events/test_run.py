"""Events: closed, written and read without loss."""

from typing import get_args

import pytest
from pydantic import ValidationError

from model.examples import AT, EXAMPLES, ORDER
from setpoint.model.events import BODY, Body, Event
from setpoint.model.ids import EventId


def test_there_is_an_example_of_every_event():
    union, _ = get_args(Body)
    assert [type(body) for body in EXAMPLES.values()] == list(get_args(union))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_what_is_written_is_read_again(kind):
    body = EXAMPLES[kind]
    event = Event(id=EventId("e1"), trace_id=ORDER.trace_id, seq=1, at=AT, key="k", body=body)
    assert BODY.validate_json(BODY.dump_json(body)) == body
    assert Event.model_validate_json(event.model_dump_json()) == event


def test_what_is_not_known_is_refused():
    with pytest.raises(ValidationError, match="kind"):
        BODY.validate_python({"kind": "run.imagined"})
    with pytest.raises(ValidationError, match="extra"):
        BODY.validate_python({"kind": "run.resumed", "process": 1, "mood": "good"})


def test_an_event_does_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        EXAMPLES["run.resumed"].process = 2
