"""The project's own test command: judged by its exit code, and compared with what is read."""

from __future__ import annotations

import json
import shutil

import pytest

from checks.suites.conftest import absent
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category
from setpoint.model.stories.story import KnownRed
from setpoint.presets.check_settings import ChecksSettings

RUN = """
import sys
from pathlib import Path

from shop import total

right = total([1, 2]) == 3
print("ok 1 - adds" if right else "not ok 1 - adds\\n  at shop.py:2")
print(f"# tests 1\\n# pass {int(right)}\\n# fail {int(not right)}")
sys.exit(not right)
"""
WRONG = "def total(prices):\n    return max(prices)\n"
RIGHT = WRONG.replace("max", "sum")
NAME = "package.json::npm test"


def project(**more: str) -> dict[str, str]:
    scripts = {"test": "python3 check.py"}
    return {
        ".gitignore": ".setpoint\n",
        "package.json": json.dumps({"scripts": scripts}),
        "check.py": RUN,
        "shop.py": WRONG,
        **more,
    }


async def test_a_runner_that_nobody_reads_is_judged_by_its_exit_code(bench):
    made = await bench(project(), settings=ChecksSettings(reruns=0), known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)
    (failure,) = base.failures
    await made.change({"shop.py": RIGHT})
    after = await made.measure(Stage.TEST)

    assert (failure.test, failure.message) == (NAME, "1 of 1 failed: not ok 1 - adds")
    assert failure.command == "npm test"
    assert after.evidence_of("own_tests").state is CheckState.PASS
    assert after.evidence_of("own_tests").counts["printed"] == 1
    assert "own_command" not in {each.check for each in after.evidence}  # it is the same command


LINE = "Tests run: 2, Failures: {}, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec"
ANT_BUILD = f"""<project>
<target name="test">
  <exec executable="sh" resultproperty="bad"><arg value="shop.sh"/></exec>
  <echo taskname="junit">Running ShopTest</echo>
  <condition property="said" value="{LINE.format(0)}"><equals arg1="${{bad}}" arg2="0"/></condition>
  <property name="said" value="{LINE.format(1)}"/>
  <echo taskname="junit">${{said}}</echo>
</target>
</project>
"""
"""Prints what the `junit` task prints of a class, and ends well though a test failed, as that task does."""


@pytest.mark.slow
async def test_failures_that_ant_prints_count_though_it_ends_well(bench):
    if shutil.which("ant") is None:
        absent("ant")
    files = {".gitignore": ".setpoint\n", "build.xml": ANT_BUILD, "shop.sh": "exit 1\n"}
    made = await bench(files, settings=ChecksSettings(reruns=0), known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)
    (failure,) = base.failures
    await made.change({"shop.sh": "true\n"})
    after = await made.measure(Stage.TEST)

    assert (failure.test, failure.message[:14]) == ("build.xml::ant test", "1 of 2 failed:")
    assert after.evidence_of("own_tests").state is CheckState.PASS
    assert after.evidence_of("own_tests").counts["printed"] == 2


async def test_a_command_that_cannot_be_started_is_not_measured_and_no_failing_test(bench):
    package = json.dumps({"scripts": {"test": "no-such-runner-anywhere"}})
    made = await bench(project(**{"package.json": package}), settings=ChecksSettings(reruns=0))

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("own_tests").state is CheckState.NOT_MEASURED
    assert "`npm test` cannot be run here" in base.evidence_of("own_tests").reason


@pytest.mark.parametrize(
    ("wish", "fails"),
    [
        ("Add retry N COMMAND: it runs a command again", True),
        ("Add again N COMMAND: it runs a command again", False),
    ],
    ids=["asked for", "another program"],
)
async def test_a_command_that_the_request_asks_for_is_no_missing_program(bench, wish, fails):
    files = {
        "package.json": json.dumps({"scripts": {"test": "sh test/run.sh"}}),
        "lib.sh": "quiet() {\n  :\n}\n",
        "test/run.sh": "set -e\n. ./lib.sh\nretry 2 true\necho ok\n",
    }
    made = await bench(project(**files), settings=ChecksSettings(reruns=0), body=wish, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    assert [each.test for each in base.failures] == ([NAME] if fails else [])
    assert (base.evidence_of("own_tests").state is CheckState.NOT_MEASURED) is not fails


TESTS = """
import unittest

class Sums(unittest.TestCase):
    def test_two(self):
        self.assertEqual(sum([1, 2]), 3)

    def test_none(self):
        self.assertEqual(sum([]), 0)
"""


async def test_own_and_read_counts_are_compared_once(bench):
    makefile = "test:\n\tpython3 -m unittest test_sums.Sums.test_two\n"
    files = {".gitignore": ".setpoint\n", "Makefile": makefile, "test_sums.py": TESTS}
    made = await bench(files, settings=ChecksSettings(reruns=0, pytest=False, unittest=True))

    base = await made.measure(Stage.BASE)
    await made.change({"sums.py": "x = 1\n"})
    after = await made.measure(Stage.TEST)

    compared = base.evidence_of("own_command")
    assert compared.counts == {"own": 1, "read": 2, "new": 0}
    assert compared.reason == "own command `make test` of Makefile: 1 test; read: 2 tests"
    assert "own_command" not in {each.check for each in after.evidence}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("python3 -m pytest -q", "2 tests, as read"),
        ("python3 -m pytest -v test_sums.py::test_two", "1 test; read: 2 tests"),
        ("PYTEST_ADDOPTS= python3 -m pytest -q", "2 tests, as read"),
    ],
    ids=["named", "fewer named", "run all the same"],
)
async def test_pytest_is_asked_for_its_tests_and_not_run_again(bench, typed, said):
    tests = "def test_two():\n    assert sum([1, 2]) == 3\n\ndef test_none():\n    assert sum([]) == 0\n"
    files = {".gitignore": ".setpoint\n", "Makefile": f"test:\n\t{typed}\n", "test_sums.py": tests}
    made = await bench(files, settings=ChecksSettings(reruns=0))

    base = await made.measure(Stage.BASE)

    compared = base.evidence_of("own_command")
    assert compared.reason == f"own command `make test` of Makefile: {said}"
    assert compared.output is not None
    assert (b" passed" in made.artifacts.read(compared.output)) is ("ADDOPTS" in typed)


