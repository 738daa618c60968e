"""Unified diffs as rows for a page: numbered, cut to what a browser can hold, made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

MOST_FILES = 100
"""Files of one diff that are shown."""
MOST_ROWS = 600
"""Lines of one file that are shown."""
MOST_LINE = 400
"""Characters of one line that are shown."""

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$")
# Signs that a terminal or browser would act on instead of showing them; tabs and ends of lines may stay.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """Show control signs and signs that turn the direction of writing, for what they are."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a diff."""

    kind: Literal["added", "gone", "same", "hunk"]
    old: int = 0
    """Its number before the change; 0 where it has none."""
    new: int = 0
    """Its number after the change; 0 where it has none."""
    text: str


@dataclass(kw_only=True)
class ChangedFile:
    """What a diff says of one file."""

    name: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What else is said of it: renamed, binary, its mode."""
    added: int = 0
    gone: int = 0
    left_out: int = 0
    """Lines that are not shown."""


def files_of(diff: str) -> tuple[list[ChangedFile], int]:
    """Give the files of a diff that are shown, and how many are not."""
    found: list[ChangedFile] = []
    count = 0
    for section in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE):
        if section.startswith("diff --git "):
            count += 1
            if count <= MOST_FILES:
                found.append(_file(section))
    return found, max(count - MOST_FILES, 0)


def _file(section: str) -> ChangedFile:
    lines = section.split("\n")
    file = ChangedFile(name=visible(_name(lines)))
    for row in _rows(lines, file.notes):
        file.added += row.kind == "added"
        file.gone += row.kind == "gone"
        if len(file.rows) < MOST_ROWS:
            file.rows.append(row)
        else:
            file.left_out += 1
    return file


def _name(lines: list[str]) -> str:
    """Find the name after the change, before it where the file is gone."""
    for mark in ("+++ b/", "--- a/", "rename to "):
        for line in lines[1:]:
            if line.startswith("@@"):
                break
            if line.startswith(mark):
                return line.removeprefix(mark).rstrip("\t")
    return lines[0].removeprefix("diff --git ").partition(" b/")[2]


def _rows(lines: list[str], notes: list[str]) -> Iterator[Row]:
    """Count hunks out, so that a line of code cannot pass for a header."""
    old = new = gone = come = 0
    for line in lines[1:]:
        if gone > 0 or come > 0:
            sign, text = line[:1], visible(line[1 : MOST_LINE + 1])
            if sign == "\\":
                continue
            if sign == "+":
                yield Row(kind="added", new=new, text=text)
            elif sign == "-":
                yield Row(kind="gone", old=old, text=text)
            else:
                yield Row(kind="same", old=old, new=new, text=text)
            old, gone = (old, gone) if sign == "+" else (old + 1, gone - 1)
            new, come = (new, come) if sign == "-" else (new + 1, come - 1)
        elif hunk := _HUNK.match(line):
            old, new = int(hunk[1]), int(hunk[3])
            gone, come = int(hunk[2] or 1), int(hunk[4] or 1)
            yield Row(kind="hunk", text=visible(line[:MOST_LINE]))
        elif line and not line.startswith(("index ", "--- ", "+++ ", "\\")):
            notes.append(visible(line[:MOST_LINE]))
