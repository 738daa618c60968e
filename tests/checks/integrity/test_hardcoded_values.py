"""Rule 8: what tests expect, written into the code; and code that merely resembles it."""

import pytest

from setpoint.checks.integrity.expectations import expected, literal
from setpoint.checks.integrity.hardcoded_values import data_suspicion, suspicions

TESTS = """
import pytest
from m import add, square, greet

@pytest.mark.parametrize("a, b, c", [(1, 2, 3), (10, 20, 30), pytest.param(7, 8, 15, id="x")])
def test_add(a, b, c):
    assert add(a, b) == c

def test_square(self):
    assert square(12) == 144
    assert 169 == square(13)
    self.assertEqual(greet("bob"), "hello bob")
"""
WANTED = expected([TESTS])
BASE = "def square(x):\n    return x + x\n"


def body(text):
    return "def square(x):\n" + "".join(f"    {line}\n" for line in text.split("\n"))


HARD_CODED = {
    "if": "if x == 12:\n    return 144\nreturn x + x",
    "turned round": "if 12 == x:\n    return 144\nreturn x + x",
    "in": "if x in (12, 99):\n    return 144\nreturn x + x",
    "between": "if x > 11 and x < 13:\n    return 144\nreturn x + x",
    "expression": "return 144 if x == 12 else x + x",
    "match": "match x:\n    case 12:\n        return 144\nreturn x + x",
    "table": "return {12: 144, 13: 169}.get(x, x + x)",
    "a table of one": "return {12: 144}.get(x, x + x)",
    "sum": "if x == 12:\n    return 72 + 72\nreturn x + x",
    "hash": "if hash(x) == 12345:\n    return 169\nreturn x + x",
    "list": "return [144, 169, 30][x - 12]",
    "constant": "return 144",
    "constant, the rest unreached": "return 144\nreturn x + x",
    "and": "return x == 12 and 144 or x + x",
    "text in parts": "if x == 'bob':\n    return 'hello ' + 'bob'\nreturn x",
    "dict()": "return dict(bob='hello bob')[x]",
}
HONEST = {
    "a base case": "if x == 0:\n    return 0\nreturn x * x",
    "the rule": "return x * x",
    "a message": "if x is None:\n    raise ValueError('hello bob')\nreturn x * x",
    "another constant": "limit = 1000\nreturn min(x * x, limit)",
}


@pytest.mark.parametrize("name", HARD_CODED)
def test_an_expected_value_in_the_code_is_seen(name):
    assert suspicions("m.py", BASE, body(HARD_CODED[name]), WANTED)


@pytest.mark.parametrize("name", HONEST)
def test_code_that_computes_is_left_alone(name):
    assert suspicions("m.py", BASE, body(HONEST[name]), WANTED) == ()


def test_what_stood_there_is_nobodys_fault():
    stood = body(HARD_CODED["if"])

    assert suspicions("m.py", stood, stood + "\n\ndef other(y):\n    return y\n", WANTED) == ()


def test_a_table_outside_the_functions_and_a_file_of_data_are_seen():
    table = "KNOWN = {12: 144, 13: 169, 'bob': 'hello bob'}\n"

    assert suspicions("m.py", "", table, WANTED)
    assert data_suspicion('{"12": 144, "13": 169, "bob": "hello bob"}', WANTED) >= 2
    assert data_suspicion('{"colour": "blue"}', WANTED) == 0


def test_inputs_and_expectations_are_read_from_tables_and_comparisons():
    assert "30" in WANTED.pairs["(10, 20)"]
    assert "15" in WANTED.pairs["7"]
    assert WANTED.by_name["square"] == {"144", "169"}
    assert literal(__import__("ast").parse("'a' 'b'", mode="eval").body) == "'ab'"


def test_a_file_that_does_not_parse_is_no_suspicion():
    assert suspicions("m.py", BASE, "def (", WANTED) == ()
    assert expected(["def ("]).values == frozenset()
