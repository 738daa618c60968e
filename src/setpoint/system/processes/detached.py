"""A process that continues when the one that started it ends."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class DetachedProcess:
    """A process in a session of its own; what it writes goes to a file."""

    def __init__(self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], output: Path) -> None:
        """Start it; it reads nothing, and no signal to the group of this process reaches it."""
        output.parent.mkdir(parents=True, exist_ok=True)
        self._output = output
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """Return its exit code; none while it runs."""
        return self._process.poll()

    def end_of_output(self, most: int = 2000) -> str:
        """Return the last characters that it wrote."""
        return self._output.read_text("utf-8", "replace")[-most:]
