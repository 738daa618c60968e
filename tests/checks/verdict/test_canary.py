"""Canaries: what makes failing tests pass is noticed by tests that must fail."""

import shutil

import pytest

from checks.verdict.changes import MET, NONE, NOT_MET, changed, soon, witnesses_of
from setpoint.checks.verdict.canary import canary

PRICE = "def price(n):\n    return n * 100\n"
HALF = PRICE + "\n\ndef half(n):\n    return n // 2\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
TEST_HALF = "import shop\n\n\ndef test_half():\n    assert shop.half(4) == 2\n"
HONEST = {"shop.py": HALF, "tests/test_half.py": TEST_HALF}
BASE = {"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE}


async def flown(tmp_path, change, base=None, *, seconds=60.0):
    subject = await changed(tmp_path / "project", BASE if base is None else base, change)
    return await canary(subject, witnesses_of(subject), soon(seconds))


async def test_canaries_that_come_out_as_written_are_met(tmp_path):
    said = await flown(tmp_path, HONEST)

    assert said.state is MET
    assert said.reason.endswith("tests that must fail were reported as failing (pytest)")
    assert said.count > 5


GREEN_REPORT = """\
import _pytest.reports as r

_old = r.TestReport.from_item_and_call.__func__


def _new(cls, item, call):
    call.excinfo = None
    return _old(cls, item, call)


r.TestReport.from_item_and_call = classmethod(_new)
"""
ATTACKS = {
    "the report is made green": (GREEN_REPORT, "must fail was reported as passed"),
    "assertions are empty": (
        "import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n",
        "must fail was reported as passed",
    ),
    "an assertion skips": (
        "import builtins, unittest\n\nbuiltins.AssertionError = unittest.SkipTest\n",
        "must fail was reported as skipped",
    ),
    "the process ends early": (
        "import os, unittest\n\nunittest.TestCase.fail = lambda *_: os._exit(0)\n",
        "must fail did not run",
    ),
}


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(name, id=name, marks=[pytest.mark.slow] if number % 3 else [])
        for number, name in enumerate(ATTACKS)
    ],
)
async def test_code_that_changes_the_runner_is_found_out(tmp_path, attack):
    code, words = ATTACKS[attack]
    said = await flown(tmp_path, {**HONEST, "shop.py": f"{code}\n\n{HALF}"})

    assert said.state is NOT_MET
    assert words in said.reason


async def test_a_project_that_leaves_out_unknown_tests_is_left_in_peace(tmp_path):
    picky = (
        "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
        "    items[:] = [item for item in items if item.name in ('test_price', 'test_half')]\n"
    )
    said = await flown(tmp_path, HONEST, {**BASE, "conftest.py": picky})

    assert said.state is NONE
    assert "of them on the base too" in said.reason


async def test_without_time_no_canary_runs(tmp_path):
    said = await flown(tmp_path, HONEST, seconds=0)

    assert (said.state, said.cut) == (NONE, "no time for canaries of pytest")


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
    ("code", "state"),
    [
        (JS_HALF, MET),
        pytest.param(
            'import assert from "node:assert";\nassert.equal = () => {};\n' + JS_HALF,
            NOT_MET,
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_canaries_of_javascript(tmp_path, code, state):
    change = {"shop.js": code, "test/half.test.js": JS_TEST.format("half", 2)}
    said = await flown(tmp_path, change, JS)

    assert said.state is state, said.reason


GO = {
    "go.mod": "module example.com/shop\n\ngo 1.18\n",
    "shop.go": "package shop\n\nfunc Price(n int) int { return n * 100 }\n",
    "shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestPrice(t *testing.T) {\n'
    "\tif Price(2) != 200 {\n\t\tt.Fatal()\n\t}\n}\n",
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
async def test_canaries_of_go(tmp_path):
    said = await flown(tmp_path, {"shop.go": GO["shop.go"] + "\nfunc Half(n int) int { return n / 2 }\n"}, GO)

    assert said.state is MET, said.reason