async def test_a_difference_comes_with_what_is_not_read(bench):
    makefile = "-include .env\ntest:\n\tpython3 -m unittest test_sums.Sums.test_two\n"
    files = {".gitignore": ".setpoint\n", "Makefile": makefile, "test_sums.py": TESTS}
    made = await bench(files, settings=ChecksSettings(reruns=0, pytest=False, unittest=True))

    base = await made.measure(Stage.BASE)

    said = base.evidence_of("own_command").reason
    assert said.endswith(
        "read: 2 tests; Makefile: `include .env` is not read: variables of a file are not known"
    )


async def test_equal_counts_are_said_to_be_equal(bench):
    files = {".gitignore": ".setpoint\n", "Makefile": "test:\n\tpython3 -m unittest\n", "test_sums.py": TESTS}
    made = await bench(files, settings=ChecksSettings(reruns=0, pytest=False, unittest=True))

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("own_command").reason == "own command `make test` of Makefile: 2 tests, as read"


NODE_TEST = """
import { test } from "node:test";
import { strictEqual } from "node:assert";
import { twice } from "../index.js";

test("doubles", () => strictEqual(twice(2), 4));
"""


async def test_what_comes_after_a_runner_that_is_read_is_judged_too(bench):
    if shutil.which("node") is None:
        absent("node")
    scripts = {"test": "eslint . && node --test && node types.js && c8 report"}
    files = {
        ".gitignore": ".setpoint\n",
        "package.json": json.dumps({"type": "module", "scripts": scripts}),
        "index.js": "export const twice = (x) => x * 2;\n",
        "test/index.test.js": NODE_TEST,
        "types.js": 'import { twice } from "./index.js";\nif (twice.length !== 1) throw new Error("type");\n',
    }
    made = await bench(files, settings=ChecksSettings(reruns=0, coverage=False))

    base = await made.measure(Stage.BASE)
    await made.change({"index.js": "export const twice = (x, y) => x * 2;\n"})
    after = await made.measure(Stage.TEST)

    assert base.evidence_of("node_test").state is CheckState.PASS
    assert base.evidence_of("own_tests").state is CheckState.PASS
    assert base.evidence_of("own_command") is not None  # counts of the runner are still compared
    assert after.evidence_of("node_test").state is CheckState.PASS
    assert [each.test for each in after.failures] == ["package.json::node types.js"]


async def test_the_comparison_can_be_switched_off(bench):
    files = {".gitignore": ".setpoint\n", "Makefile": "test:\n\tpython3 -m unittest\n", "test_sums.py": TESTS}
    off = ChecksSettings(reruns=0, pytest=False, unittest=True, own_command=False)
    made = await bench(files, settings=off)

    base = await made.measure(Stage.BASE)

    assert "own_command" not in {each.check for each in base.evidence}


async def test_a_lint_command_of_a_tool_that_nobody_reads_counts_where_the_work_makes_it_fail(bench):
    makefile = "lint:\n\t! grep -n TODO notes.txt\n"
    made = await bench({".gitignore": ".setpoint\n", "Makefile": makefile, "notes.txt": "all done\n"})

    base = await made.measure(Stage.BASE)
    await made.change({"notes.txt": "TODO: more\n"})
    after = await made.measure(Stage.TEST)

    assert base.evidence_of("own_lint").state is CheckState.PASS
    (found,) = [each for each in after.findings if each.source == "own_lint"]
    assert (found.message, found.blocking) == ("`make lint` of Makefile ends with exit code 1", True)
    assert "TODO: more" in found.detail


