"""Generators and coroutines are driven to their end, and what they gave before an exception counts."""

import pytest

from setpoint_probe.calls.driven import ASYNC_ITERATOR, COROUTINE, ITERATOR, driven


def _two_of_three():
    yield 1
    yield 2
    raise KeyError("third")


def _ending():
    yield 1
    return "done"


async def _later():
    return 5


async def _both():
    yield 1
    yield 2


def _endless():
    while True:
        yield 0


@pytest.mark.parametrize(
    ("value", "items", "of"),
    [
        (_two_of_three(), [1, 2, "raises KeyError"], ITERATOR),
        (_ending(), [1, ("returns", "done")], ITERATOR),
        (_later(), 5, COROUTINE),
        (_both(), [1, 2], ASYNC_ITERATOR),
        ([1], [1], ""),
    ],
)
def test_what_comes_out_is_told_with_what_it_came_out_of(value, items, of):
    assert driven(value) == (items, of)


def test_what_never_ends_is_driven_within_a_bound():
    items, _ = driven(_endless())

    assert set(items) == {0}


def test_an_exception_before_the_first_item_is_raised():
    with pytest.raises(ZeroDivisionError):
        driven(1 / each for each in [0])
