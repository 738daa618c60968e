"""A worker beside those of other machines: stories go through the queues of the database that they share."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from setpoint.app.project.doctor import diagnose
from setpoint.app.runs.board import find_card, queued_folder, read_one, read_stories
from setpoint.app.runs.standing_worker import StandingWorker
from setpoint.app.runs.story_paths import story_files
from setpoint.database.leases import RunLeases, holder_name
from setpoint.durable.story_queue import ANY, QueuedStory, StoryQueue
from setpoint.errors import RecordedDataError, RunInUse, UsageError, WorkspaceError
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.board import ActionKind, Card
from setpoint.stories.story_file import StoryFile
from setpoint.system.files.atomic import write_atomic
from setpoint.wiring.project import Project

_WORKER = "worker-"
_REAPER = TraceId("reaper")
_HELD_S = 1.0
"""Seconds between two looks whether the process is gone that held a run."""


def abilities(project: Project) -> tuple[tuple[str, ...], str]:
    """Return what this machine can do for the project, and what it lacks for everything else."""
    rows = diagnose(project)
    lacks = "; ".join(f"{row.name}: {row.detail}" for row in rows if row.needed and not row.ok)
    agents = [row.name.removeprefix("agent ") for row in rows if row.name.startswith("agent ") and row.ok]
    labels = project.settings.board.labels
    return (labels if lacks else (ANY, *agents, *labels)), lacks


@dataclass
class TeamWorker(StandingWorker):
    """Offers what is ready to all workers, and works on what the queue hands to this one."""

    labels: Collection[str] = (ANY,)
    _told: str = ""
    _going: bool = False

    def __post_init__(self) -> None:
        """Name this worker among those of all machines."""
        super().__post_init__()
        self._name = TraceId(f"{_WORKER}{holder_name()}")
        url, terms = self.project.settings.database, self.limits
        self._queue = StoryQueue(url, self._name, terms.jobs, terms.accounts)
        locks = self.project.locks
        if not isinstance(locks, RunLeases):
            raise UsageError("several workers need a database", hint="set `database` (docs/how-to/team.md)")
        self._leases = locks

    async def work(self) -> None:
        """Work until told to stop; what this worker had continues with another one when it is gone."""
        with self._leases.held(self._name):
            async with self._queue.open(self.labels, self._handed):
                await super().work()

    async def look(self) -> None:
        """Take up what may begin now; where the record or the repository does not answer, try again later."""
        try:
            await super().look()
        except (RecordedDataError, WorkspaceError) as error:
            super().tell(f"{error.message}; trying again")

    async def looked(self) -> None:
        """Fetch what others delivered, and take over what dead workers had."""
        await super().looked()
        if shared := self.project.shared():
            await shared.refresh(self.project.settings.branch_prefix)
        try:
            with self._leases.held(_REAPER):
                taken = await self._queue.take_over(lambda: self._leases.alive(_WORKER))
        except RunInUse:  # another worker looks just now
            taken = ()
        for story in taken:
            self.say(story, "its worker is gone; another one continues it")
        others = await self._queue.of_other_versions()
        told = ", ".join(f"{count} of {version}" for version, count in others.items())
        if told and told != self._told:
            self.say(StoryId(""), f"left to workers of another version of Setpoint: {told}")
        self._told = told

    async def under_way(self) -> tuple[Collection[StoryId], int | None]:
        """Return what all workers have or will have, and how many more to offer: a little ahead of need."""
        going = await self._queue.under_way()
        self._going = bool(going)
        waiting = sum(not worker for worker in going.values())
        most = self.limits.all_jobs or len(going) + self.limits.jobs
        return (*going, *self.running.values()), min(self.limits.jobs - waiting, most - len(going))

    def files(self, story: StoryId) -> frozenset[str]:
        """Return the files that a story will change, as far as is known."""
        return story_files(self.project, story)

    def tell(self, why: str) -> None:
        """Say why no worker does anything, when that changes."""
        super().tell("" if self._going else why)

    async def start(self, card: Card) -> None:
        """Offer a story to all workers that can do it."""
        file = read_one(Path(card.path))
        if not isinstance(file, StoryFile) or not self.may_try(card):
            return
        self._going = True
        maker = self.project.settings.agents.maker
        label = file.story.worker or (maker if maker != "auto" else ANY)
        told = {"file": file.path.name, "text": file.page.text, "digest": file.digest}
        queued = QueuedStory(story=card.id, run=card.action.trace_id, **told)
        await self._queue.offer(queued, label, card.action.priority * 1000 + min(card.priority, 999))

    async def _handed(self, queued: QueuedStory) -> None:
        """Work on what the queue has handed out, unless it is done meanwhile."""
        if self.halt.is_set():
            await asyncio.Event().wait()  # until this worker is gone and another one takes it over
        path = str(await asyncio.to_thread(self._own_file, queued))
        while (card := await self._card(path)) is None:
            await self.clock.sleep(_HELD_S)
        if not card.action.automatic:
            return
        task = self.begin(card)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise
        task.result()

    async def _card(self, path: str) -> Card | None:
        """Return a story; none while its former process lives, or the record does not answer."""
        try:
            card = await asyncio.to_thread(find_card, self.project, path)
        except RecordedDataError:
            return None
        return None if card.action.kind is ActionKind.WAIT and not card.waits_for else card

    def _own_file(self, queued: QueuedStory) -> Path:
        """Return the file of a story here if it says the same, else what was handed over."""
        for path, file in read_stories(self.project).items():
            if isinstance(file, StoryFile) and (file.story.id, file.digest) == (queued.story, queued.digest):
                return path
        path = queued_folder(self.project) / Path(queued.file).name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, queued.text)
        return path
