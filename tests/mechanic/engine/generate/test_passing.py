"""Whether the test of a case notices what else came of it."""

from __future__ import annotations

import pytest

from setpoint_mechanic.engine.generate.passing import would_pass
from setpoint_mechanic.engine.generate.trial import Outcome, environment


def value(*checks, after=(), wrap="{}"):
    return Outcome("value", wrap, checks, tuple(after))


NAMES = environment(pytest, "pytest")


@pytest.mark.parametrize(
    ("test", "came"),
    [
        (value("{} == {{'x': 1, 'y': 2}}"), value("{} == {{'y': 2, 'x': 1}}")),
        (value("{} == [{{1: 'a', 2: 'b'}}]"), value("{} == [{{2: 'b', 1: 'a'}}]")),
        (value("{} == 1"), value("{} is True")),
        (value("{} == [0]"), value("{} == [False]")),
        (value("{} == 3"), value("{} == 3", after=[("items", "{} == []")])),
        (
            value("{} is None", after=[("bag", "{} == {{1: 2, 3: 4}}")]),
            value("{} is None", after=[("bag", "{} == {{3: 4, 1: 2}}")]),
        ),
        (value("type({}).__name__ == 'A'"), value("type({}).__name__ == 'A'", "{}.size == 3")),
        (Outcome("error", error="LookupError"), Outcome("error", error="KeyError")),
    ],
)
def test_what_no_assertion_tells_apart_is_not_noticed(test, came):
    assert test.told != came.told
    assert would_pass(test, came, NAMES)


@pytest.mark.parametrize(
    ("test", "came"),
    [
        (value("{} == {{'x': 1}}"), value("{} == {{'x': 2}}")),
        (value("{} is True"), value("{} == 1")),
        (value("{} == 3", after=[("items", "{} == []")]), value("{} == 3")),
        (value("{} == []"), value("{} == []", wrap="list({})")),
        (value("{} == 3"), value("type({}).__name__ == 'Box'")),
        (value("{} == a.b"), value("{} == a.c")),
        (value("{} == 3"), Outcome("error", error="KeyError")),
        (Outcome("error", error="KeyError"), Outcome("error", error="LookupError")),
        (Outcome("error", error="KeyError", line=1), Outcome("error", error="KeyError", line=0)),
    ],
)
def test_what_an_assertion_tells_apart_is_noticed(test, came):
    assert not would_pass(test, came, NAMES)
