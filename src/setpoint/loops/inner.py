"""The inner loop: every tool call of an agent becomes an event while the agent works (R3, loop 1)."""

from __future__ import annotations

from decimal import Decimal

from setpoint.domain.attempt import ToolCall, Usage
from setpoint.domain.events import AgentSpent, Event, ToolExecuted
from setpoint.loops.journal import Journal
from setpoint.policies.inner import Repeats


class InnerLoop:
    """Observes one try of one attempt and records what it sees."""

    def __init__(self, journal: Journal, phase: str, iteration: int, label: str, attempt: int) -> None:
        """Watch the given try; `attempt` is 1 for the first try of the label."""
        self._journal, self._phase, self._iteration = journal, phase, iteration
        self._label, self._attempt = label, attempt
        self._calls = 0
        self.repeats = Repeats(None)
        """What it did last, and how often in a row."""
        self._spent: Decimal | None = None

    def called(self, call: ToolCall) -> None:
        """Record a finished tool call."""
        self._calls += 1
        self.repeats.seen(call)
        body = ToolExecuted(phase=self._phase, iteration=self._iteration, label=self._label, call=call)
        self._journal.note(f"{self._label}:{self._attempt}:call:{self._calls}", body)

    def spent(self, usage: Usage) -> None:
        """Record what the try has cost so far, where that has changed."""
        if not usage.cost_usd or usage.cost_usd == self._spent:
            return
        self._spent = usage.cost_usd
        body = AgentSpent(label=self._label, attempt=self._attempt, usage=usage)
        self._journal.note(f"{self._label}:{self._attempt}:spent:{usage.cost_usd}", body)


def known_cost(events: tuple[Event, ...], label: str, attempt: int) -> Decimal:
    """Give what a try is known to have cost, in US dollars, from what it told before it was lost."""
    told = [
        event.body.usage.cost_usd
        for event in events
        if isinstance(event.body, AgentSpent) and event.body.label == label and event.body.attempt == attempt
    ]
    return max((cost for cost in told if cost is not None), default=Decimal(0))
