"""An agent that writes tests, whose tests are judged before its attempt ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from setpoint.model.attempt import Attempt, Brief, Role
from setpoint.ports import Agent, Observer

Sift = Callable[[Path], Awaitable[tuple[str, ...]]]
"""Judges the tests in a tree, removes bad ones, and says what became of them."""


class SiftedAgent:
    """Lets another agent write tests; bad ones are removed before anything is measured."""

    def __init__(self, inner: Agent, sift: Sift) -> None:
        """Ask `inner`, and judge with `sift` what it leaves."""
        self.name = inner.name
        self._inner, self._sift = inner, sift

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Make one attempt; other roles are played unchanged."""
        made = await self._inner.attempt(brief, observer)
        if brief.role is not Role.MAKER:
            return made
        lines = await self._sift(Path(brief.workdir))
        observer.said("\n".join(lines) + "\n")
        return made.model_copy(update={"text": "\n".join([*lines, made.text]).strip()})

    async def close(self) -> None:
        """End what the other agent keeps running."""
        await self._inner.close()
