"""A unified diff as a report shows it: by file, long files cut."""

from __future__ import annotations

import re
from typing import NamedTuple

from setpoint.history import phrases

MOST_LINES = 120
"""Lines of one file that a report shows."""
_SECTION = re.compile(r"^(?=diff --git )", re.MULTILINE)


class FileDiff(NamedTuple):
    """What a diff says of one file."""

    name: str
    added: int
    gone: int
    lines: tuple[str, ...]
    """Hunks, the first of them; empty for a binary file."""
    left_out: int = 0
    """Lines that are not shown."""

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the lines, and how many follow."""
        return (*self.lines, f"... {self.left_out} more lines") if self.left_out else self.lines


class Change(NamedTuple):
    """What a run delivers or offers, against its base."""

    command: str
    """Shows all of it."""
    files: tuple[FileDiff, ...] = ()
    empty: bool = False
    """Nothing differs from the base."""
    gone: str = ""
    """Why it cannot be shown."""

    @property
    def text(self) -> str:
        """Return the shown files as one diff."""
        return "\n".join(line for file in self.files for line in (f"diff {file.name}", *file.shown))


def files_of(diff: str) -> tuple[FileDiff, ...]:
    """Return the files of a diff in its order."""
    return tuple(
        _file(part) for part in _SECTION.split(phrases.lines(diff)) if part.startswith("diff --git ")
    )


def _file(section: str) -> FileDiff:
    head, mark, hunks = section.partition("\n@@")
    lines = f"@@{hunks}".splitlines() if mark else []
    return FileDiff(
        name=head.partition("\n")[0].rpartition(" b/")[2],
        added=sum(line.startswith("+") for line in lines),
        gone=sum(line.startswith("-") for line in lines),
        lines=tuple(lines[:MOST_LINES]),
        left_out=max(len(lines) - MOST_LINES, 0),
    )
