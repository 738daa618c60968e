"""Fixes that a report offers: taken only where it is beyond doubt which characters they replace."""

from __future__ import annotations

from itertools import pairwise

from setpoint.domain.finding import Edit, Fix
from setpoint.evaluators.formats.report import Sources

ASCII = 0x7F
"""Last character whose column is the same in bytes, in UTF-16 units and in characters."""
PLANE_0 = 0xFFFF
"""Last character whose column is the same in UTF-16 units and in characters."""


def fix_of(description: str, edits: list[Edit], file: str, sources: Sources, last: int) -> Fix | None:
    """Make a fix of edits of one file; none where they overlap, or lie in lines with characters past `last`.

    None of the formats here says whether a fix keeps the behaviour, so none counts as safe.
    """
    ordered = sorted(edits, key=_start)
    if not ordered or any(_start(edit) > _end(edit) or edit.start_column < 1 for edit in ordered):
        return None
    if any(_end(before) > _start(after) for before, after in pairwise(ordered)):
        return None
    ends = {line for edit in ordered for line in (edit.start_line, edit.end_line)}
    if any(ord(character) > last for line in ends for character in sources.whole_line(file, line)):
        return None
    return Fix(description=description, edits=tuple(ordered), safe=False)


def _start(edit: Edit) -> tuple[int, int]:
    return edit.start_line, edit.start_column


def _end(edit: Edit) -> tuple[int, int]:
    return edit.end_line, edit.end_column
