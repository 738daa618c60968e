"""The bench of public repositories, on small ones made to their patterns."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
GIT = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false")
PYTHON = json.dumps(sys.executable)
PLUGINS = json.dumps(
    [word for name in ("asyncio", "hypothesispytest", "timeout", "anyio") for word in ("-p", f"no:{name}")]
)
SETTINGS = f"[checks]\npython = {PYTHON}\npytest_args = {PLUGINS}\ncoverage = false\nbandit = false\n"
CALC = "def double(number):\n    return 2 * number\n"
DOCTEST = (
    'def double(number):\n    """Double it.\n\n    >>> double(2)\n    4\n    """\n    return 2 * number\n'
)
CHECK = (
    "import unittest\n\nfrom calc import double\n\n\nclass Doubles(unittest.TestCase):\n"
    "    def test_two(self):\n        self.assertEqual(double(2), 4)\n\n"
    "    def test_none(self):\n        self.assertEqual(double(0), 0)\n"
)
NODE = (
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\n'
    'test("it was set up", () => assert.equal(globalThis.ready, true));\n'
    'test("it adds", () => assert.equal(1 + 1, 2));\n'
)


UNITTEST = "python3 -m unittest discover -p '*_test.py'"
NODE_TEST = "node --import ./ready.mjs --test checks/*.mjs"


@pytest.fixture(scope="module")
def bench():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        names = ("ecosystems", "ecosystems_page", "ecosystems_seeded")
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})


def made(root, files):
    for path, text in {**files, "setpoint.toml": SETTINGS, ".gitignore": ".setpoint/\n"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*GIT, *words], cwd=root, check=True)


PRINTED = {
    "pytest": (
        "= 2 failed, 5 passed, 1 skipped, 3 warnings in 0.20s =",
        {"passed": 5, "failed": 2, "skipped": 1},
    ),
    "unittest": (
        "Ran 52 tests in 0.080s\n\nFAILED (failures=2, errors=1, skipped=14)",
        {"passed": 35, "failed": 3, "skipped": 14},
    ),
    "vitest": (
        "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[31m1 failed\x1b[39m | \x1b[32m23 passed\x1b[39m (24)",
        {"passed": 23, "failed": 1},
    ),
    "jest": (
        "Tests:       1 failed, 2 skipped, 59 passed, 62 total",
        {"passed": 59, "failed": 1, "skipped": 2},
    ),
    "mocha": ("  47 passing (10ms)\n  2 failing\n  1 pending", {"passed": 47, "failed": 2, "skipped": 1}),
    "ava": ("  20 tests passed\n  1 test failed", {"passed": 20, "failed": 1}),
    "uvu": ("  Total:     32\n  Passed:    30\n  Skipped:   1", {"passed": 30, "failed": 1, "skipped": 1}),
    "tap": ("# tests 15\n# pass 14\n# fail 1\n# skipped 0", {"passed": 14, "failed": 1}),
    "go": (
        "--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- FAIL: TestC (0.00s)",
        {"passed": 2, "failed": 1},
    ),
    "ant": (
        (
            "    [junit] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.1 sec\n"
            "    [junit] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.2 sec"
        ),
        {"passed": 5, "failed": 2, "skipped": 1},
    ),
    "cargo": (
        "test result: ok. 88 passed; 0 failed; 1 ignored; 0 measured\ntest result: ok. 8 passed; 0 failed;",
        {"passed": 96, "skipped": 1},
    ),
}


@pytest.mark.parametrize("kind", PRINTED)
def test_the_count_is_what_the_runner_prints(bench, kind):
    printed, counts = PRINTED[kind]
    assert bench.ecosystems.counted(kind, printed) == counts
    assert bench.ecosystems.counted(kind, "command not found") == {}


def test_tap_counts_in_its_newer_form_too(bench):
    assert bench.ecosystems.counted("tap", "# { total: 213, pass: 212, fail: 1 }") == {
        "passed": 212,
        "failed": 1,
    }


def test_every_repository_has_a_reader_and_a_bug_that_two_edits_repair(bench):
    listed = bench.ecosystems.repositories()
    seeded = [each.bug for each in listed if each.bug]
    assert len({each.name for each in listed}) == len(listed) == 32
    assert {each.count for each in listed} <= bench.ecosystems.COUNTS.keys()
    assert len(seeded) >= 15
    assert all(len({bug["right"], bug["wrong"], bug["attempt"]}) == 3 for bug in seeded)


def test_a_plan_that_names_a_file_of_tests_is_noticed(bench):
    plan = (
        "## Plan\n1. Fix `check.py`, so that `check.py::test_a` pass.\n2. Fix `src/calc.py:3`: x\n\n"
        "## Task\nChange `a.py`."
    )
    named = bench.ecosystems_seeded.planned(plan)
    assert named == {"check.py", "src/calc.py"}
    assert [path for path in sorted(named) if bench.ecosystems_seeded.holds_tests(path, plan)] == ["check.py"]


def compared(bench, root, files, **said):
    """Make a repository, and run its own command beside `setpoint check`."""
    made(root, files)
    given = {"name": "small", "repo": "o/small", "commit": "", "language": "", "layout": "", "runner": ""}
    return bench.ecosystems.compared(bench.ecosystems.Repository(**{**given, **said}), root)


PATTERNS = {
    "a Makefile that calls unittest with a pattern": (
        {"calc.py": CALC, "double_test.py": CHECK, "Makefile": f"test:\n\t{UNITTEST}\n"},
        {"test": "make test", "count": "unittest"},
    ),
    "tox with examples in docstrings": (
        {
            "calc.py": DOCTEST,
            "test_calc.py": "from calc import double\n\n\ndef test_double():\n    assert double(1) == 2\n",
            "tox.ini": "[testenv]\ncommands = pytest --doctest-modules calc.py test_calc.py\n",
        },
        {"test": f"'{sys.executable}' -m pytest --doctest-modules calc.py test_calc.py", "count": "pytest"},
    ),
    "Node with a module before the tests": (
        {
            "package.json": json.dumps({"type": "module", "scripts": {"test": NODE_TEST}}),
            "ready.mjs": "globalThis.ready = true;\n",
            "checks/adds.mjs": NODE,
        },
        {"test": "npm test", "count": "tap"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_arguments_of_the_own_command_are_kept(bench, tmp_path, pattern):
    files, said = PATTERNS[pattern]
    row = compared(bench, tmp_path, files, **said)
    assert (row["own"]["passed"], row["read"].get("passed")) == (2, 2), row
    assert row["equal"]
    assert row["clean"], row["read"]


@pytest.mark.slow
def test_a_runner_without_a_reader_is_judged_by_its_exit_code(bench, tmp_path):
    files = {
        "package.json": json.dumps({"scripts": {"test": "node tally.js"}}),
        "tally.js": "require('./shop.js');\nconsole.log('  2 passing');\n",
        "shop.js": "exports.total = 3;\n",
    }
    row = compared(bench, tmp_path, files, test="npm test", count="mocha")
    assert row["own"]["passed"] == 2
    assert row["clean"]
    assert row["read"]["checks"]


def test_the_page_of_the_documentation_is_that_of_the_last_run(bench):
    result = json.loads(bench.ecosystems.RESULT.read_text("utf-8"))
    written = (BENCH.parent / "docs" / "how-to" / "languages-measured.md").read_text("utf-8")
    assert bench.ecosystems_page.page(bench.ecosystems.repositories(), result) == written
