"""`kill -9`: what the agent started does not live on, and nothing edits the work copy of the resumed run."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from acceptance.conftest import RIGHT
from acceptance.test_cancel import begun
from acceptance.test_run_verb import _until

WRITES = """trap "" TERM HUP; while :; do echo x >> "{beat}"; sleep 0.1; done"""
GOES_ON = f"(setsid sh -c '{WRITES}' </dev/null >/dev/null 2>&1 &)"


@pytest.mark.parametrize("struck", ["setpoint", "its supervisors too"])
def test_nothing_of_the_agent_lives_on(repository, struck):
    beat = repository.root.parent / "played" / "beat"
    fix = {"write": "calc.py", "text": RIGHT}
    repository.agent([fix, {"shell": GOES_ON.format(beat=beat)}, {"hang": "deaf"}], [fix], counter="prompts")
    running = begun(repository)
    _until(lambda: beat.exists() or running.poll() is not None)
    supervisors = _children(running.pid)
    for pid in (running.pid, *(supervisors if struck != "setpoint" else ())):
        os.kill(pid, signal.SIGKILL)
    running.communicate()
    if struck == "setpoint":
        _until(lambda: not _writers(beat), seconds=5)
    else:
        assert _writers(beat)

    done = repository.setpoint("resume", "--json")

    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, "IMPLEMENTATION_VERIFIED"), done.stderr
    assert not _writers(beat)
    size = beat.stat().st_size
    time.sleep(0.3)
    assert beat.stat().st_size == size
    told = repository.setpoint("show", "--json").stdout
    assert ("that the run had left" in told) == (struck != "setpoint")


def _children(parent):
    tasks = Path(f"/proc/{parent}/task")
    return [int(word) for task in tasks.iterdir() for word in (task / "children").read_text().split()]


def _writers(beat):
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
        except OSError:
            continue
        if f'>> "{beat}"; sleep'.encode() in words:
            found.append(folder.name)
    return found
