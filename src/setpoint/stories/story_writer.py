"""Write the progress of a run into its story's file while it works."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from setpoint.errors import StoryError
from setpoint.model.events import Body, Event
from setpoint.model.events.run import (
    AgentFinished,
    GateAnswered,
    GateOpened,
    HaltingDecided,
    PhaseBounce,
    PhaseCompleted,
    RunFinished,
    RunResumed,
    RunStarted,
)
from setpoint.model.ids import TraceId
from setpoint.model.pipeline import PhaseKind, Pipeline
from setpoint.model.run import RunOrder
from setpoint.model.stories.board import PhaseProgress
from setpoint.model.stories.story import Status
from setpoint.ports import EventLog
from setpoint.stories.policy.assessor import under_way
from setpoint.stories.policy.run_progress import Follower
from setpoint.stories.story_file import read_file
from setpoint.stories.story_folder import StoryFolder
from setpoint.stories.story_notes import notes_of

_TELLING = (
    RunStarted,
    RunResumed,
    PhaseCompleted,
    AgentFinished,
    PhaseBounce,
    HaltingDecided,
    GateOpened,
    GateAnswered,
    RunFinished,
)
"""Events after which the file may say something else; the board reads the others from the log."""
MOST_ERROR = 400


class ObservedLog:
    """The event log with a listener on the records of one run."""

    def __init__(
        self, log: EventLog, before: Callable[[Body], None], after: Callable[[Event], None], seq: int
    ) -> None:
        """Call `before` ahead of each record (it may object by raising) and `after` behind it.

        `seq` is the position of the newest event that was already delivered.
        """
        self._log, self._before, self._after, self._seq = log, before, after, seq

    def append(self, trace_id: TraceId, key: str, bodies: Sequence[Body]) -> tuple[Event, ...]:
        """Record facts as the log does."""
        for body in bodies:
            self._before(body)
        events = self._log.append(trace_id, key, bodies)
        for event in events:
            if event.seq > self._seq:
                self._seq = event.seq
                self._after(event)
        return events

    def replay(self, trace_id: TraceId, after: int = 0) -> tuple[Event, ...]:
        """Return a run's events as the log does."""
        return self._log.replay(trace_id, after)

    def traces(self) -> tuple[TraceId, ...]:
        """Return all runs as the log does."""
        return self._log.traces()


class StoryWriter:
    """Keeps the file of one run's story up to date; a file that cannot be written never stops the run."""

    def __init__(self, stories: StoryFolder, order: RunOrder, events: Sequence[Event]) -> None:
        """Read the earlier records of the run."""
        self._stories, self._order = stories, order
        self._follower = Follower(order)
        self._written: tuple[dict[str, Any], str] | None = None
        for event in events:
            self._follower.take(event)

    def take(self, event: Event) -> None:
        """Follow the run, and write where something changed."""
        self._follower.take(event)
        if isinstance(event.body, _TELLING) and self._order.story_file:
            self._write(flush=isinstance(event.body, RunFinished))

    def _write(self, *, flush: bool) -> None:
        standing = self._follower.standing()
        wanted = record_keys(standing, self._order.pipeline), notes_of(standing)
        if wanted == self._written:
            return
        try:
            self._stories.change(Path(self._order.story_file), wanted[0], notes=wanted[1], flush=flush)
        except StoryError:
            # The file is gone, half edited or cannot be written; `story_notices` says so, and the log
            # holds all that would have been written.
            self._written = None
        else:
            self._written = wanted


def record_keys(standing: PhaseProgress, pipeline: Pipeline) -> dict[str, Any]:
    """Return the keys of the front matter that describe a run's progress; none removes a key."""
    if standing.finished:
        status = Status.DONE if standing.succeeded else Status.BLOCKED
    else:
        status = Status.BLOCKED if standing.waiting or standing.last_error else under_way(standing)
    phases = [phase.name for phase in pipeline.phases if phase.kind is not PhaseKind.DELIVER]
    refinements = [entry.model_dump(mode="json", by_alias=True) for entry in standing.refinements]
    return {
        "status": str(status),
        "last_run": str(standing.trace_id),
        "branch": standing.branch or None,
        **{f"{phase}_complete": phase in standing.complete for phase in phases},
        "refinement_count": len(refinements),
        "refinement_iterations": refinements or None,
        "last_error": " ".join(standing.last_error.split())[:MOST_ERROR] or None,
    }


def story_notices(order: RunOrder) -> tuple[str, ...]:
    """Describe what happened to a run's story while the run worked; nothing if it is unchanged."""
    if not order.story_file:
        return ()
    path = Path(order.story_file)
    if not path.exists():
        text = f"the story's file {path} is gone; nothing of the run is lost, and its request is kept"
        return (f"{text}: setpoint show {order.trace_id} --json",)
    try:
        now = read_file(path)
    except StoryError as error:
        return (f"the story could not be brought up to date: {error.message}",)
    if not order.story_digest or now.digest == order.story_digest:
        return ()
    text = "the story was edited while the run worked; the run used its text at the start"
    return (f"{text}. For what it says now: setpoint run {order.story.id}",)
