"""What fails in the whole suite runs again in a fork that waited, with the real pytest and coverage."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.suites.test_selected import COUNTED, MIXED
from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import CheckResult, CheckState, Outcome
from setpoint.domain.ids import Commit, TraceId, Tree
from setpoint.evaluators.discovery.interpreter import find_interpreter
from setpoint.evaluators.discovery.layout import read_layout
from setpoint.evaluators.suites.python import Runner, TestSuite
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import ChecksSettings
from setpoint.store.artifacts import Artifacts

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks wait on Linux alone")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    place = tmp_path / "tree"
    (place / "tests").mkdir(parents=True)
    (place / "conftest.py").write_text(COUNTED)
    return place


async def run(tree: Path, *, covered: bool = False) -> CheckResult:
    """Run the whole suite as a verdict needs it: with a map, and with coverage where that is asked for."""
    files = {path.relative_to(tree).as_posix(): path.read_text() for path in tree.rglob("*.py")}
    runner = Runner(
        interpreter=await find_interpreter(tree, ChecksSettings(python=sys.executable)),
        layout=read_layout(tuple(files), files),
        artifacts=Artifacts(tree.parent / "artifacts"),
        timeout_s=60,
        reach=tree.parent / "reach.json",
        cover=("--branch",) if covered else None,
        data_file=tree.parent / "coverage.data" if covered else None,
    )
    copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
    measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST)
    return await TestSuite(runner=runner, reruns=2).run(measured)


def outcomes(result: CheckResult) -> dict[str, Outcome]:
    assert result.tests is not None
    return {test.partition("::")[2]: outcome for test, outcome in result.tests.outcomes.items()}


def starts(tree: Path) -> int:
    return len((tree / "starts.txt").read_text().split())


@pytest.mark.parametrize("covered", [False, True])
async def test_what_fails_runs_again_without_a_new_start_where_nothing_ran(
    tree: Path, *, covered: bool
) -> None:
    (tree / "tests/test_a.py").write_text(MIXED)

    result = await run(tree, covered=covered)

    assert result.state is CheckState.FAIL
    assert outcomes(result) == {
        "test_first": Outcome.PASSED,
        "test_red": Outcome.FAILED,
        "test_flaky": Outcome.FLAKY,
        "test_fresh": Outcome.FLAKY,  # it fails where test_first ran before it
    }
    assert starts(tree) == 1
    assert len((tree / "red.txt").read_text().split()) == 3
    reached = json.loads((tree.parent / "reach.json").read_text())
    assert len(reached["tests"]) == 4


SECOND = """
from pathlib import Path
import work

def test_second():
    if Path("ran.txt").exists():
        work.second()
        return
    Path("ran.txt").touch()
    work.first()
    assert False
"""


APART = """
import pytest, work

@pytest.fixture(scope="session")
def shop():
    yield
    work.last()

def pytest_runtest_protocol(item, nextitem):
    if item.name != "test_apart":
        return None
    # As plugins do that run a test in a process of its own: nothing ends here, though no other test comes.
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for when in ("setup", "call", "teardown"):
        report = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, when)
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""
LEFT = """
import work
def test_uses(shop):
    work.first()
def test_red():
    assert 0
def test_apart():
    pass
"""


async def lines_of(tree: Path, path: str) -> list[int]:
    """Ask coverage which lines of a file ran."""
    command = [sys.executable, "-m", "coverage", "json", "-q", "-o", "-"]
    command.append(f"--data-file={tree.parent}/coverage.data")
    done = await asyncio.to_thread(subprocess.run, command, cwd=tree, capture_output=True, check=True)
    lines: list[int] = json.loads(done.stdout)["files"][path]["executed_lines"]
    return lines


async def test_coverage_is_that_of_the_whole_suite_alone(tree: Path) -> None:
    (tree / "work.py").write_text("def first():\n    return 1\n\ndef second():\n    return 2\n")
    (tree / "tests/test_a.py").write_text(SECOND)

    result = await run(tree, covered=True)

    assert outcomes(result) == {"test_second": Outcome.FLAKY}
    assert starts(tree) == 1
    assert await lines_of(tree, "work.py") == [1, 2, 4]


