"""Limits on time for calls of the code under test, in the process that makes them."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

CPU_S, WALL_S = 0.25, 2.0


class TimeUp(BaseException):
    """A call took too long."""


@contextlib.contextmanager
def limited(cpu_s: float, wall_s: float = WALL_S) -> Iterator[None]:
    """Raise `TimeUp` in the call when it takes too long; a loop in C is ended by the parent process."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s, 0.05)
    signal.setitimer(signal.ITIMER_REAL, wall_s, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def arm() -> None:
    """Make the time limits raise, in this process."""

    def time_up(_number: int, _frame: FrameType | None) -> None:
        raise TimeUp

    signal.signal(signal.SIGPROF, time_up)
    signal.signal(signal.SIGALRM, time_up)
