"""Fixes that a report offers: taken only where it is beyond doubt which characters they replace."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from setpoint.checks.formats.report import Sources
from setpoint.model.finding import Edit, Fix

ASCII = 0x7F
"""Last character whose column is the same in bytes, in UTF-16 units and in characters."""
PLANE_0 = 0xFFFF
"""Last character whose column is the same in UTF-16 units and in characters."""


def fix_of(
    description: str, edits: list[Edit], file: str, sources: Sources, last: int, *, safe: bool = False
) -> Fix | None:
    """Make a fix of edits of one file; none where they overlap, or lie in lines with characters past `last`.

    Most formats do not say whether a fix keeps the behaviour, so it counts as `safe` only where they do.
    """
    ordered = sorted(edits, key=_start)
    if not ordered or any(_start(edit) > _end(edit) or edit.start_column < 1 for edit in ordered):
        return None
    if any(_end(before) > _start(after) for before, after in pairwise(ordered)):
        return None
    ends = {line for edit in ordered for line in (edit.start_line, edit.end_line)}
    if any(ord(character) > last for line in ends for character in sources.whole_line(file, line)):
        return None
    return Fix(description=description, edits=tuple(ordered), safe=safe)


def _start(edit: Edit) -> tuple[int, int]:
    return edit.start_line, edit.start_column


def _end(edit: Edit) -> tuple[int, int]:
    return edit.end_line, edit.end_column


@dataclass(frozen=True, kw_only=True)
class Offsets:
    """Places of one file that a report gives as offsets in UTF-16 units, as JavaScript counts them."""

    starts: tuple[int, ...]
    """Offset at which each line begins."""
    length: int

    @classmethod
    def of(cls, file: str, sources: Sources) -> Offsets | None:
        """Count a file's lines; none where the file cannot be read."""
        starts, at = [0], 0
        lines = sources.lines(file)
        if not lines:
            return None
        for line in lines:
            at += len(line.decode("utf-8", "replace").encode("utf-16-le")) // 2 + 1
            starts.append(at)
        return cls(starts=tuple(starts[:-1]), length=at)

    def place(self, offset: int) -> tuple[int, int] | None:
        """Return line and column, both 1-based, of an offset; none where it lies outside the file."""
        if not 0 <= offset < self.length:
            return None
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1
