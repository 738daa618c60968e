"""What a selection of tests makes and runs, with the real pytest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.flaky.flaky import FlakyRule
from setpoint.checks.suites.pytest import Runner, TestSuite
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState, Outcome
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts

CONFTEST = """
from pathlib import Path

def pytest_generate_tests(metafunc):
    with Path("made.txt").open("a") as file:
        print(metafunc.function.__qualname__, file=file)
    if "n" in metafunc.fixturenames:
        metafunc.parametrize("n", ["a[b]::c", "d"])
"""
TESTS = """
import unittest

def test_one(n): pass

def test_two(n): pass

class TestAll:
    def test_in(self): pass
    class TestInner:
        def test_deep(self, n): pass
        def test_other(self): pass

class TestOld(unittest.TestCase):
    def test_old(self): pass
    def test_older(self): pass
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    place = tmp_path / "tree"
    (place / "tests").mkdir(parents=True)
    (place / "conftest.py").write_text(CONFTEST)
    (place / "tests/test_a.py").write_text(TESTS)
    (place / "tests/test_b.py").write_text("def test_one(): pass\n")
    return place


async def run(tree: Path, *only: str, reruns: int = 0) -> CheckResult:
    interpreter = await find_interpreter(tree, ChecksSettings(python=sys.executable))
    files = {path.relative_to(tree).as_posix(): path.read_text() for path in tree.rglob("*.py")}
    runner = Runner(
        interpreter=interpreter,
        layout=read_layout(tuple(files), files),
        artifacts=Artifacts(tree.parent / "artifacts"),
        timeout_s=60,
        args=PLAIN,
    )
    copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
    measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST)
    return await TestSuite(runner=runner, only=only, flaky=FlakyRule(reruns=reruns)).run(measured)


@pytest.mark.parametrize(
    ("asked", "ran", "made"),
    [
        ("test_a.py::test_one[a[b]::c]", ["test_one[a[b]::c]"], ["test_one"]),
        ("test_a.py::test_one", ["test_one[a[b]::c]", "test_one[d]"], ["test_one"]),
        ("test_a.py::TestAll", 4, ["TestAll.test_in", "TestInner.test_deep", "TestInner.test_other"]),
        ("test_a.py::TestAll::TestInner::test_deep[d]", 1, ["TestAll.TestInner.test_deep"]),
        ("test_a.py::TestOld::test_older", ["TestOld::test_older"], []),
        ("test_b.py", ["test_one"], ["test_one"]),
    ],
)
async def test_only_what_is_wanted_is_made(
    tree: Path, asked: str, ran: list[str] | int, made: list[str]
) -> None:
    result = await run(tree, f"tests/{asked}")

    assert result.state is CheckState.PASS
    assert result.tests is not None
    names = [test.partition("::")[2] for test in result.tests.outcomes]
    assert (names if isinstance(ran, list) else len(names)) == ran
    assert set(result.tests.outcomes.values()) == {Outcome.PASSED}
    kept = (tree / "made.txt").read_text().split() if (tree / "made.txt").is_file() else []
    assert len(kept) == len(made)
    assert all(name.endswith(made[number].rpartition(".")[2]) for number, name in enumerate(kept))


async def test_a_whole_run_leaves_no_open_file_of_ours(tree: Path) -> None:
    (tree / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")

    result = await run(tree, "tests/test_b.py")

    assert "ResourceWarning" not in Artifacts(tree.parent / "artifacts").read(result.evidence.output).decode()


COUNTED = """
from pathlib import Path
with Path("starts.txt").open("a") as file:
    print("start", file=file)
"""
MIXED = """
from pathlib import Path
import os
SEEN = []

def times(name):
    with Path(name).open("a") as file:
        print(os.getpid(), file=file)
    return len(set(Path(name).read_text().split()))

def test_first():
    SEEN.append(1)

def test_red():
    assert times("red.txt") == 0

def test_flaky():
    assert times("flaky.txt") > 1

def test_fresh():
    SEEN.append(1)
    times("fresh.txt")
    assert len(SEEN) < 2
"""


async def test_what_fails_runs_again_in_a_new_process_without_what_ran_before(tree: Path) -> None:
    (tree / "conftest.py").write_text(COUNTED)
    (tree / "tests/test_a.py").write_text(MIXED)

    result = await run(tree, "tests/test_a.py", "tests/test_b.py", reruns=2)

    assert {test.partition("::")[2]: outcome for test, outcome in result.tests.outcomes.items()} == {
        "test_first": Outcome.PASSED,
        "test_red": Outcome.FAILED,
        "test_flaky": Outcome.FLAKY,
        "test_fresh": Outcome.FLAKY,
        "test_one": Outcome.PASSED,
    }
    tried = {name: (tree / f"{name}.txt").read_text().split() for name in ("red", "flaky", "fresh", "starts")}
    assert {name: len(lines) for name, lines in tried.items()} == {
        "red": 3,
        "flaky": 2,
        "fresh": 2,
        "starts": 3,
    }
    assert len(set(tried["red"])) == len(tried["red"])
    assert result.evidence.exit_code == 1


@pytest.mark.parametrize("dies", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
async def test_a_selection_that_dies_is_an_error_and_is_not_run_again(tree: Path, dies: str) -> None:
    (tree / "conftest.py").write_text(COUNTED)
    (tree / "tests/test_a.py").write_text(f"import os\ndef test_dies():\n    {dies}\ndef test_b(): pass\n")

    result = await run(tree, "tests/test_a.py", reruns=2)

    assert result.state is CheckState.ERROR
    assert "test_a.py::test_dies" in result.evidence.reason
    assert result.evidence.exit_code == (0 if "_exit" in dies else -9)
    assert (tree / "starts.txt").read_text().count("start") == 1


async def test_of_many_red_tests_the_source_around_is_shown_of_the_first(tree: Path) -> None:
    many = "import pytest\n@pytest.mark.parametrize('n', range(60))\ndef test_many(n):\n    assert n == -1\n"
    (tree / "conftest.py").unlink()
    (tree / "tests/test_a.py").write_text(many)

    result = await run(tree, "tests/test_a.py")

    first, last = result.tests.failures[0], result.tests.failures[-1]
    assert len(result.tests.failures) == 60
    assert "def test_many(n):" in first.detail
    assert "def test_many(n):" not in last.detail
    assert "Traceback" in last.detail or "File " in last.detail
    assert (last.message, last.file, last.line) == ("assert 59 == -1", "tests/test_a.py", 4)
