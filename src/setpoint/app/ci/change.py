"""The change that a job of continuous integration is asked to check."""

from __future__ import annotations

from typing import NamedTuple

ZEROS = frozenset(("0" * 40, "0" * 64))
"""What a forge says in place of a commit that does not exist."""


class Change(NamedTuple):
    """What is checked, and with what it is compared."""

    event: str
    head: str
    """The proposed commit, as the forge names it."""
    accepted: tuple[str, ...]
    """Commits that may be checked out: the head, or the commit in which the forge merged base and head."""
    merged: str = ""
    """That merge commit; its first parent is the base. Empty where the forge made none."""
    base: str = ""
    """The commit on the other side, of which the merge base is taken; empty: the default branch."""
    default_branch: str = ""
    title: str = ""
    """Decides the kind of work, and so what has to be proved."""
    released: bool = False
    """A person allowed changes of tests by a label."""


class Skipped(NamedTuple):
    """An event that asks for no check."""

    event: str
    head: str
    reason: str
