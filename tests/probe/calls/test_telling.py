"""What is told of a value is the same for equal values, and never what its `__eq__` says."""

import pytest

from setpoint_probe.calls.telling import Teller, fingerprint, shortened


class Every(str):  # noqa: SLOT000 -- as somebody writes it who deceives
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


class Cart:
    def __init__(self, size, note):
        self.size, self._note = size, note


class SameCart:
    def __init__(self, size):
        self.size = size
        self._note = str(size)

    def total(self):
        return self.size


class OtherCart:
    def __init__(self, size):
        self._rows = [size]


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


def test_a_value_that_holds_itself_is_told():
    held = [1]
    held += [held, held]

    assert "..." in Teller().tell(held)


def test_addresses_are_left_out():
    assert Teller().tell([object(), lambda: 1]) == "[object <object object at 0x>, a function]"


def test_classes_whose_objects_hold_the_same_have_one_fingerprint():
    assert fingerprint(Cart) == fingerprint(SameCart) != fingerprint(OtherCart)


def test_the_classes_of_objects_are_remembered():
    teller = Teller()
    teller.tell([Cart(1, OtherCart(2))])

    assert [name.rpartition(".")[2] for name in teller.prints()] == ["Cart", "OtherCart"]


def test_a_value_whose_text_cannot_be_made_is_shown_by_its_type():
    class Broken:
        def __repr__(self):
            raise ValueError

    assert (shortened(Broken()), len(shortened("x" * 200))) == ("Broken", 80)
