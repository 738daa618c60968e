"""Every way a run of pytest can end, with the real pytest."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.flaky.flaky import FlakyRule
from setpoint.checks.suites.pytest import Runner, TestSuite
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, CheckState, Outcome
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts

MANY = """
import os
import pytest

def test_good(): pass

@pytest.mark.parametrize("n", [1, 2])
def test_each(n): assert n == 1

def test_runtime(): {}["x"]

@pytest.mark.skip(reason="not now")
def test_skipped(): pass

@pytest.mark.xfail
def test_expected(): assert 0

@pytest.mark.xfail
def test_better(): pass

@pytest.fixture
def broken(): raise PermissionError(13, "Permission denied")

def test_setup(broken): pass

@pytest.fixture
def late():
    yield
    assert 0, "late"

def test_teardown(late): pass

def test_process():
    import subprocess
    subprocess.run(["no-such-program-anywhere"])
"""


async def run(tree: Path, files: dict[str, str], *, timeout_s: float = 60.0, **more):
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    interpreter = await find_interpreter(tree, ChecksSettings(python=sys.executable))
    runner = Runner(
        interpreter=interpreter,
        layout=read_layout(tuple(files), files),
        artifacts=Artifacts(tree.parent / "artifacts"),
        timeout_s=timeout_s,
        args=more.pop("args", PLAIN),
        memory_bytes=more.pop("memory_bytes", None),
    )
    copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
    measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST)
    return await TestSuite(runner=runner, **more).run(measured)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    place = tmp_path / "tree"
    place.mkdir()
    return place


async def test_every_outcome_and_every_cause(tree: Path) -> None:
    result = await run(tree, {"tests/test_many.py": MANY, "tests/test_bad.py": "def test_x(:\n"})

    outcomes = {test.partition("::")[2]: outcome for test, outcome in result.tests.outcomes.items()}
    assert outcomes == {
        "test_good": Outcome.PASSED,
        "test_each[1]": Outcome.PASSED,
        "test_each[2]": Outcome.FAILED,
        "test_runtime": Outcome.FAILED,
        "test_skipped": Outcome.SKIPPED,
        "test_expected": Outcome.XFAILED,
        "test_better": Outcome.XPASSED,
        "test_setup": Outcome.ERROR,
        "test_teardown": Outcome.ERROR,
        "test_process": Outcome.FAILED,
        "": Outcome.ERROR,
    }
    causes = {failure.test.partition("::")[2]: failure.cause for failure in result.tests.failures}
    assert causes == {
        "": Cause.SYNTAX,
        "test_each[2]": Cause.ASSERTION,
        "test_runtime": Cause.RUNTIME,
        "test_setup": Cause.ENVIRONMENT,
        "test_teardown": Cause.ASSERTION,
        "test_process": Cause.ENVIRONMENT,
    }
    assert result.state is CheckState.FAIL
    assert result.tests.complete
    assert result.evidence.exit_code == 1


async def test_the_cause_is_the_deepest_frame_of_the_project(tree: Path) -> None:
    code = "def inner(x):\n    return x['a']\n\ndef outer(x):\n    return inner(x)\n"
    test = "from calc import outer\n\ndef test_outer():\n    outer({})\n"

    result = await run(tree, {"src/calc.py": code, "tests/test_calc.py": test})

    (failure,) = result.tests.failures
    assert (failure.file, failure.line, failure.message) == ("src/calc.py", 2, "KeyError: 'a'")


async def test_an_interpreter_that_dies_is_an_error_that_names_the_test(tree: Path) -> None:
    test = "import os\n\ndef test_good(): pass\n\ndef test_dies(): os._exit(0)\n\ndef test_never(): pass\n"

    result = await run(tree, {"test_a.py": test}, flaky=FlakyRule(reruns=2))

    assert result.state is CheckState.ERROR
    assert "test_a.py::test_dies" in result.evidence.reason
    assert result.evidence.exit_code == 0
    (failure,) = result.tests.failures
    assert (failure.test, failure.cause) == ("test_a.py::test_dies", Cause.CRASH)
    assert not result.tests.complete


async def test_a_hanging_test_is_an_error_that_names_it(tree: Path) -> None:
    test = "import time\n\ndef test_hangs():\n    time.sleep(600)\n"

    result = await run(tree, {"test_a.py": test}, timeout_s=6)

    assert result.state is CheckState.ERROR
    assert [failure.cause for failure in result.tests.failures] == [Cause.TIMEOUT]


@pytest.mark.parametrize(
    ("files", "args", "said"),
    [
        ({"test_a.py": "def test_a(): pass\n"}, ("--no-such-option",), "unrecognized arguments"),
        ({"conftest.py": "raise SystemExit(0)\n", "test_a.py": "def test_a(): pass\n"}, (), "pytest"),
        (
            {"conftest.py": "import os\nos._exit(0)\n", "test_a.py": "def test_a(): pass\n"},
            (),
            "pytest wrote no report",
        ),
        (
            {
                "test_a.py": "import pytest\n\ndef test_a():\n    pytest.exit('enough', 0)\n",
                "test_b.py": "def test_b(): pass\n",
            },
            (),
            "never ran",
        ),
        (
            {
                "conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 7\n",
                "test_a.py": "def test_a(): pass\n",
            },
            (),
            "exit code 7",
        ),
        (
            {
                "conftest.py": "def pytest_collection_finish():\n    raise RuntimeError('x')\n",
                "test_a.py": "def test_a(): pass\n",
            },
            (),
            "RuntimeError",
        ),
    ],
)
async def test_a_broken_run_is_never_a_pass(tree: Path, files, args, said: str) -> None:
    result = await run(tree, files, args=args)

    assert result.state is CheckState.ERROR
    assert said in result.evidence.reason


async def test_an_exit_code_of_zero_does_not_hide_a_failure(tree: Path) -> None:
    files = {
        "conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
        "test_a.py": "def test_a(): assert 0\n",
    }

    result = await run(tree, files)

    assert (result.state, result.evidence.exit_code) == (CheckState.FAIL, 0)


async def test_no_test_collected_is_not_measured(tree: Path) -> None:
    result = await run(tree, {"test_a.py": "def helper(): pass\n"})

    assert result.state is CheckState.NOT_MEASURED


async def test_a_selection_by_test_and_by_file(tree: Path) -> None:
    files = {"test_a.py": MANY, "test_b.py": "def test_b(): pass\n", "test_c.py": "def test_c(): pass\n"}

    result = await run(tree, files, only=("test_a.py::test_good", "test_b.py", "test_gone.py::test_x"))

    assert list(result.tests.outcomes) == ["test_a.py::test_good", "test_b.py::test_b"]
    assert not result.tests.complete


async def test_what_the_project_leaves_out_is_told(tree: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = -k good\n",
        "test_a.py": "def test_good(): pass\n\ndef test_other(): pass\n",
    }

    result = await run(tree, files)

    assert result.tests.outcomes["test_a.py::test_other"] is Outcome.DESELECTED


async def test_unittest_cases_and_fail_fast_options(tree: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = -x\n",
        "test_a.py": "import unittest\n\nclass TestA(unittest.TestCase):\n"
        "    def test_a(self): self.assertEqual(1, 2)\n    def test_b(self): pass\n",
    }

    result = await run(tree, files)

    assert list(result.tests.outcomes.values()) == [Outcome.FAILED, Outcome.PASSED]
    assert result.tests.failures[0].cause is Cause.ASSERTION


ENVIRONMENT = """
import errno
import pytest

