"""The event log in memory, with the promises of the real one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from setpoint.model.events import BODY, Body, Event
from setpoint.model.ids import EventId, TraceId, sortable_row


def _now() -> datetime:
    return datetime.now(UTC)


class MemoryEventLog:
    """Records in a list; bodies pass through JSON, so what cannot be recorded fails here too."""

    def __init__(self, now: Callable[[], datetime] = _now) -> None:
        """Begin empty; `now` gives the times of the events, aware, in UTC."""
        self._now = now
        self._events: dict[TraceId, list[Event]] = {}
        self._started: dict[TraceId, int] = {}
        self._lock = threading.Lock()

    def load(self, trace_id: TraceId, events: Sequence[Event]) -> None:
        """Take events of any run as the first ones of this run, with their times and keys."""
        taken = [
            each.model_copy(update={"trace_id": trace_id, "seq": number})
            for number, each in enumerate(events, start=1)
        ]
        self._events[trace_id] = taken
        self._started.setdefault(trace_id, len(self._started))

    def append(self, trace_id: TraceId, key: str, bodies: Sequence[Body]) -> tuple[Event, ...]:
        """Record facts under a key; a key that was recorded before returns what is recorded."""
        with self._lock:
            events = self._events.get(trace_id, [])
            before = tuple(event for event in events if event.key == key)
            if before or not bodies:
                return before
            at = self._now()
            added = tuple(
                Event(
                    id=EventId(id_),
                    trace_id=trace_id,
                    seq=len(events) + place,
                    at=at,
                    key=key,
                    body=BODY.validate_json(BODY.dump_json(body)),
                )
                for place, (id_, body) in enumerate(
                    zip(sortable_row("evt", at, len(bodies)), bodies, strict=True), start=1
                )
            )
            self._events.setdefault(trace_id, []).extend(added)
            self._started.setdefault(trace_id, len(self._started))
            return added

    def replay(self, trace_id: TraceId, after: int = 0) -> tuple[Event, ...]:
        """Return a run's events in order, those with `seq` above `after`."""
        return tuple(self._events.get(trace_id, ())[after:])

    def traces(self) -> tuple[TraceId, ...]:
        """Return all runs, newest first."""
        return tuple(sorted(self._started, key=self._started.__getitem__, reverse=True))
