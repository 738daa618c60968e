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


TARIFF = """
def shipping(weight, express=False):
    if weight <= 0:
        raise ValueError(weight)
    if weight <= 2:
        cost = 5
    elif weight <= 10:
        cost = 9
    else:
        cost = 20
    return cost * 2 if express else cost
"""
TARIFF_TESTS = """
from m import shipping

def test_shipping():
    assert shipping(2) == 5
    assert shipping(10) == 9
    assert shipping(11) == 20
"""
REQUEST = (
    "Add shipping(weight): 5 up to 2 kg, 9 up to 10kg, 20 above; a weight of 0 or less raises ValueError."
)


def test_a_tariff_that_the_request_states_is_left_alone():
    assert suspicions("m.py", "", TARIFF, expected([TARIFF_TESTS], REQUEST)) == ()
    assert suspicions("m.py", "", TARIFF, expected([TARIFF_TESTS], "Add shipping(weight)."))
    other = REQUEST.replace("9 up to", "8 up to")
    assert suspicions("m.py", "", TARIFF, expected([TARIFF_TESTS], other))


@pytest.mark.parametrize(
    "condition", ["weight == 2", "weight in (2, 10)", "2 <= weight <= 2", "weight >= 2 and weight <= 2"]
)
def test_one_input_that_is_singled_out_is_seen_though_the_request_names_it(condition):
    singled = f"def shipping(weight):\n    if {condition}:\n        return 5\n    return weight * 9\n"
    assert suspicions("m.py", "", singled, expected([TARIFF_TESTS], REQUEST))
