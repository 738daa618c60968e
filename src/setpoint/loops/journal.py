"""A run's own part of the event log: facts noted once, steps done once, whatever crashes in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from setpoint.domain.events import Body, Event
from setpoint.domain.ids import TraceId
from setpoint.domain.value import Value
from setpoint.ports import Durable, EventLog

B = TypeVar("B", bound=Value)


class Journal:
    """Records what happens in one run, under keys that name each thing within the run."""

    def __init__(self, trace_id: TraceId, log: EventLog, durable: Durable) -> None:
        """Read what earlier processes of the run have recorded."""
        self._trace_id, self._log, self._durable = trace_id, log, durable
        self._events = list(log.replay(trace_id))
        self._by_key = {event.key: event for event in self._events}

    @property
    def events(self) -> tuple[Event, ...]:
        """All that is recorded of the run, in order."""
        return tuple(self._events)

    def known(self, key: str) -> Body | None:
        """Give what is recorded under a key, if anything is."""
        event = self._by_key.get(key)
        return event.body if event is not None else None

    def note(self, key: str, body: Body) -> Body:
        """Record a fact under a key; where the key is known already, what stands there is given back."""
        if key not in self._by_key:
            (event,) = self._log.append(self._trace_id, key, (body,))
            if event.seq == len(self._events) + 1:
                self._events.append(event)
                self._by_key[key] = event
            else:
                self._refresh()
        return self._by_key[key].body

    async def step(self, key: str, act: Callable[[], Awaitable[B]], returning: type[B]) -> B:
        """Do something once and record its one closing fact.

        A crash between the record in the log and the engine's own record does not repeat the act:
        the log is asked first.
        """

        async def recorded() -> B:
            known = self._by_key.get(key)
            body = known.body if known is not None else self.note(key, cast("Body", await act()))
            if not isinstance(body, returning):
                msg = f"step '{key}' is recorded as {body.kind}, not as {returning.__name__}"
                raise TypeError(msg)
            return body

        result = await self._durable.step(key, recorded, returning)
        if key not in self._by_key:
            self._refresh()
        return result

    def _refresh(self) -> None:
        """Take in what was recorded while another process, or a recorded step, went ahead of this one."""
        last = self._events[-1].seq if self._events else 0
        for event in self._log.replay(self._trace_id, after=last):
            self._events.append(event)
            self._by_key[event.key] = event
