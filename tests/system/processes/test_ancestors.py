from __future__ import annotations

import sys
from pathlib import Path

from setpoint.system.processes import Command, run

ASK = "from setpoint.system.processes.ancestors import supervised; print(supervised())"


async def test_what_a_command_starts_is_known_as_such_also_after_it_left_its_session(tmp_path: Path) -> None:
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {ASK!r}], start_new_session=True)"
    done = await run(Command(argv=(sys.executable, "-c", inner), cwd=tmp_path, timeout_s=60))
    assert done.text.strip() == "True", done.errors
