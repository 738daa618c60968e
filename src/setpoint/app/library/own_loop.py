"""Work of Setpoint beside an event loop of the program that calls it.

The use cases run event loops of their own, and the durable engine takes hold of the loop that drives a run.
So below a running loop they work in another thread, with a loop that belongs to them alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any, Generic, TypeVar

from setpoint.errors import UsageError

T = TypeVar("T")


class OwnLoop:
    """Runs coroutines in an event loop of the thread that it is used in; another thread may cancel them."""

    def __init__(self) -> None:
        """Begin with nothing to cancel."""
        self._lock = Lock()
        self._cancelled = False
        self._under_way: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, as `asyncio.run` does."""
        return asyncio.run(self._held(work))

    def cancel(self) -> None:
        """Cancel what runs now, and whatever is begun later."""
        with self._lock:
            self._cancelled = True
            if self._under_way is not None:
                loop, task = self._under_way
                loop.call_soon_threadsafe(task.cancel)

    async def _held(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(work)
        with self._lock:
            if self._cancelled:
                task.cancel()
            self._under_way = (asyncio.get_running_loop(), task)
        try:
            return await task
        finally:
            with self._lock:
                self._under_way = None


async def in_background(work: Callable[[OwnLoop], T]) -> T:
    """Call work in a thread and wait for it; a cancellation ends the work before this returns."""
    own, pool = OwnLoop(), ThreadPoolExecutor(max_workers=1, thread_name_prefix="setpoint")
    try:
        done = asyncio.get_running_loop().run_in_executor(pool, work, own)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            own.cancel()
            await asyncio.wait({done})
            if not done.cancelled():
                done.exception()  # asked for, so that the loop does not report it
            raise
    finally:
        pool.shutdown(wait=False)


def at_once(work: Callable[[], T]) -> T:
    """Call short work, which may run event loops, also where a loop runs already."""
    if not _loop_runs():
        return work()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="setpoint") as pool:
        return pool.submit(work).result()


def refuse_in_loop(name: str) -> None:
    """Raise `UsageError` where an event loop runs, which a long call would block."""
    if _loop_runs():
        message = f"{name}() would block the event loop that runs in this thread"
        raise UsageError(message, hint=f"await a{name}(), which takes the same arguments")


class Listener(Generic[T]):
    """Hands values to a function of the caller, in the caller's event loop where one runs."""

    def __init__(self, call: Callable[[T], None] | None) -> None:
        """Take the function, if there is one; belongs into the thread of the caller."""
        self._call = call
        self._loop = asyncio.get_running_loop() if _loop_runs() else None
        self._error: BaseException | None = None

    def __call__(self, value: T) -> None:
        """Hand on a value, and wait until it was taken; what the function raises is raised."""
        if self._call is None:
            return
        try:
            if self._loop is None:
                self._call(value)
            else:
                asyncio.run_coroutine_threadsafe(self._taken(value), self._loop).result()
        except BaseException as error:
            self._error = error
            raise

    async def _taken(self, value: T) -> None:
        if self._call is not None:
            self._call(value)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Raise what the function raised as it was raised, not in a group of what it ended."""
        try:
            yield
        except BaseException:
            if self._error is not None:
                raise self._error from None
            raise


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
