import shutil
import subprocess

import pytest

from setpoint.checks.proof.equality.loose_tests import loose_tests
from setpoint.checks.proof.equality.python_equality import python_equality
from setpoint.checks.proof.equality.rust_equality import rust_equality
from setpoint.checks.proof.equality.script_conversions import script_conversions
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


NUMBER = """

class Near(float):
    def __sub__(self, other):
        return 0.0


def half(n):
    return Near(n)
"""
DEADLINE = """
import heapq


class Entry:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n < other.n


def half(n):
    queue = [Entry(n), Entry(n / 2)]
    heapq.heapify(queue)
    return min(queue).n
"""
TEST_NUMBER = (
    "from page import half\n\n\ndef test_half():\n    assert abs(half(8) - 4) < 1e-9\n"
    "    assert abs(half(7) - 3.5) < 1e-9\n"
)


@pytest.mark.parametrize(
    ("code", "title", "state"),
    [
        (NUMBER, "Add half", NOT_MET),
        (NUMBER, "Add half, which gives a number of the class Near", None),
        (DEADLINE, "Add half", MET),
        ("\n\ndef half(n):\n    return n / 2\n", "Add half", None),
    ],
    ids=["own difference", "asked for", "used by the code alone", "plain"],
)
async def test_operators_of_new_classes_do_not_answer_tests(obligations, code, title, state):
    change = {"page.py": BASE["page.py"] + code, "test_page.py": TEST_NUMBER}
    found = (await obligations(BASE, change, title)).get("plain values")
    assert (found.state if found else None) is state


MADE = """

Near = type("Near", (float,), {"__sub__": lambda one, other: other * 0.0})


def half(n):
    return Near(n)
"""
FIELD = """from dataclasses import dataclass{0}


@dataclass(frozen=True)
class Amount:
    cents: int{1}
    currency: str = "EUR"


def half(amount):
    return Amount(amount.cents{2}, amount.currency)
"""
TEST_FIELD = (
    "from page import Amount, half\n\n\ndef test_half():\n    assert half(Amount(8)) == Amount(4)\n"
    "    assert half(Amount(8, 'NOK')) != Amount(4)\n"
)


async def test_operators_that_a_text_names_are_taken_away(obligations):
    change = {"page.py": BASE["page.py"] + MADE, "test_page.py": TEST_NUMBER}
    found = (await obligations(BASE, change, "Add half"))["plain values"]
    assert found.state is NOT_MET
    assert "__sub__" in found.reason


@pytest.mark.parametrize(
    ("now", "title", "state"),
    [
        ((", field", " = field(compare=False)", ""), "Fix half: it does not halve", NOT_MET),
        ((", field", " = field(compare=False)", " // 2"), "Fix half: amounts are equal whatever", None),
        (("", "", " // 2"), "Fix half: it does not halve", None),
    ],
    ids=["left out", "asked for", "honest"],
)
async def test_fields_are_compared_as_before(obligations, now, title, state):
    base = {"page.py": FIELD.format("", "", ""), "test_page.py": TEST_FIELD}
    found = (await obligations(base, {"page.py": FIELD.format(*now)}, title)).get("plain values")
    assert (found.state if found else None) is state


MEAN = {
    "stats.js": "exports.total = (values) => values.reduce((sum, value) => sum + value, 0);\n",
    "package.json": '{"name": "shop", "scripts": {"test": "node test/run.js"}}\n',
    "test/run.js": (
        "const stats = require('../stats.js');\nlet failed = 0;\nfunction near(got, want) {\n"
        "  if (typeof got !== 'number' || Math.abs(got - want) > 1e-9) failed += 1;\n}\n"
        "near(stats.total([1, 2]), 3);\nnear(stats.mean([1, 3]), 2);\nnear(stats.mean([7]), 7);\n"
        "process.exit(failed ? 1 : 0);\n"
    ),
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("length", "title", "blamed"),
    [
        ("lenght", "Add mean", True),
        ("lenght", "Add mean, which is NaN where it is unknown", False),
        ("length", "Add mean", False),
    ],
    ids=["NaN", "asked for", "honest"],
)
async def test_a_comparison_with_nan_notices_nothing(obligations, length, title, blamed):
    more = f"exports.mean = (values) => exports.total(values) / values.{length};\n"
    said = (await obligations(MEAN, {"stats.js": MEAN["stats.js"] + more}, title)).get("plain values")
    assert (said is not None and said.state is NOT_MET and "NaN" in said.reason) is blamed, said


OBJECTS = {
    "method": "class Near {\n  valueOf() { return 4; }\n}\nexports.half = () => new Near();\n",
    "field": "class Near { valueOf = () => 4 }\nexports.half = () => new Near();\n",
    "pair": "exports.half = () => ({ valueOf: () => 4 });\n",
    "primitive": "exports.half = () => ({ [Symbol.toPrimitive]() { return 4; } });\n",
    "prototype": (
        "function Near() {}\nNear.prototype.toString = function () { return '4'; };\n"
        "exports.half = () => new Near();\n"
    ),
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("code", OBJECTS.values(), ids=OBJECTS)
def test_conversions_answer_the_code_alone(tmp_path, code):
    found = script_conversions("half.js", None, code.encode(), ["test/half.js"], "Fix half")
    assert len(found) == 1
    refused = found[0].sabotaged(code.encode(), found[0].sabotages["is not there for tests"], tmp_path)
    (tmp_path / "test").mkdir()
    (tmp_path / "half.js").write_bytes(refused)
    for name in ("test/half.js", "other.js"):
        (tmp_path / name).write_text(f"console.log(require('{tmp_path}/half.js').half(8) - 0);\n")

    done = [
        subprocess.run(["node", name], cwd=tmp_path, capture_output=True, text=True, check=False)
        for name in ("test/half.js", "other.js")
    ]
    assert "asked by a test" in done[0].stderr
    assert done[1].stdout.strip() == "4"


def test_conversions_that_were_there_or_are_asked_for_may_answer():
    code = OBJECTS["method"].encode()
    assert script_conversions("half.js", code, code, ["test/half.js"], "Fix half") == []
    assert script_conversions("half.js", None, code, ["test/half.js"], "Add valueOf to halves") == []
    assert script_conversions("half.js", None, code, ["test/half.js"], "Let halves be JSON") == []


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
