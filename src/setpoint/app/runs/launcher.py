"""What is begun from a page, runs and fixes alike: each in a process of its own, ended with the server."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from datetime import UTC, datetime

from pydantic import Field

from setpoint.app.runs.child_command import verb_command
from setpoint.errors import ExitCode, UsageError
from setpoint.model.ids import TraceId
from setpoint.model.value import Instant, Text, Usd, Value
from setpoint.system.processes import run
from setpoint.wiring.project import Project

MOST_KEPT = 20
"""Processes that failed of which the words are kept."""
_WORDS = 2000
MOST_ITERATIONS = 10
"""Iterations that a run may have at most, as `limits.max_iterations`."""
_FINE = (
    ExitCode.OK,
    ExitCode.WAITING,
    ExitCode.STOPPED,
    ExitCode.CANCELLED,
    ExitCode.UNPROVEN,
    ExitCode.UNPROVABLE,
)


class ActiveCommand(Value):
    """A process that is going on."""

    what: Text
    """What it was started for, in a few words."""
    at: Instant
    trace_id: str = ""
    """The run it is about; empty for one that begins."""
    measures: bool = False
    """It tries a fix out in the work copy of its run, where one at a time has room."""
    patch: Text = ""
    """What a person wrote to be tried out."""


class RunTerms(Value):
    """What a run is begun with; what is left out is taken from the settings."""

    agent: Text = Field(default="", max_length=200)
    """Agent to use; several, with commas, race."""
    max_cost_usd: Usd | None = Field(default=None, ge=0)
    max_iterations: int | None = Field(default=None, ge=1, le=MOST_ITERATIONS)
    acceptance: Text = Field(default="", max_length=4000)
    """Commands that must exit 0, one a line."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Return the options of `setpoint run` that say it."""
        agent = f"--agents={self.agent}" if "," in self.agent else f"--agent={self.agent}"
        commands = (line.strip() for line in self.acceptance.splitlines() if line.strip())
        return (
            *((agent,) if self.agent.strip() else ()),
            *((f"--max-cost={self.max_cost_usd}",) if self.max_cost_usd is not None else ()),
            *((f"--max-iterations={self.max_iterations}",) if self.max_iterations is not None else ()),
            *(f"--accept={command}" for command in commands),
        )


class FailedCommand(Value):
    """A process that could not do what it was started for."""

    what: Text
    at: Instant
    said: Text
    """The end of what it wrote."""
    trace_id: str = ""


DEFAULT_TERMS = RunTerms()


class Launcher:
    """Starts processes of Setpoint and keeps an eye on them."""

    def __init__(self, project: Project, changed: Callable[[], None]) -> None:
        """Start them in the repository of a project; `changed` hears of each that starts or ends."""
        self._project, self._changed = project, changed
        self._tasks: set[asyncio.Task[FailedCommand | None]] = set()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.working: list[ActiveCommand] = []
        """Those that are going on or wait for their turn, oldest first."""
        self.failed: deque[FailedCommand] = deque(maxlen=MOST_KEPT)
        """Those that failed, newest first."""

    def begin(self, wish: str, terms: RunTerms = DEFAULT_TERMS) -> asyncio.Task[FailedCommand | None]:
        """Start a run for a request, or for a story by file or id; the task ends with the process."""
        return self._start(_now(f"run {wish}"), ("run", *terms.flags, "--", wish))

    def go_on(self, trace_id: TraceId) -> None:
        """Continue an interrupted or answered run."""
        self._start(_now(f"resume {trace_id}", trace_id), ("resume", "--", trace_id))

    def end(self, trace_id: TraceId, reason: str) -> None:
        """End a run, whoever drives it."""
        work = _now(f"cancel {trace_id}", trace_id)
        self._start(work, ("cancel", f"--reason={reason}", "--", trace_id))

    def take(self, trace_id: TraceId, finding: str) -> None:
        """Try a suggested fix and deliver it if it holds; raise `UsageError` if that is under way."""
        work = _now(f"the fix of {finding}", trace_id, measures=True)
        self._start(work, ("finding", "apply", f"--run={trace_id}", "--", finding))

    def rewrite(self, trace_id: TraceId, finding: str, patch: str) -> None:
        """Try a person's own fix, deliver it if it holds; `UsageError` where the same is tried already."""
        what = f"a fix of your own for {finding}"
        work = _now(what, trace_id, measures=True).model_copy(update={"patch": patch})
        self._start(work, ("finding", "rewrite", f"--run={trace_id}", "--", finding, "-"), patch)

    def busy_with(self, trace_id: str) -> tuple[ActiveCommand, ...]:
        """Return the fixes of a run that are tried out now."""
        return tuple(each for each in self.working if each.measures and each.trace_id == trace_id)

    async def close(self) -> None:
        """End what is still going on; each run can be resumed."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(
        self, work: ActiveCommand, verb: tuple[str, ...], stdin: str = ""
    ) -> asyncio.Task[FailedCommand | None]:
        tried = {(each.what, each.patch) for each in self.busy_with(work.trace_id)}
        if work.measures and (work.what, work.patch) in tried:
            raise UsageError(f"{work.what} is being tried out already", hint="wait for what comes of it")
        self.working.append(work)
        self._changed()
        task = asyncio.get_running_loop().create_task(self._run(work, verb, stdin))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, work: ActiveCommand, verb: tuple[str, ...], stdin: str) -> FailedCommand | None:
        command = verb_command(self._project.root, *verb, stdin=stdin)
        try:
            if work.measures:
                async with self._turns[work.trace_id]:
                    done = await run(command)
            else:
                done = await run(command)
        finally:
            self.working.remove(work)
            self._changed()
        # The record of the run shows a fix that was not kept.
        fine = (*_FINE, ExitCode.FINDINGS) if work.measures else _FINE
        if done.exit_code in fine:
            return None
        said = done.text[-_WORDS:].strip() or done.ending
        failed = FailedCommand(what=work.what, at=datetime.now(UTC), said=said, trace_id=work.trace_id)
        self.failed.appendleft(failed)
        return failed


def _now(what: str, trace_id: str = "", *, measures: bool = False) -> ActiveCommand:
    return ActiveCommand(what=what, at=datetime.now(UTC), trace_id=trace_id, measures=measures)
