"""The port that delivers a branch."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from setpoint.model.ids import Commit
from setpoint.ports.workspace import WorkCopy


class Appendix(NamedTuple):
    """Text that Setpoint appends to a file of the branch, as a commit of its own behind the work."""

    path: str
    """From the root of the repository."""
    title: str
    """Heads the file where it is begun with this."""
    text: str
    message: str
    """Of the commit."""


class Forge(Protocol):
    """Where finished work goes."""

    async def deliver(
        self, copy: WorkCopy, commit: Commit, branch: str, *, message: str, appendix: Appendix | None = None
    ) -> str:
        """Bring a commit to the user as a branch, once; gives the branch's real name."""
