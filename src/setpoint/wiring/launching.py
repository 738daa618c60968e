"""Runs that are begun or gone on with from a page: each in a process of its own, ended with the server."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from datetime import UTC, datetime
from typing import NamedTuple

from setpoint.domain.ids import TraceId
from setpoint.errors import ExitCode
from setpoint.processes import Command, run
from setpoint.settings import whole_environment
from setpoint.wiring.crew import LONGEST_S
from setpoint.wiring.project import Project

MOST_KEPT = 20
"""Processes that failed of which the words are kept."""
_WORDS = 2000
_FINE = (ExitCode.OK, ExitCode.WAITING, ExitCode.STOPPED, ExitCode.CANCELLED)


class Failed(NamedTuple):
    """A process that could not do what it was started for."""

    what: str
    at: datetime
    said: str
    """The end of what it wrote."""


class Launcher:
    """Starts processes of Setpoint and keeps an eye on them."""

    def __init__(self, project: Project) -> None:
        """Start them in the repository of a project."""
        self._project = project
        self._tasks: set[asyncio.Task[None]] = set()
        self.failed: deque[Failed] = deque(maxlen=MOST_KEPT)
        """Those that failed, newest first."""

    def begin(self, wish: str) -> None:
        """Begin a run on a wish, or on a story by its file or id."""
        self._start(f"run {wish}", ("run", "--", wish))

    def go_on(self, trace_id: TraceId) -> None:
        """Go on with a run that stands still."""
        self._start(f"resume {trace_id}", ("resume", "--", trace_id))

    def end(self, trace_id: TraceId, reason: str) -> None:
        """End a run, whoever drives it."""
        self._start(f"cancel {trace_id}", ("cancel", f"--reason={reason}", "--", trace_id))

    async def close(self) -> None:
        """End what is still going on; each run can be resumed."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, what: str, verb: tuple[str, ...]) -> None:
        task = asyncio.get_running_loop().create_task(self._run(what, verb))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, what: str, verb: tuple[str, ...]) -> None:
        command = Command(
            # -P: nothing in the user's repository may stand in for a module of Setpoint's.
            argv=(sys.executable, "-P", "-m", "setpoint", *verb),
            cwd=self._project.root,
            environment=whole_environment(),
            timeout_s=LONGEST_S,
            merge_stderr=True,
        )
        done = await run(command)
        if done.exit_code not in _FINE:
            said = done.text[-_WORDS:].strip() or done.ending
            self.failed.appendleft(Failed(what, datetime.now(UTC), said))