async def test_coverage_knows_what_fixtures_do_that_end_with_the_session(tree: Path) -> None:
    (tree / "tests/conftest.py").write_text(APART)
    (tree / "work.py").write_text("def first():\n    return 1\n\ndef last():\n    return 2\n")
    (tree / "tests/test_a.py").write_text(LEFT)

    result = await run(tree, covered=True)

    expected = {"test_uses": Outcome.PASSED, "test_red": Outcome.FAILED, "test_apart": Outcome.PASSED}
    assert outcomes(result) == expected
    assert await lines_of(tree, "work.py") == [1, 2, 4, 5]
    reach = json.loads((tree.parent / "reach.json").read_text())
    seen = {
        tuple(reach["points"][each]) for each in reach["sets"][reach["tests"]["tests/test_a.py::test_uses"]]
    }
    assert {("work.py", 1), ("work.py", 4)} <= seen


async def test_a_file_that_cannot_be_collected_keeps_nothing_from_running_again(tree: Path) -> None:
    (tree / "tests/test_a.py").write_text(MIXED)
    (tree / "tests/test_b.py").write_text("import nowhere\n")

    result = await run(tree)

    assert result.tests is not None
    assert result.tests.outcomes["tests/test_b.py"] is Outcome.ERROR
    assert outcomes(result)["test_flaky"] is Outcome.FLAKY
    assert starts(tree) == 1


ALONE = """
import os
import pytest

def test_no_child_of_ours():
    with pytest.raises(ChildProcessError):
        os.wait()

def test_pipes_closed():
    held = {number: _pipe(number) for number in os.listdir("/proc/self/fd")}
    pipes = [number for number, name in held.items() if name and list(held.values()).count(name) == 1]
    for number in pipes:
        os.dup2(os.open("mine.txt", os.O_CREAT | os.O_WRONLY), int(number))
    assert not pipes

def _pipe(number):
    try:
        name = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""
    return name if name.startswith("pipe:") else ""
"""


async def test_tests_see_no_child_and_may_close_what_is_open(tree: Path) -> None:
    (tree / "tests/test_a.py").write_text(ALONE)

    result = await run(tree)

    assert outcomes(result)["test_no_child_of_ours"] is Outcome.PASSED
    assert (tree / "mine.txt").read_bytes() == b""
    assert starts(tree) > 1  # nobody was told, so that it was started anew


KILLS = """
import os, signal, time

def test_kills_who_waits():
    ours = {_pipe("self", number) for number in os.listdir("/proc/self/fd")} - {""}
    for process in os.listdir("/proc"):
        if not process.isdigit() or int(process) in (os.getpid(), os.getppid()):
            continue
        try:
            same = ours & {_pipe(process, number) for number in os.listdir(f"/proc/{process}/fd")}
            mine = open(f"/proc/{process}/cmdline").read() == open("/proc/self/cmdline").read()
        except OSError:
            continue
        if same and mine:
            os.kill(int(process), signal.SIGKILL)
            time.sleep(0.3)
            open("killed.txt", "a").write("killed ")
    assert False

def _pipe(process, number):
    try:
        name = os.readlink(f"/proc/{process}/fd/{number}")
    except OSError:
        return ""
    return name if name.startswith("pipe:") else ""
"""


async def test_where_somebody_kills_who_waits_processes_are_started(tree: Path) -> None:
    (tree / "tests/test_a.py").write_text(KILLS)

    result = await run(tree)

    assert (tree / "killed.txt").read_text()
    assert result.state is CheckState.FAIL
    assert outcomes(result) == {"test_kills_who_waits": Outcome.FAILED}
    assert starts(tree) > 1


HANGS = """
import time
from pathlib import Path

def test_hangs_the_second_time():
    if Path("ran.txt").exists():
        time.sleep(50)
    Path("ran.txt").touch()
    assert False
"""


async def test_what_hangs_when_it_runs_again_stays_red(tree: Path) -> None:
    (tree / "conftest.py").write_text(f"{COUNTED}\nimport setpoint_tries\nsetpoint_tries._PATIENCE_S = 0.3\n")
    (tree / "tests/test_a.py").write_text(HANGS)

    result = await run(tree)

    assert result.state is CheckState.FAIL
    assert outcomes(result) == {"test_hangs_the_second_time": Outcome.FAILED}
    assert result.evidence.duration_s < 40
    assert starts(tree) == 1


async def test_nothing_waits_for_a_suite_that_died(tree: Path) -> None:
    (tree / "tests/test_a.py").write_text("import os\ndef test_dies():\n    os._exit(3)\n")

    result = await run(tree)

    assert result.state is not CheckState.PASS
    assert str(tree) not in {
        _folder(process) for process in Path("/proc").iterdir() if process.name.isdigit()
    }


def _folder(process: Path) -> str:
    try:
        return str((process / "cwd").readlink())
    except OSError:
        return ""
