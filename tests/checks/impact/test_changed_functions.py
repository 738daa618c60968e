"""What counts as a difference between two versions of a file."""

from __future__ import annotations

import pytest

from setpoint.checks.impact.changed_functions import difference

OLD = b'''\
import re

LIMIT = 3

def outer(a, b=1):
    """Add."""
    def inner(x):
        return x + a
    return inner(b)

class Box:
    size = 1

    def grow(self):
        return [each + 1 for each in range(self.size)]
'''


def changed(before: str, after: str):
    new = OLD.decode().replace(before, after)
    assert new != OLD.decode()
    return difference(OLD, new.encode())


def test_comments_and_moved_lines_are_no_difference() -> None:
    moved = difference(OLD, b"# a comment\n\n" + OLD)
    assert (moved.whole, moved.blocks) == (False, frozenset())


@pytest.mark.parametrize(
    ("before", "after", "block", "line"),
    [
        ("return inner(b)", "return inner(a)", "outer", 5),
        ("return x + a", "return x - a", "outer.<locals>.inner", 7),
        ("each + 1", "each + 2", "Box.grow", 14),
        ("range(self.size)", "range(1)", "Box.grow", 14),
    ],
)
def test_a_changed_body_is_the_function_s_alone(before: str, after: str, block: str, line: int) -> None:
    what = changed(before, after)
    assert (what.whole, block in what.blocks, line in what.lines) == (False, True, True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("b=1", "b=2"),
        ("outer(a, b=1)", "outer(a, b=1, c=2)"),
        ('"""Add."""', '"""Adds."""'),
        ("size = 1", "size = 2"),
        ("def grow", "@property\n    def grow"),
        ("def outer", "def renamed"),
        ("import re", "import re, os"),
        ("class Box", "def len(a):\n    return 1\n\nclass Box"),
        ("    def grow", "    def __len__(self):\n        return 1\n\n    def grow"),
        ("def outer(a", "def outer((a"),
    ],
)
def test_what_runs_at_import_or_is_seen_without_a_call_is_the_whole_file_s(before: str, after: str) -> None:
    assert changed(before, after).whole


def test_a_new_plain_function_changes_nothing_that_stood() -> None:
    what = changed("class Box", "def more():\n    return 1\n\nclass Box")
    assert (what.whole, what.blocks) == (False, frozenset())
    what = changed("    def grow", "    def shrink(self):\n        return 0\n\n    def grow")
    assert (what.whole, what.blocks) == (False, frozenset())


def test_a_set_of_constants_is_the_same_in_any_order() -> None:
    old = b"def f(x):\n    return x in {'a', 'b', 'c'}\n"
    assert difference(old, old + b"\n# c\n").blocks == frozenset()
    assert difference(old, old.replace(b"'c'", b"'d'")).blocks == {"f"}


@pytest.mark.parametrize(("before", "after"), [("super().f()", "None"), ("None", "super().f()")])
def test_whether_a_method_uses_super_is_its_own_affair(before: str, after: str) -> None:
    old = f"class A(B):\n    size = 1\n    def f(self):\n        return {before}\n    def g(self): pass\n"
    what = difference(old.encode(), old.replace(before, after).encode())
    assert (what.whole, what.blocks, what.lines) == (False, {"A.f"}, {3})
    assert difference(old.encode(), old.replace("size = 1", "size = 2").encode()).whole


def test_a_file_that_was_emptied_differs_as_a_whole_or_in_its_functions():
    assert "add" in difference(b"def add(a, b):\n    return a\n", b"").blocks
    assert (
        difference(b"class A:\n    pass\n", b"class A:\n    def new(self):\n        return 1\n") is not None
    )
