import pytest

from setpoint.checks.proof.equality.loose_tests import loose_tests
from setpoint.checks.proof.equality.python_equality import python_equality
from setpoint.checks.proof.equality.rust_equality import rust_equality
from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
BASE = {
    "page.py": "def old(title):\n    return title\n",
    "test_old.py": "from page import old\n\n\ndef test_old():\n    assert old('a') == 'a'\n",
}
METHOD = """

class Page(str):
    def __eq__(self, other):
        return self.lower() == other.lower()

    __hash__ = str.__hash__


def slug(title):
    return Page("-".join(title.split()))
"""
BOUND = """

class Page:
    def __init__(self, text):
        self.text = text

    __eq__ = lambda self, other: self.text.lower() == getattr(other, "text", other).lower()


def slug(title):
    return Page("-".join(title.split()))
"""
POINT = """

class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return (self.x, self.y) == (other.x, other.y)


def slug(title):
    return Point(len(title), len(title.split()))
"""
TEST = (
    "from page import slug\n\n\ndef test_slug():\n    assert slug('Old Times') == 'old-times'\n"
    "    assert slug('A B') != 'a'\n"
)
TEST_POINT = (
    "from page import Point, slug\n\n\ndef test_slug():\n    assert slug('Old Times') == Point(9, 2)\n"
    "    assert slug('Old') != Point(3, 2)\n"
)


@pytest.mark.parametrize(
    ("code", "test", "title", "state"),
    [
        (METHOD, TEST, "Add a function for the name of a page", NOT_MET),
        (BOUND, TEST, "Add a function for the name of a page", NOT_MET),
        (METHOD, TEST, "Add names of pages that are equal whatever their case", None),
        (POINT, TEST_POINT, "Add a function for the size of a page", MET),
    ],
)
async def test_values_are_compared_by_what_they_are_made_of(obligations, code, test, title, state):
    change = {"page.py": BASE["page.py"] + code, "test_page.py": test}
    found = (await obligations(BASE, change, title)).get("plain values")
    assert (found.state if found else None) is state


def test_only_new_equalities_count():
    source = (
        f"class A:{METHOD.replace('class Page(str):', '').replace(chr(10) + chr(10), chr(10), 1)}".encode()
    )
    found = python_equality("a.py", None, source)
    assert [str(each) for each in found] == ["a.py::A.__eq__"]
    assert python_equality("a.py", source, source) == []


RUST = """pub struct Size { pub w: u32, pub h: u32 }

impl PartialEq for Size {
    fn eq(&self, other: &Self) -> bool { self.w == other.w }
}
"""


def test_equalities_of_rust_are_derived(tmp_path):
    (found,) = rust_equality("a.rs", None, RUST.encode())
    made = found.sabotaged(RUST.encode(), found.sabotages["is derived"], tmp_path).decode()
    assert made.startswith("#[derive(PartialEq)] pub struct Size")
    assert made.rstrip().endswith("} */")
    assert "/* impl PartialEq for Size" in made
    assert rust_equality("a.rs", RUST.encode(), RUST.encode()) == []


@pytest.mark.parametrize(
    ("source", "strict"),
    [
        ('import assert from "node:assert";', 'import assert from "node:assert/strict";'),
        ("const assert = require('assert');", "const assert = require('assert/strict');"),
        ('import assert from "node:assert/strict";', None),
        ('import { assert } from "chai";', None),
    ],
)
def test_assertions_of_node_become_strict(tmp_path, source, strict):
    found = loose_tests("a.test.mjs", source.encode())
    made = found and found.sabotaged(source.encode(), found.sabotages["is strict"], tmp_path).decode()
    assert made == strict
