"""The port to the append-only event log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from setpoint.model.events import Body, Event
from setpoint.model.ids import TraceId


class EventLog(Protocol):
    """The append-only record of all runs."""

    def append(self, trace_id: TraceId, key: str, bodies: Sequence[Body]) -> tuple[Event, ...]:
        """Record facts under a key, durably; a known key returns the recorded facts."""

    def replay(self, trace_id: TraceId, after: int = 0) -> tuple[Event, ...]:
        """Return a run's events in order, those with `seq` above `after`."""

    def traces(self) -> tuple[TraceId, ...]:
        """Return all runs, newest first."""
