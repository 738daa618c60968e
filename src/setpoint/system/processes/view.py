"""What the commands of a block see of the machine: its network, and folders in the place of others."""

from __future__ import annotations

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

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of a command."""
        return {**given, **({} if self.network else OFFLINE)}


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
