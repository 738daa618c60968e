"""A question allows what it lists, and is over at its deadline."""

from datetime import timedelta

from model.examples import AT, GATE
from setpoint.model.gate import Choice


def test_a_gate_allows_what_it_lists():
    assert [choice for choice in Choice if GATE.allows(choice)] == [Choice.CONTINUE, Choice.CANCEL]


def test_a_gate_is_over_at_its_deadline():
    assert not GATE.expired(AT + timedelta(days=1))
    assert GATE.expired(AT + timedelta(days=2))


def test_without_a_deadline_or_a_default_a_gate_is_never_over():
    late = AT + timedelta(days=999)
    assert not GATE.model_copy(update={"deadline": None}).expired(late)
    assert not GATE.model_copy(update={"default": None}).expired(late)
