"""Statements outside functions that a change touches."""

from setpoint.checks.proof.sensitivity.outside_functions import changed_outside

OLD = b'''"""Doc."""
import os

LIMIT = 3
TABLE = {"a": 1, "b": lambda n: n}
__all__ = ["LIMIT"]


class Cart(dict):
    """A cart."""

    size: int = 2

    def total(self):
        return 1


if __name__ == "__main__":
    print(LIMIT)
'''


def said(new):
    return [(each.line, each.last, each.stood) for each in changed_outside("a.py", OLD, new)]


def test_a_changed_value_is_told_from_a_new_one():
    assert said(OLD.replace(b"LIMIT = 3", b"LIMIT = 4\nMORE = (\n    1,\n)")) == [(4, 4, True), (5, 7, False)]
    assert said(OLD.replace(b"size: int = 2", b"size: int = 3")) == [(12, 12, True)]
    assert said(OLD.replace(b'"a": 1', b'"a": 2')) == [(5, 5, True)]
    (only,) = changed_outside("a.py", OLD, OLD.replace(b"LIMIT = 3", b"LIMIT  =  4"))
    assert str(only) == "a.py:4 (LIMIT = 4)"


def test_what_tests_cannot_notice_is_left_out():
    same = (
        OLD.replace(b"Doc", b"Docs").replace(b"import os", b"import sys").replace(b"size: int", b"size: str")
        .replace(b'["LIMIT"]', b"[]").replace(b"lambda n: n", b"lambda n: n + 1")
        .replace(b"return 1", b"return 2").replace(b"print(LIMIT)", b"print(1)")
    )  # fmt: skip

    assert said(same) == []


def test_the_head_of_a_class_counts_and_a_file_that_cannot_be_parsed_has_nothing():
    assert said(OLD.replace(b"Cart(dict)", b"Cart(list)")) == [(9, 9, True)]
    assert said(b"def f(:") == []
