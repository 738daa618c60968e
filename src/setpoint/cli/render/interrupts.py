"""Answer Ctrl-C at once, and show how far long checks are."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from setpoint.app.checks.measure import checks_now
from setpoint.cli.render.presenter import MOST_BEAT_S
from setpoint.cli.render.styles import say

T = TypeVar("T")


def interruptible(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine as `asyncio.run` does, and answer Ctrl-C before its processes have ended."""
    return asyncio.run(_answering(work))


async def _answering(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            say("interrupted: ending what runs; a second Ctrl-C does not wait for it", err=True)
            task.cancel()
            await asyncio.wait({task})
        raise


@contextmanager
def beating(tell: Callable[[str], None], every_s: float = MOST_BEAT_S) -> Iterator[None]:
    """Tell every so many seconds of the block what the checks do."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(every_s):
            if now := checks_now():
                tell(now)

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
