"""The port that delivers a branch."""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self

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


class BranchName(str):
    """The name of a branch that was delivered, with what a person should know of its commits."""

    __slots__ = ("notes",)
    notes: tuple[str, ...]

    def __new__(cls, name: str, notes: tuple[str, ...] = ()) -> Self:
        """Take the name and the notes, each one sentence with a hint."""
        made = super().__new__(cls, name)
        made.notes = notes
        return made


class Forge(Protocol):
    """Where finished work goes."""

    async def deliver(
        self, copy: WorkCopy, commit: Commit, branch: str, *, message: str, appendix: Appendix | None = None
    ) -> str:
        """Bring a commit to the user as a branch, once; gives the branch's real name, or a `BranchName`."""
