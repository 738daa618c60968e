"""Decide when an agent repeats the same tool call inside one turn (R3, loop 1)."""

from __future__ import annotations

from setpoint.model.attempt import ToolCall


class Repeats:
    """Counts equal tool calls with equal results in a row; calls that report neither are never equal."""

    def __init__(self, limit: int | None) -> None:
        """Set the number of equal calls that is too many; none: no limit."""
        self._limit = limit
        self.last: ToolCall | None = None
        """The newest call."""
        self.times = 0
        """How often the newest call was made in a row."""

    def seen(self, call: ToolCall) -> bool:
        """Count the next call; return true if the agent repeats itself."""
        same = self.last is not None and call.result_hash and call.result_hash == self.last.result_hash
        self.times = self.times + 1 if same else 1
        self.last = call
        return self.stuck

    @property
    def stuck(self) -> bool:
        """Whether the newest call was made too often in a row."""
        return self._limit is not None and self.times >= self._limit
