"""One assertion of a test, and how it is turned round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_MOST_SHOWN = 70


class Edit(NamedTuple):
    """A piece of a source that is written otherwise."""

    begin: int
    """0-based byte where it begins."""
    end: int
    text: str


class Arm(NamedTuple):
    """The branch of a condition in which an assertion is."""

    condition: int
    branch: str


class Assertion(NamedTuple):
    """One assertion, or one of the things that it demands."""

    path: str
    line: int
    text: str
    owner: str
    """The outermost function or test that holds it."""
    edits: tuple[Edit, ...] = ()
    """How it demands the opposite of what holds."""
    empty: str = ""
    """Why it can never fail, if that can be read."""
    arms: tuple[Arm, ...] = ()
    """Branches around it, the nearest first."""
    elsewhere: bool = False
    """Whether it is for another platform or version, perhaps."""

    def __str__(self) -> str:
        """Name it by its place and words."""
        return f"{self.path}:{self.line} `{self.text}`"


class Owner(NamedTuple):
    """A test, or a function that tests call, with its assertions."""

    name: str
    is_test: bool
    body: str
    """As it is written; the base may have the same."""
    words: frozenset[str]
    """Names that it mentions."""
    assertions: tuple[Assertion, ...]


class Assertions(NamedTuple):
    """The assertions of one file of tests."""

    owners: tuple[Owner, ...]
    more: str = ""
    """What is put at the end of the file, once any is turned round."""


def shown(text: str) -> str:
    """Return a piece of a source on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN - 1]}…"


def edited(source: bytes, edits: Iterable[Edit], more: str) -> bytes:
    """Return a source with some pieces written otherwise."""
    for begin, end, text in sorted(edits, reverse=True):
        source = source[:begin] + text.encode() + source[end:]
    return source + more.encode()
