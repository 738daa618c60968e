"""The port to the clock."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time, so that tests need not wait for it."""

    def now(self) -> datetime:
        """Return the present, aware, in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""
