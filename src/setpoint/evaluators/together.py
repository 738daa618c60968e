"""Things that are awaited together: where one fails, none of the others goes on behind its back."""

from __future__ import annotations

import asyncio
from typing import Any


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel what goes on, and wait until it has cleared up; what came of it is nobody's affair any more."""
    for task in tasks:
        if not task.cancelling():  # else it is clearing up already
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
