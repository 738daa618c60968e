"""Values near to a value keep its type, and some keep what is special in it."""

import datetime as dt
import enum
from decimal import Decimal

import pytest

from setpoint_probe.calls.neighbours import is_boundary, leaves, near


@pytest.mark.parametrize(
    "value", [3, 2.5, "Größe", b"ab", [1, 2], (1, 2), {1, 2}, {"a": 1}, Decimal("1.5"), dt.date(2024, 2, 29)]
)
def test_neighbours_are_others_of_the_same_type(value):
    found = list(near(value))

    assert len(found) >= 5
    assert all(isinstance(each, type(value)) and each != value for each in found)


def test_most_texts_keep_a_special_letter():
    assert sum("ß" in each for each in near("Größe")) > 10


def test_digits_stay_digits():
    assert "1h40m" in list(near("1h30m"))


def test_a_number_is_tried_in_steps_that_keep_its_remainders():
    assert {25, 35, 5, 115} <= set(near(15))
    assert 2.5 in list(near(2.2))


def test_an_object_is_varied_by_its_attributes_and_stays_as_it_is():
    class Cart:
        def __init__(self):
            self.items = [1, 2]

    cart = Cart()

    assert {tuple(each.items) for each in near(cart)} > {(1,), (2,)}
    assert cart.items == [1, 2]


def test_a_member_has_the_other_members():
    colour = enum.Enum("colour", "RED BLUE")

    assert list(near(colour.RED)) == [colour.BLUE]


@pytest.mark.parametrize("value", [None, True, 0, 1, "", "a", [], [0], {}, float("nan"), len, int])
def test_a_value_of_its_own_kind_is_at_a_boundary(value):
    assert is_boundary(value)


@pytest.mark.parametrize("value", [15, 2.5, "ab", [1, 2], {"a": 1}])
def test_an_ordinary_value_is_not(value):
    assert not is_boundary(value)


def test_leaves_are_the_numbers_and_texts_inside():
    assert list(leaves({"a": [1, ("b", True)]})) == ["a", 1, "b"]
