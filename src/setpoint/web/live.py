"""Telling open pages which state there is, also where another process has changed it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

LOOK_S = 0.7
"""Seconds between two looks at the record."""
MOST_STREAMS = 64
"""Streams at once; a page has one."""


class Streams:
    """Counts the streams that are open, and ends them with the server."""

    def __init__(self) -> None:
        """Begin without any."""
        self.count = 0
        self.closing = asyncio.Event()


async def watch_mark(
    mark: Callable[[], str], streams: Streams, *, every_s: float = LOOK_S
) -> AsyncIterator[str]:
    """Say at each look, as a server-sent event, what `mark` gives, until it is closed.

    The mark is repeated if nothing has changed: what changes and changes back between two looks leaves no
    trace here, but a page may have been read in between, and only the page knows which state it shows.
    """
    streams.count += 1
    try:
        while not streams.closing.is_set():
            yield f"event: mark\ndata: {await asyncio.to_thread(mark)}\n\n"
            try:
                await asyncio.wait_for(streams.closing.wait(), every_s)
            except TimeoutError:
                continue
    finally:
        streams.count -= 1
