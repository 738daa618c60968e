"""A function that a change added or changed, and how it is sabotaged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MARK = "{mark}"
"""Represents, in an insertion, the path of the file that shows that the function was entered."""


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
    """How it is made useless, by what it does then: `raises`, and where it can be written, `does nothing`."""
    marks: bool = False
    """Whether entering it leaves a file at the mark."""

    def __str__(self) -> str:
        """Return it as people name it."""
        return f"{self.path}::{self.name}"

    def sabotaged(self, source: bytes, sabotage: Sabotage, mark: Path) -> bytes:
        """Return the file with this function made useless; all of its code stays in the file, unreached."""
        for offset, text in sorted(sabotage, reverse=True):
            put = text.replace(MARK, repr(str(mark))).encode()
            source = source[:offset] + put + source[offset:]
        return source
