"""Finding the line at fault with the real pytest under our own tracer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from checks.conftest import write
from plain_pytest import PLAIN
from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.tests import line_traces
from setpoint.checks.localise.python_spectra import PythonSpectra
from setpoint.checks.localise.suspicious_lines import MOST_SUSPECTS, NOT_WATCHED, OFF, Localised, Localiser
from setpoint.checks.suites.pytest import Runner
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, Failure, Frame
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts

CODE = """def clamp(value, low, high):
    if value < low:
        return high
    if value > high:
        return high
    return value


def double(value):
    total = value
    for _ in range(3000):
        total = value + value
    return total
"""
TESTS = """import pytest
from src.shapes import clamp, double

def test_low(): assert clamp(-1, 0, 9) == 0
def test_lower(): assert clamp(-5, 0, 9) == 0
def test_high(): assert clamp(99, 0, 9) == 9
def test_between(): assert clamp(5, 0, 9) == 5
def test_double(): assert double(2) == 4
@pytest.mark.xfail
def test_expected(): assert clamp(-1, 0, 9) == 0
"""
FILES = {"src/shapes.py": CODE, "tests/test_shapes.py": TESTS, "tests/test_other.py": "def test_x(): pass\n"}


def failure(name: str, cause: Cause = Cause.ASSERTION, frames: tuple[Frame, ...] = ()) -> Failure:
    test = f"tests/test_shapes.py::{name}"
    return Failure(test=test, cause=cause, message="m", file="tests/test_shapes.py", line=4, frames=frames)


@pytest.fixture
def look(tmp_path: Path):
    async def at(*failures: Failure, files=FILES, changed=None, limit_s: float = 20.0) -> Localised:
        tree = tmp_path / "tree"
        write(tree, files)
        runner = Runner(
            interpreter=await find_interpreter(tree, ChecksSettings(python=sys.executable)),
            layout=read_layout(tuple(files), files),
            artifacts=Artifacts(tmp_path / "artifacts"),
            timeout_s=60,
            args=PLAIN,
        )
        copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
        measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST)
        spectra = PythonSpectra(runner=runner, files=tuple(files))
        localiser = Localiser(spectra=(spectra,), limit_s=limit_s, changed=changed or {})
        return await localiser.look(measured, failures)

    return at


async def test_the_line_that_only_failing_tests_run_is_first(look) -> None:
    found = await look(failure("test_low"), failure("test_lower"))

    first, *others = found.suspects
    assert (first.file, first.line, first.rank, first.score) == ("src/shapes.py", 3, 1, 1.0)
    assert (first.text, first.changed) == ("return high", False)
    assert [each.line for each in others] == [2]
    assert "Ochiai over 2 failing and 3 passing tests" in found.how


async def test_changed_lines_come_first_though_others_score_more(look) -> None:
    found = await look(failure("test_low"), changed={"src/shapes.py": {2, 10}})

    assert [(each.line, each.changed) for each in found.suspects] == [(2, True), (3, False)]


async def test_each_cause_is_scored_by_itself(look) -> None:
    files = {**FILES, "src/shapes.py": CODE.replace("value + value", "value * 3")}
    low = [failure(name) for name in ("test_low", "test_lower")]
    double = failure("test_double").model_copy(update={"line": 8})

    found = await look(*low, double, files=files)

    lines = [each.line for each in found.suspects]
    assert lines[0] == 3  # two of the three failing tests run it
    assert lines.index(12) < lines.index(2)  # which passing tests run, too


async def test_what_stands_in_the_traceback_is_raised(look) -> None:
    frame = Frame(file="src/shapes.py", line=2, function="clamp")
    found = await look(failure("test_low", Cause.RUNTIME, (frame,)))

    assert {each.line: each.score for each in found.suspects}[2] >= 0.9


@pytest.mark.parametrize("cause", [Cause.ENVIRONMENT, Cause.SYNTAX, Cause.IMPORT, Cause.CRASH, Cause.TIMEOUT])
async def test_what_does_not_lie_in_the_code_is_not_looked_for(look, cause: Cause) -> None:
    found = await look(failure("test_low", cause))
    assert found.suspects == ()
    assert f"the tests end otherwise ({cause})" in found.how


async def test_no_time_is_no_search(look) -> None:
    assert await look(failure("test_low"), limit_s=0) == Localised(how=OFF)


STARTS = """import os
import subprocess
import sys
from src.shapes import clamp

