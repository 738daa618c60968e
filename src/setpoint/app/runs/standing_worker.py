"""A worker that stays: one for each repository, with the forge and the report of each shift beside it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from setpoint.app.forge.flow import sync_if_free
from setpoint.app.runs.notices import tell_all
from setpoint.app.runs.worker_pool import WorkerPool
from setpoint.app.views.night import shift_notice, shift_report
from setpoint.errors import RunInUse, UsageError
from setpoint.model.ids import StoryId, TraceId
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import Project

LOCK = TraceId("worker")
"""Held by the worker of a repository; the names of those that share a database begin so."""


@contextmanager
def only_worker(project: Project) -> Iterator[None]:
    """Be the only worker of a repository on this machine; `UsageError` names the process that is it."""
    locks = RunLocks(project.state)
    with ExitStack() as held:
        try:
            held.enter_context(locks.held(LOCK))
        except RunInUse:
            pid = locks.owner(LOCK)
            message = f"process {pid} works through the board of {project.root} already"
            raise UsageError(message, hint=f"to end it: kill {pid}") from None
        yield


@dataclass
class StandingWorker(WorkerPool):
    """Work until SIGTERM or Ctrl-C, one shift after the other."""

    standing: bool = True
    _ended: int = -1
    _synced_s: float = 0.0

    def stop(self) -> bool:
        """Take up no more stories; gives whether that was asked for before."""
        before = self.halt.is_set()
        self.halt.set()
        return before

    async def until_signalled(self) -> None:
        """Work until SIGTERM or Ctrl-C; a second one interrupts the runs at once."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lambda: self.stop() and task and task.cancel())
        try:
            await self.work()
        except asyncio.CancelledError:
            if not self.halt.is_set():
                raise

    async def looked(self) -> None:
        """Report shifts that are over; bring the forge in step after each run and every `forge.poll_s`."""
        await self._report()
        terms, now_s = self.project.settings.forge, asyncio.get_running_loop().time()
        ended = sum(each.after_usd is not None for each in self.record.takings)
        if terms.kind and (ended != self._ended or now_s - self._synced_s >= terms.poll_s):
            self._ended, self._synced_s = ended, now_s
            own = {each.story for each in self.record.of(self.shift)}
            await sync_if_free(self.project, lambda story, text: self.say(StoryId(story), text), own)

    async def _report(self) -> None:
        takings, going = self.record.takings, self.running.values()
        at_work = {each.shift for each in takings if each.after_usd is None and each.story in going}
        done = {self.shift, *self.record.reported, *at_work}
        over = [shift for shift in dict.fromkeys(each.shift for each in takings) if shift not in done]
        for shift in over:
            self.record.note(shift, reported=True)
        if over and (report := shift_report(self.project, name=over[-1])):
            await asyncio.to_thread(tell_all, self.project, shift_notice(self.project, report))
            self.say(StoryId(""), f"shift of {report.shift}: {report.headline}; hint: setpoint work report")
