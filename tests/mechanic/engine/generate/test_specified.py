"""Behaviour that is specified, told from behaviour that is merely there; and tests that add nothing."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from mechanic.engine.generate.test_generate import run_tests
from setpoint_mechanic.engine.generate.rows import name_of_row
from setpoint_mechanic.engine.generate.specified import (
    CONTRADICTS,
    ERROR,
    EXAMPLE,
    MEETS,
    TYPE,
    Specification,
    compared,
)
from setpoint_mechanic.engine.generate.specified import specified as by

POSTAGE = '''
    def postage(weight: int) -> int:
        """Tell the postage.

        >>> postage(2)
        3
        >>> postage(20)
        9

        Raises:
            ValueError: for weights below 0.
        """
        if weight < 0:
            raise ValueError("weight")
        if weight == 0:
            return 0
        return 8 if weight > 10 else 3


    def size(letter):
        if letter == "s":
            return "small"
        if letter == "m":
            return "medium"
        if letter == "l":
            return "large"
        return None
'''


@pytest.mark.parametrize(
    ("value", "want", "is_so"),
    [
        (3, "3\n", MEETS),
        ([1, 2], "[1,2]", MEETS),
        ("a", "a", MEETS),
        (8, "9", CONTRADICTS),
        (8, "'9'", ""),
        (object(), "<Thing>", ""),
    ],
)
def test_a_value_is_compared_with_what_its_example_shows(value, want, is_so):
    assert compared(value, want) == is_so


@pytest.mark.parametrize(
    ("text", "error", "is_so"),
    [
        ("Do.\n\nRaises:\n    KeyError: where it is not there.", "KeyError", True),
        ("Do.\n\n:raises shop.Closed: at night", "shop.Closed", True),
        ("Raise nothing, or raises a ``TypeError``.", "TypeError", True),
        ("Do.\n\nReturns:\n    ValueError as a value.", "ValueError", False),
        ("", "ValueError", False),
    ],
)
def test_a_documented_error_is_specified(text, error, is_so):
    tree = ast.parse(f"class Shop:\n    def sell(self):\n        {text!r}\n")

    assert Specification(tree).raises("Shop.sell", error) is is_so


def test_what_is_specified_says_by_what():
    promises = Specification(ast.parse(dedent(POSTAGE)))
    value = {"meets": "", "error": "", "check": "type({}).__name__ == 'int'"}

    assert by({**value, "meets": MEETS}, "postage", promises) == EXAMPLE
    assert by({**value, "error": "ValueError"}, "postage", promises) == ERROR
    assert by({**value, "error": "KeyError"}, "postage", promises) == ""
    assert by(value, "postage", promises) == TYPE
    assert by(value, "size", promises) == ""
    assert by({**value, "check": "{} == 3"}, "postage", promises) == ""


def test_a_row_has_the_name_of_its_draft():
    assert name_of_row("test_size[gives_small]") == "test_size_gives_small"
    assert name_of_row("test_size_gives_none") == "test_size_gives_none"


def test_specified_tests_come_first_and_equal_ones_become_rows(project, cover):
    root = project(postage=POSTAGE)

    result = cover(root, "postage.py", "postage", wall_s=20.0)

    kinds = [bool(test.specified) for test in result.tests]
    assert kinds == sorted(kinds, reverse=True)
    assert {test.specified for test in result.tests} >= {"", ERROR}
    assert result.contradicted == ["postage: postage.postage(20) is not 9"]
    assert "postage(20)" not in result.text
    assert "# Specified" in result.text
    assert "# Pinned" in result.text
    assert "def test_size(letter, expected):" in result.text
    done = run_tests(root, "-W", "error")
    assert done.returncode == 0, done.stdout


def test_what_tests_notice_already_calls_for_no_new_one(project, cover):
    root = project(postage=POSTAGE)
    first = cover(root, "postage.py", "postage", wall_s=20.0)

    again = cover(root, "postage.py", "postage", wall_s=20.0, tests=("tests/test_pinned.py",), seed=1)

    assert len(first.tests) > 3
    assert (again.status, again.text, again.tests) == ("nothing", "", [])
    assert "what the present tests do not" in again.reason
    assert again.seconds["present"] > 0
