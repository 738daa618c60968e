"""Getting ready to compare a selection of tests while it still runs.

As soon as a test is red that was not, the same selection is collected where the work has no part, in a
process that then waits: which of the tests it runs is said when they were red in each of their runs. No test
of it runs beside others. It is begun only where the first run was safe to fork: that run held nothing after
collecting (a socket, a file, a thread) that a second one could quarrel about.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import BinaryIO

from setpoint.evaluators.formats.pytest_report import Suite
from setpoint.store.files import write_atomic

LOOK_S = 0.03
"""Seconds between two looks into a report."""
_FORKS, _RED = b'"kind": "forks"', (b'"outcome": "failed"', b'"outcome": "error"')

Start = Callable[[Path], Awaitable[list[Suite]]]
"""Starts the process, which waits for a file at this path, and gives what its runs gave."""


class Standby:
    """A process that may be waiting; none is begun where no `start` is given."""

    def __init__(self, start: Start | None, matters: Callable[[str], bool]) -> None:
        """Begin with none; `matters` says of a red test whether it would be compared."""
        self._start = start
        self._matters = matters
        self._folder: Path | None = None
        self._begun: asyncio.Task[list[Suite]] | None = None

    async def watch(self, report: Path) -> None:
        """Begin when the first test is red, and end; goes on until it is cancelled where none is."""
        if self._start is None:
            return
        found = _Red(report, self._matters)
        try:
            while not found.look():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(LOOK_S)
        finally:
            found.close()
        self._folder = Path(tempfile.mkdtemp(prefix="setpoint-"))
        self._begun = asyncio.create_task(_made(self._start(self._folder / "word.json")))

    async def ask(self, only: tuple[str, ...], again: int) -> list[Suite]:
        """Have it run some of its tests, and again so often; gives nothing where none waits or it broke."""
        if self._begun is None or self._folder is None:
            return []
        word = json.dumps({"only": only, "again": again})
        await asyncio.to_thread(write_atomic, self._folder / "word.json", word, flush=False)
        made = await self._begun
        self._begun = None
        return made if made and made[0].exit is not None else []

    async def leave(self) -> None:
        """End what still waits."""
        if self._begun is not None:
            self._begun.cancel()
            await asyncio.gather(self._begun, return_exceptions=True)  # of no use to anybody by now
            self._begun = None
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


async def _made(started: Awaitable[list[Suite]]) -> list[Suite]:
    return await started


class _Red:
    """Looks for the first red test in a report that is being written."""

    def __init__(self, report: Path, matters: Callable[[str], bool]) -> None:
        self._report = report
        self._matters = matters
        self._file: BinaryIO | None = None
        self._rest = b""
        self._forks = False

    def look(self) -> bool:
        """Read on; whether one was found."""
        if self._file is None:
            if not self._report.exists():
                return False
            self._file = self._report.open("rb")
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        return any(self._found(line) for line in lines)

    def close(self) -> None:
        """Let go of the report."""
        if self._file is not None:
            self._file.close()

    def _found(self, line: bytes) -> bool:
        self._forks = self._forks or _FORKS in line
        if not self._forks or not any(red in line for red in _RED):
            return False
        try:
            facts = json.loads(line)
        except ValueError:  # a test wrote into it; whoever reads the report in full says so
            return False
        return isinstance(facts, dict) and facts.get("kind") == "test" and self._matters(str(facts.get("id")))
