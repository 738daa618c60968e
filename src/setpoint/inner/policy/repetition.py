"""When an agent goes in circles inside one turn (R3, loop 1)."""

from __future__ import annotations

from setpoint.model.attempt import ToolCall


class Repeats:
    """Counts the same tool call with the same result in a row; calls that tell neither are never the same."""

    def __init__(self, limit: int | None) -> None:
        """So many in a row are too many; none: there is no limit."""
        self._limit = limit
        self.last: ToolCall | None = None
        """The newest call."""
        self.times = 0
        """How often the newest call was made in a row."""

    def seen(self, call: ToolCall) -> bool:
        """Take in the next call; true where the agent goes in circles."""
        same = self.last is not None and call.result_hash and call.result_hash == self.last.result_hash
        self.times = self.times + 1 if same else 1
        self.last = call
        return self.stuck

    @property
    def stuck(self) -> bool:
        """Whether the newest call was made too often in a row."""
        return self._limit is not None and self.times >= self._limit
