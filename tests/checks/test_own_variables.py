"""Tests that fail at the base for what Setpoint sets: they are ours, and nobody is sent to repair them."""

from __future__ import annotations

import shutil

import pytest

from setpoint.checks import told_apart
from setpoint.checks.baseline import ours
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, Failure
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

TESTS = """import os
from calc import add

def test_shell(): assert "GIT_TERMINAL_PROMPT" not in os.environ
def test_add(): assert add(2, 3) == 5
"""
FILES = {"calc.py": "def add(a, b):\n    return a - b\n", "tests/test_calc.py": TESTS}
PYTEST = {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'}
QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
SUITE = """const test = require('node:test')
const assert = require('node:assert')
test('shell', () => assert(!('GIT_TERMINAL_PROMPT' in process.env)))
test('adds', () => assert.strictEqual(1 - 1, 2))
"""


async def test_a_test_that_passes_in_a_shell_is_said_to_be_ours(bench):
    made = await bench({**FILES, **PYTEST}, settings=QUICK, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    assert [each.test for each in base.failures] == ["tests/test_calc.py::test_add"]
    (said,) = base.ours
    assert said.startswith("tests/test_calc.py::test_shell passes without PYTHONDONTWRITEBYTECODE, ")
    assert said.endswith("which Setpoint sets")
    assert "GIT_TERMINAL_PROMPT" in said
    assert base.known_red == ("tests/test_calc.py::test_shell",)


async def test_it_does_not_count_against_the_work_either(bench):
    made = await bench({**FILES, **PYTEST}, settings=QUICK, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)
    await made.change({"calc.py": "def add(a, b):\n    return a + b\n"})

    tested = await made.measure(Stage.TEST)

    assert tested.failures == ()
    assert tested.known_red == ("tests/test_calc.py::test_shell",)


async def test_a_clean_base_is_run_once(bench, monkeypatch):
    runs: list[object] = []

    async def noted(*asked, **_):
        runs.append(asked)
        return {}

    monkeypatch.setattr(told_apart.FullCopy, "_tried", noted)
    good = {**FILES, "tests/test_calc.py": "def test_it(): pass\n"}
    made = await bench({**good, **PYTEST}, settings=QUICK)

    base = await made.measure(Stage.BASE)

    assert (base.ours, runs) == ((), [])


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not here")
async def test_a_package_is_asked_the_same(bench):
    files = {"package.json": '{"scripts": {"test": "node --test"}}', "a.test.js": SUITE}
    made = await bench(files, settings=QUICK)

    base = await made.measure(Stage.BASE)

    assert [each.partition(" passes without ")[0] for each in base.ours] == ["a.test.js::shell"]


def test_a_cause_of_another_kind_is_not_ours():
    failure = Failure(test="t::a", cause=Cause.ENVIRONMENT, message="no database")
    assert ours((failure,)) == ()


MODE = """import os

def test_variables(): assert (os.environ["MODE"], os.environ.get("PYTHONOPTIMIZE")) == ("1", None)
def test_generated(): import generated
"""
MAKE = "export MODE = 1\nexport PYTHONOPTIMIZE = 1\ntest: made\n\tpytest\nmade:\n\tpython gen.py\n"
OF_MAKE = {
    ".gitignore": "generated.py\n",
    "Makefile": MAKE,
    "gen.py": "open('generated.py', 'w').close()\n",
    "tests/test_mode.py": MODE,
    **PYTEST,
}


async def test_pytest_gets_the_variables_and_the_steps_of_the_own_command(bench):
    made = await bench(OF_MAKE, settings=QUICK)
    base = await made.measure(Stage.BASE)

    assert base.failures == ()
    assert base.evidence_of("pytest").counts["passed"] == 2
    assert base.evidence_of("pytest").reason == ""


async def test_a_step_before_the_tests_that_fails_is_named(bench):
    made = await bench({**OF_MAKE, "gen.py": "raise SystemExit('no template')\n"}, settings=QUICK)
    evidence = (await made.measure(Stage.BASE)).evidence_of("pytest")

    assert "before the tests `make test` runs `python gen.py`: exit code 1" in evidence.reason
    assert "no template" in evidence.reason
    assert evidence.counts["passed"] == 1
