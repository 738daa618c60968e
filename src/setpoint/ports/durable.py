"""The port to the durable engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from setpoint.model.value import Value

T = TypeVar("T", bound=Value)


class Durable(Protocol):
    """Runs a loop so that it survives the end of its process."""

    async def step(self, name: str, act: Callable[[], Awaitable[T]], returning: type[T]) -> T:
        """Do something once; after a crash a finished step gives its recorded result again.

        An unfinished step is done again, so `act` must look at what is there before it acts.
        """

    async def wait_for(self, topic: str, returning: type[T], *, timeout_s: float) -> T | None:
        """Wait for a message from outside, durably; none when the time is up."""
