"""The same call with the same result in a row is going in circles; anything in between is not."""

from setpoint.inner.policy.repetition import Repeats
from setpoint.model.attempt import ToolCall


def call(word):
    return ToolCall(id="1", name="bash", result_hash=word)


def times(limit, *words):
    repeats = Repeats(limit)
    return [repeats.seen(call(word)) for word in words]


def test_the_same_call_in_a_row_is_counted():
    assert times(3, "a", "a", "a", "a") == [False, False, True, True]


def test_another_call_in_between_begins_anew():
    assert times(3, "a", "a", "b", "a", "a", "b") == [False] * 6


def test_calls_that_tell_nothing_are_never_the_same():
    assert times(2, "", "", "", "") == [False] * 4


def test_without_a_limit_nothing_is_too_often():
    assert times(None, *"aaaaaa") == [False] * 6