def call(code): return subprocess.run([sys.executable, "-c", code], check=False).returncode
def test_low(): assert call("raise SystemExit(1)") == 0
def test_lower(): assert os.system("exit 1") == 0
def test_high(): assert clamp(-5, 0, 9) == subprocess.Popen([sys.executable, "-c", ""]).wait()
"""


@pytest.mark.parametrize(
    ("test", "called", "seen"),
    [
        ("test_low", "subprocess.run", False),
        ("test_lower", "os.system", False),
        ("test_high", "subprocess.Popen", True),
    ],
)
async def test_processes_that_tests_start_are_named(look, test, called, seen) -> None:
    found = await look(failure(test), files={**FILES, "tests/test_shapes.py": STARTS})

    named = f"the tests start processes (`{called}` in tests/test_shapes.py), and what runs there is not seen"
    assert named in found.how
    assert bool(found.suspects) is seen
    assert ("run no line of the project's code in their own process" in found.how) is not seen


async def test_a_test_that_passes_under_the_tracer_says_so(look) -> None:
    found = await look(failure("test_high"))

    assert (found.suspects, found.how) == (
        (), "not localised: no failing test failed again while it was watched",
    )  # fmt: skip


async def test_a_run_that_dies_keeps_what_was_traced_and_names_trouble(look) -> None:
    dies = "import os\n\ndef test_dies(): os._exit(3)\n"
    files = {**FILES, "tests/test_shapes.py": TESTS + "\n" + dies}
    found = await look(failure("test_low"), failure("test_dies"), files=files)
    assert {each.line for each in found.suspects} == {2, 3}

    broken = await look(failure("test_low"), files={**FILES, "conftest.py": "import os\nos._exit(1)\n"})
    assert broken.suspects == ()
    assert "not localised: the tracing plugin wrote no report" in broken.how


async def test_when_the_time_is_up_no_more_tests_are_begun(look) -> None:
    slow = "".join(f"def test_slow{n}(): time.sleep(0.2)\n" for n in range(60))
    files = {**FILES, "tests/test_shapes.py": f"import time\n{TESTS}{slow}"}
    found = await look(failure("test_low"), files=files, limit_s=0.3)

    assert {each.line for each in found.suspects} <= {2, 3}  # how far it got hangs on the machine
    assert found.suspects
    assert int(found.how.split(" and ")[1].split()[0]) < 60


async def test_no_more_suspects_than_the_bound(look) -> None:
    long = "def f():\n" + "".join(f"    x = {n}\n" for n in range(50)) + "    return 0\n"
    test = "from src.long import f\n\ndef test_low(): assert f()\n"
    found = await look(failure("test_low"), files={"src/long.py": long, "tests/test_shapes.py": test})

    assert len(found.suspects) == MOST_SUSPECTS


@pytest.mark.parametrize("text", [b"{}\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b'{"id": 1}\n', b"null\n"])
def test_a_report_that_is_not_ours_is_bad(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "traced.jsonl"
    path.write_bytes(text)
    with pytest.raises(BadReport, match=r"traced.jsonl\) is not readable in line 1"):
        line_traces.read(path)


async def test_tests_of_another_language_are_answered_with_the_reason(look) -> None:
    found = await look(Failure(test="example.com/calc::TestAdd", cause=Cause.CRASH, message="panic: nil map"))

    assert found == Localised(how=NOT_WATCHED)


WRITTEN = """class Box:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value - 1 == other.value

    def __repr__(self):
        return shown(self)


def shown(box):
    return f"Box({box.value})"
"""


async def test_what_runs_only_as_a_failure_is_written_is_no_suspect(look) -> None:
    tests = "from src.shapes import Box\n\n\ndef test_box(): assert [Box(1)] == [Box(1)]\n"
    files = {"src/shapes.py": WRITTEN, "tests/test_shapes.py": tests, "conftest.py": ""}

    found = await look(failure("test_box"), files=files)

    assert {each.line for each in found.suspects} == {3, 6}, found
