"""Cancel tasks that are awaited together, so that none runs on after another one failed."""

from __future__ import annotations

import asyncio
from typing import Any


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel what still runs and wait until it has cleaned up; its results and errors are dropped."""
    for task in tasks:
        if not task.cancelling():  # else it is clearing up already
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
