"""Commands in a folder of their own, and a mark to find their processes by."""

import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from setpoint.system.processes import Command

_numbers = itertools.count(1)


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., Command]:
    def made(*argv: str, **bounds: Any) -> Command:
        return Command(
            argv=argv, cwd=bounds.pop("cwd", tmp_path), timeout_s=bounds.pop("timeout_s", 60.0), **bounds
        )

    return made


@pytest.fixture
def python(command: Callable[..., Command]) -> Callable[..., Command]:
    def made(program: str, **bounds: Any) -> Command:
        return command(sys.executable, "-I", "-S", "-c", program, **bounds)

    return made


@pytest.fixture
def nap() -> str:
    """A number of seconds that no other process sleeps, so that it marks this test's."""
    return f"97{os.getpid()}.{next(_numbers)}"