def test_from():
    try:
        raise ConnectionRefusedError(errno.ECONNREFUSED, "no")
    except OSError as error:
        raise ValueError("could not fetch") from error

def test_forbidden():
    raise PermissionError("only the owner may close the shop")

def test_dropped():
    raise ConnectionError("the pool is closed")

def test_disk():
    raise OSError(errno.ENOSPC, "No space left on device")

def test_speaks_of_it():
    assert "connection refused" == ""

def test_foreign():
    import no_such_distribution

def test_own():
    from calc import no_such_name

def test_late():
    raise TimeoutError("slow")
"""


async def test_the_class_of_a_cause_in_its_order(tree: Path) -> None:
    result = await run(tree, {"src/calc.py": "", "tests/test_e.py": ENVIRONMENT})

    causes = {failure.test.partition("::")[2]: failure.cause for failure in result.tests.failures}
    assert causes == {
        "test_from": Cause.ENVIRONMENT,
        "test_forbidden": Cause.RUNTIME,
        "test_dropped": Cause.RUNTIME,
        "test_disk": Cause.ENVIRONMENT,
        "test_speaks_of_it": Cause.ASSERTION,
        "test_foreign": Cause.ENVIRONMENT,
        "test_own": Cause.IMPORT,
        "test_late": Cause.TIMEOUT,
    }
    own = next(failure for failure in result.tests.failures if failure.test.endswith("test_own"))
    assert (own.error, own.frames[-1].function) == ("ImportError", "test_own")


NOISY = """
import os
import sys

def test_noise(capfd):
    with capfd.disabled():
        for _ in range(30):
            os.write(1, os.urandom(30_000))

def test_greedy():
    bytearray(3 << 30)
"""


async def test_binary_floods_and_greed_for_memory_leave_a_result(tree: Path) -> None:
    result = await run(tree, {"test_n.py": NOISY}, memory_bytes=2 << 30)

    assert result.state is CheckState.FAIL
    assert list(result.tests.outcomes.values()) == [Outcome.PASSED, Outcome.FAILED]
    assert result.tests.failures[0].error == "MemoryError"


async def test_a_projects_own_options_may_switch_plugins_off(tree: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = -p no:xdist -p no:pytest_cov\n",
        "test_a.py": "def test_a(): pass\n",
    }

    result = await run(tree, files)

    assert (result.state, result.evidence.reason) == (CheckState.PASS, "")


async def test_a_file_of_tests_named_as_an_option_is_run(tree: Path) -> None:
    files = {"--collect-only/test_a.py": "def test_a(): assert 0\n", "test_b.py": "def test_b(): pass\n"}

    result = await run(tree, files, only=("--collect-only/test_a.py", "test_b.py"))

    outcomes = {"--collect-only/test_a.py::test_a": Outcome.FAILED, "test_b.py::test_b": Outcome.PASSED}
    assert result.tests.outcomes == outcomes


@pytest.mark.parametrize(
    ("chosen", "met"), [("", gc.get_threshold()), ("gc.set_threshold(50, 5, 5)", (50, 5, 5))]
)
async def test_tests_meet_the_collector_of_memory_that_the_project_chose(
    tree: Path, chosen: str, met: tuple[int, ...]
) -> None:
    text = f"import gc\n\ndef test_it():\n    assert gc.isenabled() and gc.get_threshold() == {met}\n"

    result = await run(tree, {"tests/conftest.py": f"import gc\n{chosen}\n", "tests/test_gc.py": text})

    assert result.state is CheckState.PASS
