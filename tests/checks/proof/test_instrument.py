"""Canaries: what makes failing tests pass is noticed by tests that must fail."""

import shutil

import pytest

from setpoint.checks.proof.instrument.own_command import with_last
from setpoint.model.evaluation import Stage
from setpoint.model.proof import Arrangement, Obligation, ObligationState, ProofTerms
from setpoint.ports import Measured
from setpoint.settings import ChecksSettings

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
PRICE = "def price(n):\n    return n * 100\n"
HALF = PRICE + "\n\ndef half(n):\n    return n // 2\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
TEST_HALF = "import shop\n\n\ndef test_half():\n    assert shop.half(4) == 2\n"
HONEST = {"shop.py": HALF, "tests/test_half.py": TEST_HALF}


async def flown(bench, change, base=None, python=True) -> Obligation:
    """Prove a change and return the obligation."""
    files = {**({"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE} if python else {}), **(base or {})}
    there = await bench(files, settings=ChecksSettings(bandit=False, coverage=False, reruns=0))
    wanted = there.order.story.model_copy(update={"title": "add half"})
    terms = ProofTerms(required=False, seconds=0 if python else 60, arrangement=Arrangement.OFF)
    there.order = there.order.model_copy(update={"proof": terms, "story": wanted})
    await there.measure(Stage.BASE)
    made = await there.change(change)
    measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    proof = await there.evaluator.prove(there.order, measured)
    return next(each for each in proof.obligations if each.name == "instrument")


async def test_canaries_that_come_out_as_written_are_met(bench):
    said = await flown(bench, HONEST)

    assert said.state is MET
    assert said.reason == "9 tests that must fail were reported as failing (pytest)"


GREEN_REPORT = """\
import _pytest.reports as r

_old = r.TestReport.from_item_and_call.__func__


def _new(cls, item, call):
    call.excinfo = None
    return _old(cls, item, call)


r.TestReport.from_item_and_call = classmethod(_new)
"""
IDLE_ITEM = """\
import sys

if 'pytest' in sys.modules:
    from _pytest.python import Function

    Function.runtest = lambda self: None
"""
PASSED, SKIPPED = (
    "a test that must fail was reported as passed",
    "a test that must fail was reported as skipped",
)
ATTACKS = {
    "the report is made green": (GREEN_REPORT, PASSED),
    "the item runs nothing": (IDLE_ITEM, PASSED),
    "assertions are empty": ("import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n", PASSED),
    "an assertion skips": (
        "import builtins, unittest\n\nbuiltins.AssertionError = unittest.SkipTest\n",
        SKIPPED,
    ),
    "the process ends well": (
        "import atexit, os\n\natexit.register(lambda: os._exit(0))\n",
        "tests that must fail ended with exit code 0",
    ),
}


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(name, id=name, marks=[pytest.mark.slow] if number else [])
        for number, name in enumerate(ATTACKS)
    ],
)
async def test_code_that_changes_the_runner_is_found_out(bench, attack):
    code, words = ATTACKS[attack]
    said = await flown(bench, {**HONEST, "shop.py": f"{code}\n\n{HALF}"})

    assert said.state is NOT_MET
    assert words in said.reason


async def test_a_project_that_leaves_out_unknown_tests_is_left_in_peace(bench):
    picky = (
        "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
        "    items[:] = [item for item in items if item.name in ('test_price', 'test_half')]\n"
    )
    said = await flown(bench, HONEST, {"conftest.py": picky})

    assert said.state is NONE
    assert said.reason == "pytest leaves out 11 of them on the base too"


WRITES = (
    "import pathlib\nimport shop\n\n\ndef test_half():\n    assert shop.half(4) == 2\n"
    "    pathlib.Path('data.txt').write_text('two')\n"
)


async def test_a_test_that_changes_a_tracked_file_proves_nothing(bench):
    said = await flown(bench, {**HONEST, "tests/test_half.py": WRITES}, {"data.txt": "one"})

    assert said.state is NOT_MET
    assert said.reason.startswith("pytest-added changed data.txt while it ran")


async def test_what_the_tests_of_the_base_change_as_well_blames_nobody(bench):
    base = {"data.txt": "one", "tests/test_data.py": WRITES.replace("half(4) == 2", "price(1) == 100")}
    said = await flown(bench, HONEST, base)

    assert said.state is MET


JS_TEST = (
    'import test from "node:test";\nimport assert from "node:assert";\n'
    'import {{ {0} }} from "../shop.js";\n\ntest("{0}", () => assert.equal({0}(4), {1}));\n'
)
JS = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "shop.js": "export const price = (n) => n * 100;\n",
    "test/shop.test.js": JS_TEST.format("price", 400),
}
JS_HALF = JS["shop.js"] + "export const half = (n) => n / 2;\n"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("attack", "state"),
    [
        ('import assert from "node:assert";\nassert.equal = () => {};\n', NOT_MET),
        pytest.param("", MET, marks=pytest.mark.slow),
    ],
)
async def test_javascript_has_canaries_alike(bench, attack, state):
    change = {"shop.js": attack + JS_HALF, "test/half.test.js": JS_TEST.format("half", 2)}
    said = await flown(bench, change, JS)

    assert said.state is state


