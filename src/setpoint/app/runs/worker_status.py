"""Which workers live, and what each holds: on this machine, and on others where they share a database."""

from __future__ import annotations

import socket

from setpoint.app.runs.standing_worker import LOCK
from setpoint.model.ids import StoryId
from setpoint.model.value import Instant, Text, Value
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import Project

_STORY = "story-"


class HeldStory(Value):
    """A story that a worker works on."""

    story: StoryId
    since: Instant


class LiveWorker(Value):
    """A worker that lives."""

    host: Text
    process: int
    since: Instant
    here: bool
    """Whether it works in this clone."""
    stories: tuple[HeldStory, ...]


class WorkerStatus(Value):
    """What `setpoint work status` says."""

    workers: tuple[LiveWorker, ...]

    @property
    def here(self) -> bool:
        """Whether the worker of this clone lives."""
        return any(each.here for each in self.workers)


def worker_status(project: Project) -> WorkerStatus:
    """Return the workers that live, by machine and process."""
    own = (socket.gethostname(), RunLocks(project.state).owner(LOCK))
    stories = project.locks.alive(_STORY).items()
    workers = [
        LiveWorker(
            host=host,
            process=process,
            since=since,
            here=(host, process) == own,
            stories=tuple(
                HeldStory(story=StoryId(name.removeprefix(_STORY)), since=held.since)
                for name, held in stories
                if (held.host, held.process) == (host, process)
            ),
        )
        for host, process, since in project.locks.alive(LOCK).values()
    ]
    return WorkerStatus(workers=tuple(sorted(workers, key=lambda each: (each.host, each.process))))
