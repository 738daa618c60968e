"""A clock that moves only when someone waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class ManualClock:
    """Time that passes only by `sleep`, and by one tick each time it is looked at."""

    def __init__(self, at: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC), tick_s: float = 0.0) -> None:
        """Begin at a point in time; `tick_s` seconds pass with every look."""
        self._at, self._tick = at, timedelta(seconds=tick_s)
        self.slept: list[float] = []
        """Seconds of every wait, in order."""

    def now(self) -> datetime:
        """Return the present."""
        self._at += self._tick
        return self._at

    async def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.slept.append(seconds)
        self._at += timedelta(seconds=seconds)

    def wait(self, seconds: float) -> None:
        """Let time pass while nothing runs."""
        self._at += timedelta(seconds=seconds)
