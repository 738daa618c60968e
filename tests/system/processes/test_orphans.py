"""Nothing lives on when Setpoint itself is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from system.processes.living import gone, there

RUNS = """
import asyncio, sys
from pathlib import Path
from setpoint.system.processes import Command, run
argv = ("sh", "-c", sys.argv[1])
asyncio.run(run(Command(argv=argv, cwd=Path.cwd(), timeout_s=600)))
"""
SPAWNS = """
import asyncio, sys
from pathlib import Path
from setpoint.system.processes import Command, spawn
async def main():
    await spawn(Command(argv=("sh", "-c", sys.argv[1]), cwd=Path.cwd(), timeout_s=600), Path("err"))
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.parametrize("program", [RUNS, SPAWNS], ids=["run", "spawn"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_tree_dies_with_its_parent(tmp_path: Path, nap: str, program: str, number: int):
    tree = f"setsid sleep {nap} & (sleep {nap} & setsid sleep {nap} &) ; sleep {nap}"
    parent = subprocess.Popen([sys.executable, "-c", program, tree], cwd=tmp_path)
    try:
        assert there(f"sleep\0{nap}", 4)
        os.kill(parent.pid, number)
        assert parent.wait() == -number
        assert gone(f"sleep\0{nap}")
        assert gone(nap)
    finally:
        parent.kill()
        parent.wait()
