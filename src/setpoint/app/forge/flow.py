"""Keep a project and its forge in step: look, work on stories, show results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from setpoint.app.forge.desk import ProjectDesk
from setpoint.app.forge.standing import forge_record
from setpoint.app.project.person import require_person
from setpoint.app.runs.board import list_cards
from setpoint.app.runs.worker_pool import StoryOutcome, work_on
from setpoint.errors import ForgeBusy, RunInUse, SetpointError
from setpoint.history.queries import newest_seq
from setpoint.model.events.forge import TRACE
from setpoint.model.ids import StoryId, TraceId
from setpoint.people.forge_loop import ForgePorts, sync
from setpoint.people.policy.forge_record import ForgeRecord
from setpoint.system.files.locks import RunLocks, locked_file
from setpoint.wiring.forge import forge_of, into_branch
from setpoint.wiring.project import Project

GLANCE_S = 1.0
"""Seconds between two looks at what the webhook stored."""
MOST_WAIT_S = 900.0
Say = Callable[[str, str], None]
"""Shows a line, after the story that it is about or an empty text."""


async def forge_ports(project: Project, say: Say) -> ForgePorts:
    """Open the forge of a project and everything that the loop around it needs; faults go to `say`."""
    require_person(project)
    terms = project.settings.forge
    return ForgePorts(
        log=project.log,
        forge=await forge_of(project),
        desk=ProjectDesk(project),
        label=terms.label,
        into=await into_branch(project),
        decisions=terms.decisions,
        fault=lambda text: say("", text),
    )


async def sync_once(project: Project, say: Say) -> ForgeRecord:
    """Look at the forge once, act on what is new, and show results; no run is started."""
    ports = await forge_ports(project, say)
    with locked_file(project.state / "locks" / "forge.lock"):
        return await sync(ports)


async def sync_if_free(project: Project, say: Say, own: Collection[StoryId] = ()) -> None:
    """Do what `sync_once` does, unless another process does so; `say` gets why a forge could not be asked.

    Results of `own` stories are shown, too: they become pull requests although no issue asks for them.
    """
    try:
        with RunLocks(project.state).held(TraceId("forge")):
            await sync((await forge_ports(project, say))._replace(own=own))
    except RunInUse:  # `setpoint forge watch` does so
        return
    except SetpointError as error:
        say("", str(error))


async def work_with_forge(project: Project, say: Say, *, until_idle: bool = False) -> None:
    """Look at the forge, run the stories that people ordered there, and show results, until interrupted.

    With `until_idle` it ends when nothing is left that needs no person. Only one process of a project does
    this at a time; an interrupted one leaves runs that can be resumed.
    """
    with locked_file(project.state / "locks" / "forge.lock"):
        await _Watch(project, await forge_ports(project, say), say).work(until_idle=until_idle)


@dataclass
class _Watch:
    """One process that keeps a project and its forge in step."""

    project: Project
    ports: ForgePorts
    say: Say
    taken: set[tuple[StoryId, str]] = field(default_factory=set)
    """Stories with the run before: what could not begin is not begun again by itself."""
    working: asyncio.Task[list[StoryOutcome]] | None = None
    failures: int = 0

    async def work(self, *, until_idle: bool) -> None:
        try:
            while True:
                wait_s = await self._step()
                if until_idle and self.working is None and not self._ready():
                    return
                await self._pause(wait_s)
        finally:
            if self.working is not None:
                self.working.cancel()
                await asyncio.gather(self.working, return_exceptions=True)

    async def _step(self) -> float:
        """Bring both in step and start what is ready; returns the seconds until the next look."""
        wait_s = self.project.settings.forge.poll_s
        if self.working is not None and self.working.done():
            for each in self.working.result():
                self.say(each.story, f"{each.status}{f': {each.reason}' if each.reason else ''}")
            self.working = None
        try:
            await sync(self.ports)
            self.failures = 0
        except ForgeBusy as error:
            wait_s = max(wait_s, error.wait_s)
            self.say("", f"{error.message}; the next look is in {wait_s:.0f} s")
        except SetpointError as error:
            self.failures += 1
            wait_s = min(wait_s * 2**self.failures, MOST_WAIT_S)
            self.say("", f"{error}; the next look is in {wait_s:.0f} s")
        ready = self._ready()
        if ready and self.working is None:
            self.taken |= ready
            only = frozenset(story for story, _ in ready)
            self.working = asyncio.create_task(work_on(self.project, only, self.say))
        return wait_s

    def _ready(self) -> set[tuple[StoryId, str]]:
        """Return the stories of the forge that need no person, each with its newest run."""
        stories = forge_record(self.project).stories
        cards = [card for card in list_cards(self.project) if card.id in stories and card.action.automatic]
        return {(card.id, f"{card.run or ''}:{card.action.kind}") for card in cards} - self.taken

    async def _pause(self, wait_s: float) -> None:
        """Wait for the next look; a message to the webhook and the end of a run end it early."""
        loop = asyncio.get_running_loop()
        until, seen = loop.time() + wait_s, newest_seq(self.project.store, TRACE)
        while loop.time() < until:
            await asyncio.sleep(GLANCE_S)
            if newest_seq(self.project.store, TRACE) != seen:
                return
            if self.working is not None and self.working.done():
                return
