"""What workers on the board did, recorded under the trace `work` of a project."""

from __future__ import annotations

from typing import Literal

from setpoint.model.ids import StoryId, TraceId
from setpoint.model.value import Text, Usd, Value

TRACE = TraceId("work")
"""Names the record of a project's workers; it is not a run."""


class StoriesCame(Value):
    """A worker saw stories on the board that it had not seen before."""

    kind: Literal["work.stories_came"] = "work.stories_came"
    shift: Text
    """A local day, as in `2026-01-31`, or the time at which `setpoint run --auto` was called."""
    stories: tuple[StoryId, ...]


class StoryTaken(Value):
    """A worker began to work on a story."""

    kind: Literal["work.story_taken"] = "work.story_taken"
    shift: Text
    story: StoryId
    did: Text
    """The action it was taken up with."""
    spent_usd: Usd
    """What its runs had cost before, as far as agents told."""


class StoryLeft(Value):
    """The process that worked on a story has ended; missing where the worker was killed."""

    kind: Literal["work.story_left"] = "work.story_left"
    shift: Text
    story: StoryId
    run: TraceId | None = None
    spent_usd: Usd
    """What its runs had cost by then, as far as agents told."""


class ShiftReported(Value):
    """The notice about a shift was handed out, once."""

    kind: Literal["work.shift_reported"] = "work.shift_reported"
    shift: Text


AboutWork = StoriesCame | StoryTaken | StoryLeft | ShiftReported
"""What is recorded of workers."""