async def test_a_lint_command_that_fails_at_the_base_is_not_blamed_on_the_work(bench):
    makefile = "lint:\n\t! grep -n TODO notes.txt\n"
    made = await bench({".gitignore": ".setpoint\n", "Makefile": makefile, "notes.txt": "TODO\n"})

    await made.measure(Stage.BASE)
    await made.change({"notes.txt": "TODO\nTODO again\n"})
    after = await made.measure(Stage.TEST)

    assert [each for each in after.findings if each.source == "own_lint"] == []


async def test_a_lint_command_that_changes_files_is_not_run(bench):
    made = await bench({".gitignore": ".setpoint\n", "Makefile": "lint:\n\tsome-formatter --write .\n"})

    base = await made.measure(Stage.BASE)

    assert "own_lint" not in {each.check for each in base.evidence}


@pytest.mark.parametrize(
    "script", ['echo "no test"; exit 0', "node -e 0", "python3 check.py || true", "node --check index.js"]
)
async def test_a_command_that_cannot_fail_proves_nothing(bench, script: str):
    package = json.dumps({"scripts": {"test": script}})
    files = project(**{"package.json": package, "shop.py": RIGHT, "index.js": "module.exports = 1;\n"})
    made = await bench(files, settings=ChecksSettings(reruns=0))

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("own_tests").state is CheckState.NOT_MEASURED
    assert "even where every file fails when it is loaded" in base.evidence_of("own_tests").reason


async def test_code_that_ends_the_runner_with_success_proves_nothing(bench):
    made = await bench(project(), settings=ChecksSettings(reruns=0), known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)
    await made.change({"shop.py": f"import atexit, os\n\natexit.register(lambda: os._exit(0))\n{WRONG}"})

    after = await made.measure(Stage.TEST)

    assert after.evidence_of("own_tests").state is CheckState.NOT_MEASURED
    assert after.test_counts.get("passed", 0) == 0


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ({"src/calc.zig": "pub fn one() u8 { return 1; }\n"}, "cat src/* | sh check.sh"),
        ({"data/a.json": "[1]\n"}, "cat data/* | python3 -m json.tool"),
    ],
)
async def test_a_command_over_files_of_any_kind_is_believed(bench, source: dict[str, str], command: str):
    other = {
        "scripts/release.py": "print(1)\n",
        "check.sh": "! grep -q '}}}'\n",
        "Makefile": f"test:\n\t{command}\n",
    }
    made = await bench({".gitignore": ".setpoint\n", **source, **other}, settings=ChecksSettings(reruns=0))

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("own_tests").state is CheckState.PASS


GATED = {
    ".gitignore": ".setpoint\n",
    "Makefile": "test:\n\tpython3 -m unittest && sh gate.sh\n",
    "gate.sh": "grep -q more sums.py || exit 0; echo 'sums.py must not hold more'; exit 3\n",
    "sums.py": "x = 1\n",
    "test_sums.py": TESTS,
}
UNITTEST = ChecksSettings(reruns=0, pytest=False, unittest=True, bandit=False)


async def test_a_command_that_fails_though_its_tests_pass_is_a_finding(bench):
    made = await bench(GATED, settings=UNITTEST)

    await made.measure(Stage.BASE)
    await made.change({"sums.py": "more = 1\n"})
    after = await made.measure(Stage.TEST)
    await made.change({"sums.py": "x = 2\n"})
    again = await made.measure(Stage.TEST)

    (found,) = after.blocking
    assert (found.source, found.category) == ("own_command", Category.TESTS)
    assert found.message == (
        "the project's own command `make test` of Makefile ends with exit code 3 though no test fails: "
        "sums.py must not hold more"
    )
    assert (after.evidence_of("own_command").state, again.blocking) == (CheckState.FAIL, ())


async def test_a_command_that_fails_at_the_base_blames_nobody(bench):
    made = await bench({**GATED, "sums.py": "more = 1\n"}, settings=UNITTEST)

    base = await made.measure(Stage.BASE)
    await made.change({"sums.py": "more = 2\n"})
    after = await made.measure(Stage.TEST)

    assert base.evidence_of("own_command").exit_code == 3
    assert (base.blocking, after.blocking, after.evidence_of("own_command")) == ((), (), None)


async def test_a_command_that_misses_a_program_blames_nobody(bench):
    gate = "grep -q more sums.py || exit 0; no-such-program sums.py\n"
    made = await bench({**GATED, "gate.sh": gate}, settings=UNITTEST)

    await made.measure(Stage.BASE)
    await made.change({"sums.py": "more = 1\n"})
    after = await made.measure(Stage.TEST)

    assert after.blocking == ()
    assert after.evidence_of("own_command").state is CheckState.NOT_MEASURED
    assert "no-such-program" in after.evidence_of("own_command").reason
