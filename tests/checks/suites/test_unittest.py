"""Tests of a project without pytest: run by unittest, told as pytest's are."""

from __future__ import annotations

import sys
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import find_interpreter, own_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.discovery.project import Interpreters, choose
from setpoint.checks.suites.pytest import Runner, TestSuite
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, CheckResult, CheckState, Outcome
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts

MIXED = """
import unittest
from calc import add

class Adds(unittest.TestCase):
    def test_good(self):
        self.assertEqual(add(1, 2), 3)

    def test_bad(self):
        self.assertEqual(add(2, 2), 5)

    def test_breaks(self):
        add(None, 1)

    @unittest.skip("not now")
    def test_skipped(self): ...

    @unittest.expectedFailure
    def test_known(self):
        self.fail()

    @unittest.expectedFailure
    def test_better(self): ...

    def test_parts(self):
        for each in (1, 2):
            with self.subTest(each=each):
                self.assertEqual(each, 1)

class Waits(unittest.IsolatedAsyncioTestCase):
    async def test_later(self):
        self.assertEqual(add(1, 1), 2)

class Prepared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no ground")

    def test_never(self): ...

@unittest.skip("whole")
class Skipped(unittest.TestCase):
    def test_none(self): ...
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "tests").mkdir(parents=True)
    (tree / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    return tree


async def run(tree: Path, *only: str, **more: object) -> CheckResult:
    interpreter = await find_interpreter(tree, ChecksSettings(python=sys.executable))
    files = tuple(sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*.py")))
    runner = Runner(
        interpreter=interpreter,
        layout=read_layout(files, {}),
        artifacts=Artifacts(tree.parent / "artifacts"),
        timeout_s=60,
        name="unittest",
        **more,
    )
    suite = TestSuite(runner=runner, only=only or None)
    copy = WorkCopy(trace_id=TraceId("r"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
    return await suite.run(Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST))


async def test_every_outcome_is_told_by_the_name_that_pytest_gives(tree: Path) -> None:
    (tree / "tests" / "test_calc.py").write_text(MIXED)

    result = await run(tree)

    assert result.tests is not None
    told = {
        name.removeprefix("tests/test_calc.py::"): outcome for name, outcome in result.tests.outcomes.items()
    }
    assert told == {
        "Adds::test_good": Outcome.PASSED,
        "Adds::test_bad": Outcome.FAILED,
        "Adds::test_breaks": Outcome.FAILED,
        "Adds::test_skipped": Outcome.SKIPPED,
        "Adds::test_known": Outcome.XFAILED,
        "Adds::test_better": Outcome.FAILED,
        "Adds::test_parts": Outcome.FAILED,
        "Waits::test_later": Outcome.PASSED,
        "Prepared::test_never": Outcome.ERROR,
        "Skipped::test_none": Outcome.SKIPPED,
    }
    failures = {each.test.rpartition("::")[2]: each for each in result.tests.failures}
    assert failures["test_bad"].cause is Cause.ASSERTION
    assert failures["test_bad"].message == "4 != 5"
    assert (failures["test_breaks"].file, failures["test_breaks"].line) == ("calc.py", 2)
    assert failures["test_never"].message == "OSError: no ground"
    assert result.evidence.check == "unittest"
    assert result.evidence.tool.startswith("unittest, Python 3.")


async def test_one_test_is_run_alone(tree: Path) -> None:
    (tree / "tests" / "test_calc.py").write_text(MIXED)
    (tree / "tests" / "test_other.py").write_text("raise SystemExit('not asked for')\n")

    result = await run(tree, "tests/test_calc.py::Adds::test_good")

    assert result.state is CheckState.PASS
    assert result.tests is not None
    assert list(result.tests.outcomes) == ["tests/test_calc.py::Adds::test_good"]


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("def f(:\n", Cause.SYNTAX),
        ("import no_such_module\n", Cause.ENVIRONMENT),
        ("import calc.nothing\n", Cause.IMPORT),
        ("raise SystemExit(0)\n", Cause.RUNTIME),
    ],
)
async def test_a_file_that_cannot_be_loaded_is_red_and_the_rest_runs(
    tree: Path, source: str, cause: Cause
) -> None:
    (tree / "tests" / "test_calc.py").write_text(MIXED.partition("    def test_bad")[0])
    (tree / "tests" / "test_other.py").write_text(source)

    result = await run(tree)

    assert result.state is CheckState.FAIL
    assert result.tests is not None
    assert result.tests.counts == {"passed": 1, "error": 1}
    assert [(each.test, each.cause) for each in result.tests.failures] == [("tests/test_other.py", cause)]


@pytest.mark.parametrize("how", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
async def test_a_process_that_ends_in_a_test_is_broken(tree: Path, how: str) -> None:
    body = f"import os, unittest\nclass T(unittest.TestCase):\n    def test_end(self):\n        {how}\n"
    (tree / "tests" / "test_end.py").write_text(body)

    result = await run(tree)

    assert result.state is CheckState.ERROR
    assert "tests/test_end.py::T::test_end" in result.evidence.reason


async def test_no_test_is_not_a_pass(tree: Path) -> None:
    (tree / "tests" / "test_none.py").write_text("import unittest\n")

    assert (await run(tree)).state is CheckState.NOT_MEASURED


async def test_packages_and_their_protocol_are_respected(tree: Path) -> None:
    for folder in ("tests", "tests/deep"):
        (tree / folder).mkdir(exist_ok=True)
        (tree / folder / "__init__.py").write_text("")
    body = "import unittest\nfrom . import shared\nclass T(unittest.TestCase):\n    def test_x(self): ...\n"
    (tree / "tests" / "deep" / "shared.py").write_text("")
    (tree / "tests" / "deep" / "test_deep.py").write_text(body)
    more = "import unittest\nclass T(unittest.TestCase):\n    def test_y(self): ...\n"
    chosen = "def load_tests(loader, tests, pattern):\n    return loader.suiteClass([T('test_y')])\n"
    (tree / "tests" / "test_top.py").write_text(
        more.replace("test_y(", "test_z(self): ...\n    def test_y(") + chosen
    )

    result = await run(tree)

    assert result.tests is not None
    assert set(result.tests.outcomes) == {
        "tests/deep/test_deep.py::T::test_x",
        "tests/test_top.py::T::test_y",
    }


async def test_unittest_is_chosen_where_nothing_speaks_of_pytest(tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", with_pip=False)
    bare = await find_interpreter(tmp_path, ChecksSettings())
    own = await own_interpreter()
    both = Interpreters(project=bare, own=own)
    layout = read_layout(("test_a.py",), {})
    plain = replace(layout, for_unittest=True)

    def runners(chosen: dict[str, str]) -> set[str]:
        return {"pytest", "unittest"} & set(chosen)

    assert runners(choose(ChecksSettings(), plain, both)) == {"unittest"}
    assert runners(choose(ChecksSettings(), layout, both)) == {"pytest"}
    assert runners(choose(ChecksSettings(), plain, Interpreters(project=own, own=own))) == {"pytest"}
    assert runners(choose(ChecksSettings(unittest=False), plain, both)) == {"pytest"}
    assert runners(choose(ChecksSettings(pytest=False), plain, both)) == {"unittest"}
    assert runners(choose(ChecksSettings(unittest=True), layout, both)) == {"unittest"}
    assert runners(choose(ChecksSettings(pytest=True), plain, both)) == {"pytest"}


async def test_what_is_measured_of_it_is_compared_with_the_base(bench) -> None:
    body = "import unittest\nfrom calc import add\nclass T(unittest.TestCase):\n"
    one = "    def test_one(self):\n        self.assertEqual(add(1, 2), 3)\n"
    two = "    def test_two(self):\n        self.assertIsNotNone(add(0, 2))\n"
    made = await bench(
        {"calc.py": "def add(a, b):\n    return a * b\n", "test_calc.py": body + one + two},
        settings=ChecksSettings(unittest=True, bandit={"use": False}, reruns=0),
    )
    base = await made.measure(Stage.BASE)

    await made.change({"calc.py": "def add(a, b):\n    return a + b\n"})
    good = await made.measure(Stage.TEST)
    await made.change({"test_calc.py": body + one})
    fewer = await made.measure(Stage.TEST)

    assert base.known_red == ("test_calc.py::T::test_one",)
    assert (good.failures, good.quality.tests, good.test_counts) == ((), 1.0, {"passed": 2})
    assert good.evidence_of("unittest").state is CheckState.PASS
    assert (fewer.failures, [each for each in fewer.findings if each.source == "integrity"]) == ((), [])


async def test_it_runs_under_coverage(tree: Path, tmp_path: Path) -> None:
    body = "import unittest, calc\nclass T(unittest.TestCase):\n    def test_x(self): calc.add(1, 1)\n"
    (tree / "tests" / "test_calc.py").write_text(body)
    data = tmp_path / "coverage.data"

    result = await run(tree, cover=("--source=.",), data_file=data)

    assert result.state is CheckState.PASS
    assert result.evidence.argv[2:4] == ("coverage", "run")
    assert data.is_file()
