"""Landing by a worker: what was delivered lands beside its runs, in one process of its own at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from setpoint.app.landing.queue import newest, something_waits
from setpoint.app.runs.child_command import verb_command
from setpoint.errors import ExitCode, SetpointError
from setpoint.model.config.limits import BoardLimits
from setpoint.model.events.landing import TRACE, Fate
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.board import Card
from setpoint.model.stories.story import Status
from setpoint.system.processes import run
from setpoint.wiring.project import Project

AGAIN_S = 300.0
"""Seconds until a landing is tried again that could not continue, as where edits lie in the way."""
_NAME = StoryId("landing")


@dataclass
class LandingTurns:
    """Starts a landing when something new was delivered, one at a time."""

    project: Project
    limits: BoardLimits
    say: Callable[[StoryId, str], None]
    task: asyncio.Task[bool] | None = None
    """The landing under way."""
    back: set[StoryId] = field(default_factory=set)
    """Stories that were sent back, until the worker has seen them."""
    _seen: frozenset[tuple[StoryId, TraceId | None]] = frozenset()
    _not_before_s: float = 0.0

    def look(self, cards: Iterable[Card]) -> None:
        """Begin a landing where that is wanted, something new was delivered, and nobody lands."""
        done = frozenset((each.id, each.run) for each in cards if each.status is Status.DONE and each.branch)
        early = asyncio.get_running_loop().time() < self._not_before_s
        idle = not self.limits.land or self.task is not None or done == self._seen or early
        if not idle and self.project.locks.owner(TRACE) is None:
            self._seen = done
            self.task = asyncio.create_task(self._land())

    def ended(self) -> None:
        """Forget the landing if it is over; one that could not continue is tried again later."""
        if self.task is None or not self.task.done():
            return
        task, self.task = self.task, None
        try:
            good = task.result()
        except SetpointError as error:
            self.say(_NAME, str(error))
            good = False
        if not good:
            self._seen, self._not_before_s = frozenset(), asyncio.get_running_loop().time() + AGAIN_S

    async def _land(self) -> bool:
        project, limits = self.project, self.limits
        if not await asyncio.to_thread(something_waits, project, limits.land):
            return True
        now = newest(project)
        own = ("--into", limits.land, *(("--push",) if limits.land_push else ()))
        command = verb_command(project.root, "land", *(own if now is None or now.ended else ()))
        done = await run(command, on_line=lambda line: self.say(_NAME, line.decode("utf-8", "replace")))
        if (now := newest(project)) is not None:
            self.back |= {story for story, each in now.decided.items() if each.fate is Fate.SENT_BACK}
        return done.exit_code in (ExitCode.OK, ExitCode.FINDINGS)
