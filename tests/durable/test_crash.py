"""What is left of a run when its process is really killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from setpoint.durable.dbos import DbosEngine
from setpoint.system.files.locks import RunLocks
from setpoint.testing.contracts.counted_run import TRACE, Answer, Counter

TESTS = Path(__file__).parents[1]


def begin(folder: Path, where: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYTHONWARNINGS": "error"}
    program = [sys.executable, str(TESTS / "durable" / "crashing_run.py"), str(folder), where]
    return subprocess.Popen(
        program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, (out + err).strip()


def seen(path: Path, process: subprocess.Popen[str]) -> str:
    while not path.exists() or (path.name == "hangs" and not path.read_text("ascii")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return path.read_text("ascii")


@pytest.mark.parametrize(
    ("where", "second"), [("in-step", 2), pytest.param("between-steps", 1, marks=pytest.mark.slow)]
)
def test_after_kill_9_only_the_unfinished_step_is_done_again(tmp_path: Path, where: str, second: int) -> None:
    assert end(begin(tmp_path, where)) == (-signal.SIGKILL, "")
    assert RunLocks(tmp_path / "state").owner(TRACE) is None
    assert end(begin(tmp_path, "none")) == (0, f"1 {second} 1 nobody")
    counter = Counter(tmp_path)
    assert [counter.times(name) for name in ("first", "second", "third")] == [1, second, 1]


@pytest.mark.slow
def test_killed_twice_in_the_same_step_it_still_goes_on(tmp_path: Path) -> None:
    for _ in range(2):
        assert end(begin(tmp_path, "in-step"))[0] == -signal.SIGKILL
    assert end(begin(tmp_path, "none")) == (0, "1 3 1 nobody")


@pytest.mark.smoke
def test_a_gate_is_answered_while_its_run_is_dead(tmp_path: Path) -> None:
    waiting = begin(tmp_path, "in-wait")
    seen(tmp_path / "waiting", waiting)
    assert RunLocks(tmp_path / "state").owner(TRACE) == waiting.pid
    waiting.kill()
    assert end(waiting)[0] == -signal.SIGKILL
    DbosEngine(tmp_path / "state").signal(TRACE, "gate", Answer(text="approved"), "gate-1")
    assert end(begin(tmp_path, "none")) == (0, "1 1 1 approved")


def test_ctrl_c_ends_the_step_with_its_processes_and_the_run_can_go_on(tmp_path: Path) -> None:
    hanging = begin(tmp_path, "hang")
    sleeper = int(seen(tmp_path / "hangs", hanging))
    hanging.send_signal(signal.SIGINT)
    assert end(hanging) == (130, "")
    with pytest.raises(ProcessLookupError):
        os.kill(sleeper, 0)
    assert end(begin(tmp_path, "none")) == (0, "1 2 1 nobody")
