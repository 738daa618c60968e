"""What workers on the board did, recorded under the trace `work` of a project."""

from __future__ import annotations

from typing import Literal

from setpoint.model.ids import StoryId, TraceId
from setpoint.model.value import Text, Usd, Value

TRACE = TraceId("work")
"""Names the record of a project's workers; it is not a run."""


class StoryCounted(Value):
    """A worker took up a story, or its process has ended; the end is missing where the worker was killed."""

    kind: Literal["work.story_counted"] = "work.story_counted"
    shift: Text
    """A local day, as in `2026-01-31`, or the time at which `setpoint run --auto` was called."""
    story: StoryId
    taken: bool
    spent_usd: Usd
    """What its runs had cost by then, as far as agents told."""


class ShiftNoted(Value):
    """A worker saw new stories on the board, or reported a shift that is over."""

    kind: Literal["work.shift_noted"] = "work.shift_noted"
    shift: Text
    came: tuple[StoryId, ...] = ()
    reported: bool = False


AboutWork = StoryCounted | ShiftNoted
"""What is recorded of workers."""
