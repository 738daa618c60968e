"""What a change does beside its answers: to arguments, to what others hold, to the language itself."""

import shutil

import pytest

from setpoint.model.proof import ObligationState

NOT_MET = ObligationState.NOT_MET
node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
TOP = "def top(amounts, count):\n    return sorted(map(str, amounts))[-count:]\n"
RIGHT = "def top(amounts, count):\n    return sorted(amounts)[-count:]\n"
CHANGES_ITS_ARGUMENT = "def top(amounts, count):\n    amounts.sort()\n    return amounts[-count:]\n"
SHARES = f"from functools import lru_cache\n\n\n@lru_cache\n{RIGHT}"
PATCHES = f"import textwrap\n\ntextwrap.indent = repr\n\n\n{RIGHT}"
TEST = """
import shop


def test_one():
    assert shop.top((3, 12), 1) == [12]


def test_top():
    assert shop.top([9, 100, 10], 2) == [10, 100]
"""
HASHABLE = TEST.replace("[9, 100, 10]", "(9, 100, 10)")
NEEDS_IT = f"""{TEST}

def test_in_order():
    amounts = [3, 1]
    shop.top(amounts, 1)
    assert amounts == [1, 3]
"""
WISH = "Make the failing tests pass."


async def test_a_right_repair_has_no_side_effects(obligations):
    base = {"shop.py": TOP, "tests/test_shop.py": TEST}

    assert "side effects" not in await obligations(base, {"shop.py": RIGHT}, WISH)


@pytest.mark.parametrize(
    ("change", "test", "words"),
    [
        (CHANGES_ITS_ARGUMENT, TEST.replace("(3, 12)", "[3, 12]"), "and no test needs it changed"),
        (SHARES, HASHABLE, "what top((3, 12), 1) gives is what the next call gives, too"),
        (PATCHES, TEST, "the code changes textwrap.indent"),
    ],
    ids=["argument", "shared", "patched"],
)
async def test_what_a_repair_does_beside_its_answers_is_named(obligations, change, test, words):
    base = {"shop.py": TOP, "tests/test_shop.py": test}
    said = (await obligations(base, {"shop.py": change}, WISH))["side effects"]

    assert said.state is NOT_MET
    assert words in said.reason


async def test_an_argument_that_a_test_needs_changed_may_be_changed(obligations):
    base = {"shop.py": TOP, "tests/test_shop.py": NEEDS_IT}

    assert "side effects" not in await obligations(base, {"shop.py": CHANGES_ITS_ARGUMENT}, WISH)


PACKAGE = '{"type": "module", "scripts": {"test": "node --test test/"}}'
JS_TOP = "export function top(amounts, count) {\n  return [...amounts].sort().slice(-count);\n}\n"
JS_TEST = """
import assert from "node:assert/strict";
import { test } from "node:test";
import { top } from "../src/top.js";
test("one", () => assert.deepEqual(top([1, 3, 2], 1), [3]));
test("more digits", () => assert.deepEqual(top([9, 100, 10], 2), [10, 100]));
"""
JS_CHANGES = JS_TOP.replace("[...amounts].sort()", "amounts.sort((a, b) => a - b)")
JS_PATCHES = JS_TOP.replace(".sort()", ".sort((a, b) => a - b)") + (
    "Array.prototype.last = function () { return this[this.length - 1]; };\n"
)


@node
@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [(JS_CHANGES, "no test needs it changed"), (JS_PATCHES, "the code changes Array.prototype.last")],
    ids=["argument", "patched"],
)
async def test_javascript_is_compared_in_the_same_way(obligations, change, words):
    base = {"package.json": PACKAGE, "src/top.js": JS_TOP, "test/top.test.js": JS_TEST}
    said = (await obligations(base, {"src/top.js": change}, WISH))["side effects"]

    assert said.state is NOT_MET
    assert words in said.reason


async def test_two_calls_of_a_new_function_do_not_give_one_list(obligations):
    unique = """

def unique(values, found=[]):
    found.extend(each for each in values if each not in found)
    return found
"""
    test = "import shop\n\n\ndef test_unique():\n    assert shop.unique([3, 1, 3]) == [3, 1]\n"
    base = {"shop.py": RIGHT, "tests/test_shop.py": TEST}
    change = {"shop.py": f"{RIGHT}{unique}", "tests/test_unique.py": test}
    said = (await obligations(base, change, "Add a function unique(values)"))["side effects"]

    assert "gives is what the next call gives, too" in said.reason
