"""Paths of the measured tree as words of a command: whoever writes a file chooses its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MOST_CHARACTERS = 100_000
"""Most characters of paths in one command; the least that a kernel takes is a multiple of it."""
_READ_OTHERWISE = ("-", "@")
"""How a word begins that many programs take for an option, or for a file of options."""


def as_word(path: str) -> str:
    """Write a path of the tree so that no program takes it for an option: `-x.py` as `./-x.py`."""
    return f"./{path}" if path.startswith(_READ_OTHERWISE) else path


def in_chunks(paths: Iterable[str], most: int = MOST_CHARACTERS) -> Iterator[tuple[str, ...]]:
    """Part paths so that no part has more than `most` bytes, a single longer path aside."""
    part: list[str] = []
    size = 0
    for path in paths:
        length = len(path.encode("utf-8", "surrogateescape")) + 1
        if part and size + length > most:
            yield tuple(part)
            part, size = [], 0
        part.append(path)
        size += length
    if part:
        yield tuple(part)
