"""The change that notes are about, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Change:
    """The files that differ between the base and the result."""

    paths: tuple[str, ...]
    """Every path that differs, those of files without text included."""
    before: Mapping[str, str]
    """Text at the base, by path; a file that is new is missing."""
    after: Mapping[str, str]
    """Text now, by path; a file that is deleted is missing."""
    is_test: Callable[[str], bool]
    """Whether a path belongs to the tests."""

    def added_lines(self, path: str) -> Iterator[tuple[int, str]]:
        """Yield each line that the file did not hold, with its number from 1; a line that moved is none."""
        stood = Counter(line.strip() for line in self.before.get(path, "").splitlines())
        for number, line in enumerate(self.after.get(path, "").splitlines(), start=1):
            if stood[line.strip()]:
                stood[line.strip()] -= 1
            else:
                yield number, line

    def how(self, path: str) -> str:
        """Say what was done to a file: added, edited or deleted."""
        if path not in self.before:
            return "added"
        return "edited" if path in self.after else "deleted"
