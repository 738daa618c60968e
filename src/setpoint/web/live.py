"""Telling open pages that something has changed, also where another process has changed it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable

LOOK_S = 0.7
"""Seconds between two looks at the record."""
BEAT_S = 15.0
"""Seconds after which a silent stream says that it lives."""
MOST_STREAMS = 64
"""Streams at once; a page has one."""


class Streams:
    """Counts the streams that are open, and ends them with the server."""

    def __init__(self) -> None:
        """Begin without any."""
        self.count = 0
        self.closing = asyncio.Event()


async def changes(
    mark: Callable[[], str], streams: Streams, *, every_s: float = LOOK_S
) -> AsyncIterator[str]:
    """Say `changed` as a server-sent event each time that `mark` gives something else, until it is closed.

    The first event comes at once, so that a page that was away catches up.
    """
    streams.count += 1
    try:
        before, silent = "", 0.0
        while not streams.closing.is_set():
            now = hashlib.sha256((await asyncio.to_thread(mark)).encode()).hexdigest()[:16]
            if now != before:
                yield f"event: changed\nid: {now}\ndata: {now}\n\n"
                before, silent = now, 0.0
            elif silent >= BEAT_S:
                yield ": still here\n\n"
                silent = 0.0
            try:
                await asyncio.wait_for(streams.closing.wait(), every_s)
            except TimeoutError:
                silent += every_s
    finally:
        streams.count -= 1
