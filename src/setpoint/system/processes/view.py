"""What the commands of a block see of the machine: its network, and folders in the place of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

OFFLINE = {"CARGO_NET_OFFLINE": "true", "UV_OFFLINE": "1"}
"""Variables by which build tools are content with what they fetched before."""


@dataclass(frozen=True, kw_only=True)
class View:
    """What a command sees."""

    network: bool = True
    """Without it a command has a loopback of its own, and reaches no server that runs outside."""

    shown: tuple[tuple[str, str], ...] = ()
    """Folders, each with the place at which it is seen; the last is the tree in which the command runs."""

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of a command."""
        named = {name: self.at_its_place(value) for name, value in given.items()}
        return {**named, **({} if self.network else OFFLINE)}

    def at_its_place(self, text: str) -> str:
        """Return a text with the place of the tree as the command sees it."""
        if not self.shown:
            return text
        tree, seen = self.shown[-1]
        return re.sub(rf"{re.escape(tree)}(?![\w.-])", lambda _: seen, text)


_PLAIN = View()
_ambient: ContextVar[View] = ContextVar("view", default=_PLAIN)


@contextmanager
def seeing(view: View) -> Iterator[None]:
    """Let every command that starts in this block, also by its tasks, see the machine so."""
    token = _ambient.set(view)
    try:
        yield
    finally:
        _ambient.reset(token)


def ambient_view() -> View:
    """Return what the commands of the block one is in see."""
    return _ambient.get()
