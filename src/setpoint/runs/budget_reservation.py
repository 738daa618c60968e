"""Setting money aside, so that attempts that work at the same time do not spend the same dollar."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import NamedTuple

_ZERO = Decimal(0)


class Free(NamedTuple):
    """What a run has left."""

    left: Decimal | None
    """US dollars not spent yet; none where the run has no limit."""
    flying: Mapping[str, Decimal]
    """What attempts that have not ended have cost, by their label; it is spent already."""


class BudgetReservation:
    """Let an attempt begin beside others only if the budget covers what all of them are expected to cost."""

    def __init__(self) -> None:
        """Begin with nothing set aside."""
        self._aside: dict[str, Decimal] = {}
        self._ended = asyncio.Event()

    @asynccontextmanager
    async def reserved(self, label: str, expected: Decimal, free: Callable[[], Free]) -> AsyncIterator[None]:
        """Set aside what an attempt is expected to cost for as long as the block lasts.

        Waits while others are under way and too little would be left; alone, an attempt always begins: what
        it may spend is bounded by its brief.
        """
        while self._aside and not self._fits(expected, free()):
            self._ended.clear()
            await self._ended.wait()
        self._aside[label] = expected
        try:
            yield
        finally:
            self._aside.pop(label, None)
            self._ended.set()

    def _fits(self, expected: Decimal, free: Free) -> bool:
        if free.left is None:
            return True
        others = (max(aside - free.flying.get(label, _ZERO), _ZERO) for label, aside in self._aside.items())
        return free.left - sum(others, _ZERO) >= expected
