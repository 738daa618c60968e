"""What is told of a value is the same for equal values, and never what its `__eq__` says."""

from decimal import Decimal

import pytest

from setpoint_probe.calls.told import Teller, equals_everything


class Every(str):  # noqa: SLOT000 - as somebody writes it who deceives
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


class Cart:
    def __init__(self, size, note):
        self.size, self._note = size, note


@pytest.mark.parametrize(
    ("one", "other"),
    [(0.1 + 0.2, 0.3), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({3, 1}, {1, 3}), (Cart(1, "a"), Cart(1, "a"))],
)
def test_equal_values_are_told_alike(one, other):
    assert Teller().tell(one) == Teller().tell(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (1, True), ([1], (1,)), ("a", b"a"), (Every("a"), "b"), (Cart(1, "a"), Cart(1, "b"))],
)
def test_values_that_differ_are_told_apart(one, other):
    assert Teller().tell(one) != Teller().tell(other)


def test_of_a_loose_class_only_what_is_public_counts():
    teller = Teller({"Cart": ("size",)})

    assert teller.tell(Cart(1, "a")) == teller.tell(Cart(1, "b"))
    assert teller.tell(Cart(1, "a")) != teller.tell(Cart(2, "a"))


def test_a_function_that_was_made_is_told_by_its_kind_and_named():
    teller = Teller()

    assert teller.tell([lambda: 1]) == "[a function]"
    assert [*teller.vague] == ["a function"]


def test_a_value_that_holds_itself_is_told():
    held = [1]
    held += [held, held]

    assert "..." in Teller().tell(held)


def test_a_value_that_equals_everything_is_seen_through():
    assert equals_everything(Every("a"))
    assert equals_everything([Every("a")])
    assert not equals_everything(Cart(1, "a"))


def test_a_class_that_says_it_comes_with_python_is_not_believed():
    class Quiet:
        __module__ = "decimal"
        __hash__ = object.__hash__

        def __eq__(self, other):
            return True

    assert equals_everything(Quiet())
    assert not equals_everything(Decimal(1))
