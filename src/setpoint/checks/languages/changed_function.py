"""A function that a change added or changed, and how it is sabotaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

MARK = "{mark}"
"""Represents, in an insertion, the path of the file that shows that the function was entered."""
RAISES, NOTHING, OTHER = "raises", "does nothing", "returns something else"
"""What a sabotaged function does."""
MESSAGE = "sabotaged by Setpoint"
"""What a function that raises says."""


class Insertion(NamedTuple):
    """A text that is put into a source."""

    offset: int
    """0-based byte before which it is put."""
    text: str


Sabotage = tuple[Insertion, ...]


@dataclass(frozen=True, kw_only=True)
class ChangedFunction:
    """One function that a change added or changed."""

    path: str
    name: str
    """Qualified name, for example `Cart.total`."""
    sabotages: dict[str, Sabotage]
    """How it is made useless, by what it does then; what cannot be written in its language is left out."""
    probe: Sabotage = ()
    """How it raises where it would return something else; written where no mark shows that it was entered."""
    harmless: Sabotage = ()
    """How it is written otherwise and does the same, so that a test that only reads its source is found."""
    first: Insertion | None = None
    """Where a statement is put that runs first, and what separates it from the body."""
    marks: bool = False
    """Whether entering it leaves a file at the mark."""
    text: str = ""
    """The function as it is written."""
    weight: int = 1
    """How many of its lines are not in the file at the base."""

    def __str__(self) -> str:
        """Return it as people name it."""
        return f"{self.path}::{self.name}"

    def sabotaged(self, source: bytes, sabotage: Sabotage, mark: Path) -> bytes:
        """Return the file with this function made useless; all of its code stays in the file, unreached."""
        there = sorted(sabotage, key=lambda each: each.offset)
        for offset, text in reversed(there):
            put = text.replace(MARK, repr(str(mark))).encode()
            source = source[:offset] + put + source[offset:]
        return source


def changed(before: Sequence[tuple[str, Hashable]], now: Sequence[tuple[str, Hashable]]) -> list[bool]:
    """Say of each function now, by name and text, whether the base did not have it.

    A name can be defined more than once (a property and its setter). The last one is in effect, so that one
    has changed too where another was the last.
    """
    known, in_effect = set(before), dict(before)
    last = {name: place for place, (name, _) in enumerate(now)}
    return [
        (name, text) not in known or (last[name] == place and in_effect[name] != text)
        for place, (name, text) in enumerate(now)
    ]


def weighed(function: ChangedFunction, old: bytes) -> ChangedFunction:
    """Return a function with its weight: how many of its lines the file had not at the base."""
    known = Counter(line.strip() for line in old.decode("utf-8", "replace").splitlines())
    own = Counter(line.strip() for line in function.text.splitlines() if line.strip())
    return replace(function, weight=max(1, (own - known).total()))
