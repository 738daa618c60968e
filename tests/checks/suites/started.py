"""How the tests of small projects are started with the real pytest."""

from __future__ import annotations

import sys
from pathlib import Path

from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.suites.pytest import Runner
from setpoint.settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts


async def runner_of(place: Path, *args: str) -> Runner:
    """Start the tests of a folder without the plugins that happen to be installed here."""
    interpreter = await find_interpreter(place, ChecksSettings(python=sys.executable))
    files = {
        path.relative_to(place).as_posix(): path.read_text(errors="replace") for path in place.rglob("*.py")
    }
    return Runner(
        interpreter=interpreter,
        layout=read_layout(tuple(files), files),
        artifacts=Artifacts(place.parent / "artifacts"),
        timeout_s=60,
        args=("-p", "no:xdist", *args),
        variables={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