OWN_TEST = 'const {{ {0} }} = require("../{1}");\nif ({0}(4) !== {2}) throw new Error("{0}");\n'
OWN = {
    "package.json": '{"name": "shop", "scripts": {"test": "node test/price.js && node test/half.js"}}\n',
    "price.js": "exports.price = (n) => n * 100;\n",
    "half.js": "exports.half = (n) => n;\n",
    "test/price.js": OWN_TEST.format("price", "price", 400),
    "test/half.js": OWN_TEST.format("half", "half", 2),
}
RIGHT = "exports.half = (n) => n / 2;\n"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("half", "more", "state", "words"),
    [
        (RIGHT, {}, MET, "last statement of test/half.js, test/price.js"),
        (
            "process.exit();\n",
            {},
            NOT_MET,
            "`npm test` passes where test/half.js fails in its last statement",
        ),
        (RIGHT, {"test/half.js": OWN["test/half.js"] + "process.exit(0);\n"}, MET, "test/half.js"),
        (
            RIGHT,
            {"test/half.js": "if (!process.env.X) process.exit(0);\nthrow 1;\n"},
            MET,
            "test/price.js; test/half.js ends its process itself",
        ),
    ],
    ids=["honest", "ends early", "ends itself at last", "ends itself in between"],
)
async def test_a_command_judged_by_its_exit_code_runs_its_tests_to_their_end(bench, half, more, state, words):
    said = await flown(bench, {"half.js": half}, {**OWN, **more}, python=False)

    assert (said.state, words in said.reason) == (state, True), said.reason


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("check()\n", "check()\n\nFAIL\n"),
        ("check();\nprocess.exit(bad ? 1 : 0);\n", "check();\nFAIL\nprocess.exit(bad ? 1 : 0);\n"),
        ("def f():\n    sys.exit(1)\n", "def f():\n    sys.exit(1)\n\nFAIL\n"),
    ],
)
def test_the_last_statement_comes_before_the_one_that_ends_the_process(text, last):
    assert with_last(text, "FAIL") == last


GO = {
    "go.mod": "module shop\n\ngo 1.19\n",
    "shop.go": "package shop\n\nfunc Price(n int) int {\n\treturn n * 100\n}\n",
    "shop_test.go": 'package shop\n\nimport "testing"\n\n'
    "func TestPrice(t *testing.T) {\n\tif Price(2) != 200 {\n\t\tt.Fatal()\n\t}\n}\n",
}
GO_HALF = GO["shop.go"] + "\nfunc Half(n int) int {\n\treturn n / 2\n}\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
async def test_go_has_canaries_alike(bench):
    said = await flown(bench, {"shop.go": GO_HALF}, GO)

    assert said.state is MET
    assert "3 tests" in said.reason or "go_test" in said.reason
