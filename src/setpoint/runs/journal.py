"""A run's own part of the event log: facts noted once, steps done once, whatever crashes in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from setpoint.model.events import Body, Event
from setpoint.model.events.run import CancelRequested
from setpoint.model.facts.budget_account import BudgetAccount, update
from setpoint.model.ids import TraceId
from setpoint.model.value import Value
from setpoint.ports import Durable, EventLog

B = TypeVar("B", bound=Value)


class CancelDuringStep(Exception):
    """A person wants the run ended, so nothing new is begun; raised by `step`, met by the loop."""

    def __init__(self, wish: CancelRequested) -> None:
        """Set the recorded request."""
        super().__init__(wish.reason)
        self.wish = wish


class Journal:
    """Records what happens in one run, under keys that name each thing within the run."""

    def __init__(self, trace_id: TraceId, log: EventLog, durable: Durable) -> None:
        """Read what earlier processes of the run have recorded."""
        self._trace_id, self._log, self._durable = trace_id, log, durable
        self._events: list[Event] = []
        self._by_key: dict[str, Event] = {}
        self._account = BudgetAccount()
        self._refresh()
        self._winding_up = False

    @property
    def events(self) -> tuple[Event, ...]:
        """All that is recorded of the run, in order."""
        return tuple(self._events)

    @property
    def account(self) -> BudgetAccount:
        """What the run has used and been granted; folded forward with each event."""
        return self._account

    def known(self, key: str) -> Body | None:
        """Return what is recorded under a key, if anything is."""
        event = self._by_key.get(key)
        return event.body if event is not None else None

    def note(self, key: str, body: Body) -> Body:
        """Record a fact under a key; if the key is known, return the recorded fact."""
        if key not in self._by_key:
            (event,) = self._log.append(self._trace_id, key, (body,))
            if event.seq == len(self._events) + 1:
                self._take(event)
            else:
                self._refresh()
        return self._by_key[key].body

    async def step(self, key: str, act: Callable[[], Awaitable[B]], returning: type[B]) -> B:
        """Do something once and record its one closing fact.

        A crash between the record in the log and the engine's own record does not repeat the act:
        the log is asked first. Where a person wants the run ended, a step that was not done before raises
        `CancelDuringStep` instead, unless the run is being wound up.
        """
        if key not in self._by_key and not self._winding_up:
            wish = next(
                (event.body for event in self._events if isinstance(event.body, CancelRequested)), None
            )
            if wish is not None:
                raise CancelDuringStep(wish)

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

    def look(self) -> None:
        """Take in what other processes recorded of the run, such as a person's words."""
        self._refresh()

    @property
    def cancelled(self) -> bool:
        """Whether a person wants the run ended."""
        return any(isinstance(event.body, CancelRequested) for event in self._events)

    def wind_up(self) -> None:
        """Let the steps pass that end the run, whatever a person wants meanwhile."""
        self._winding_up = True

    def _refresh(self) -> None:
        """Take in what was recorded while another process, or a recorded step, went ahead of this one."""
        last = self._events[-1].seq if self._events else 0
        for event in self._log.replay(self._trace_id, after=last):
            self._take(event)

    def _take(self, event: Event) -> None:
        self._events.append(event)
        self._by_key[event.key] = event
        self._account = update(self._account, event)
