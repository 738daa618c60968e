"""Runs coroutines without waiting for the time to pass."""

import asyncio
import selectors


class JumpingSelector(selectors.DefaultSelector):
    """Moves the loop's clock on where nothing but a timer is waited for."""

    loop = None

    def select(self, timeout=None):
        """Wait for files; for a timer alone, move the clock instead."""
        if not timeout or self.loop.jobs:
            return super().select(timeout)
        ready = super().select(0)
        self.loop.now += 0.0 if ready else timeout
        return ready


class StillLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock moves only when all wait for it, and then at once."""

    def __init__(self, selector=None):
        """Begin at 0 seconds."""
        self.now = 0.0
        self.jobs = 0
        selector = selector or JumpingSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self):
        """Return the seconds that were waited for."""
        return self.now

    def run_in_executor(self, executor, func, *args):
        """Run a function in a thread; the clock stands until it returns."""
        job = super().run_in_executor(executor, func, *args)
        self.jobs += 1
        job.add_done_callback(self._done)
        return job

    def _done(self, _job):
        self.jobs -= 1


def run_still(coroutine, loop=None):
    """Run a coroutine as `asyncio.run` does, on a clock that does not let it wait."""
    loop = loop or StillLoop()
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(coroutine)
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        asyncio.set_event_loop(None)
        loop.close()
