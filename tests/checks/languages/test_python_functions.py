"""Functions and statements of Python that a change adds or changes, and how they are sabotaged."""

import ast

import pytest

from setpoint.checks.languages.changed_function import NOTHING, OTHER, RAISES
from setpoint.checks.languages.python.language import Python

SOURCE = b'''"""Doc."""
LIMIT = 3


class Cart:
    """A cart."""

    def total(self, rows):
        """Add up."""
        if rows:
            return 1
        return 2

    async def send(self): return 3

    def name(self):
        "d"; return 1

    @property
    def later(self):
        @staticmethod
        def inner():
            for each in range(3): yield each
        return inner


def stub(): ...


def long(
    first,
    second,
):
    value = (
        first)
    return value
'''
PYTHON = Python()


def names(old, new):
    return [each.name for each in PYTHON.changed("a.py", old, new).functions]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (b"return 2", b"return 4", ["Cart.total"]),
        (b"Add up.", b"Sum up.", []),
        (b"LIMIT = 3", b"LIMIT = 4", []),
        (b"rows):", b"rows: list[int]) -> int:", []),
        (b"rows):", b"rows=()):", ["Cart.total"]),
        (b"async def", b"def", ["Cart.send"]),
        (b"range(3)", b"range(4)", ["Cart.later.inner"]),
    ],
)
def test_a_function_is_changed_where_it_does_something_else(old, new, changed):
    assert names(SOURCE, SOURCE.replace(old, new)) == changed


def test_all_functions_are_listed_but_those_that_do_nothing():
    every = ["Cart.total", "Cart.send", "Cart.name", "Cart.later", "Cart.later.inner", "long"]
    assert names(None, SOURCE) == every
    assert [each.name for each in PYTHON.functions("a.py", SOURCE)] == every


def test_what_cannot_be_parsed_is_named():
    code = PYTHON.changed("a.py", None, b"def f(:\n")
    assert (code.functions, code.unread) == ((), ("a.py, which cannot be parsed",))


@pytest.mark.parametrize(("does", "value"), [(RAISES, "raised"), (NOTHING, None), (OTHER, -8)])
def test_a_sabotaged_function_says_that_it_was_entered(tmp_path, does, value):
    functions = PYTHON.functions("a.py", SOURCE)
    for each in functions:
        for sabotage in (*each.sabotages.values(), each.harmless):
            ast.parse(each.sabotaged(SOURCE, sabotage, tmp_path / "unused"))
    total, space = functions[0].sabotaged(SOURCE, functions[0].sabotages[does], tmp_path / "mark"), {}
    exec(compile(total, "a.py", "exec"), space)
    try:
        said = space["Cart"]().total([1])
    except RuntimeError:
        said = "raised"
    assert said == value
    assert (tmp_path / "mark").exists()


def test_a_statement_can_be_put_first_in_each_function():
    for each in PYTHON.functions("a.py", SOURCE):
        first = each.first._replace(text=f"marked = 1{each.first.text}")
        assert b"marked = 1" in each.sabotaged(SOURCE, (first,), None)
        ast.parse(each.sabotaged(SOURCE, (first,), None))


def test_a_function_weighs_as_many_lines_as_are_new():
    new = SOURCE.replace(b"return 2", b"value = 2\n        return value")
    (total,) = PYTHON.changed("a.py", SOURCE, new).functions
    (only,) = PYTHON.functions("a.py", b"def only(a):\n    return a\n")
    assert (total.weight, only.weight) == (1, 2)


PROPERTY = b"""
class Name:
    @property
    def text(self):
        return self._text

    @text.setter
    def text(self, new):
        self._text = new

    def short(self):
        return self._text[:3]
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (b"[:3]", b"[:4]", ["Name.short"]),
        (b"return self._text\n", b"return self._text.strip()\n", ["Name.text"]),
        (b"self._text = new", b"self._text = new.strip()", ["Name.text"]),
    ],
)
def test_a_property_is_changed_where_its_getter_or_setter_is(old, new, changed):
    assert names(PROPERTY, PROPERTY.replace(old, new)) == changed


def test_the_definition_that_is_in_effect_is_changed_when_the_other_is_removed():
    first, second = b"def f():\n    return 1\n", b"def f():\n    return 2\n"
    assert names(first + second, first) == ["f"]
    assert names(first + second, first + second) == []


def test_another_hash_is_as_good():
    source = b"class A:\n    def __hash__(self):\n        return 3\n\n    def half(self):\n        return 3\n"
    found = PYTHON.functions("a.py", source)
    assert [OTHER in each.sabotages for each in found] == [False, True]


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


def places(new):
    return [(each.line, each.last, each.stood) for each in PYTHON.changed("a.py", OLD, new).statements]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (b"LIMIT = 3", b"LIMIT = 4\nMORE = (\n    1,\n)", [(4, 4, True), (5, 7, False)]),
        (b"size: int = 2", b"size: int = 3", [(12, 12, True)]),
        (b'"a": 1', b'"a": 2', [(5, 5, True)]),
        (b"n: n", b"n: n + 1", [(5, 5, True)]),
        (b"Cart(dict)", b"Cart(list)", [(9, 9, True)]),
    ],
)
def test_a_changed_statement_is_distinguished_from_a_new_one(old, new, changed):
    assert places(OLD.replace(old, new)) == changed


def test_a_statement_is_named_by_its_line():
    (only,) = PYTHON.changed("a.py", OLD, OLD.replace(b"LIMIT = 3", b"LIMIT  =  4")).statements
    assert str(only) == "a.py:4 (LIMIT = 4)"


def test_statements_that_tests_cannot_notice_are_left_out():
    same = (
        OLD.replace(b"Doc", b"Docs").replace(b"import os", b"import sys").replace(b"size: int", b"size: str")
        .replace(b'["LIMIT"]', b"[]").replace(b"return 1", b"return 2").replace(b"print(LIMIT)", b"print(1)")
    )  # fmt: skip
    assert places(same) == []
