"""Unified diffs as rows for a page: numbered, cut to what a browser can hold, made harmless."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

MOST_FILES = 100
"""Files of one diff that are shown."""
MOST_ROWS = 600
"""Lines of one file that are shown."""
MOST_LINE = 400
"""Characters of one line that are shown."""
MOST_COMPARED = 200
"""Pairs of lines of one diff of which the words are compared."""
MOST_WORDS = 120
"""Words of a line beyond which it is not compared: the time grows with their square."""
_LEAST_ALIKE = 0.4
"""Similarity of two lines below which one does not count as a new version of the other."""

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$")
# Signs that a terminal or browser would act on instead of showing them; tabs and ends of lines may stay.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """Show control signs and signs that turn the direction of writing, for what they are."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Part(NamedTuple):
    """A part of a line."""

    text: str
    changed: bool
    """It is what differs from the line that stands for this one on the other side."""
    colour: str = ""
    """Class of its syntax colour."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a diff."""

    kind: Literal["added", "gone", "same", "hunk"]
    old: int = 0
    """Its number before the change; 0 where it has none."""
    new: int = 0
    """Its number after the change; 0 where it has none."""
    text: str
    parts: tuple[Part, ...] = ()
    """The text in parts, where it stands for another line."""


class Pair(NamedTuple):
    """Two lines side by side."""

    left: Row | None
    right: Row | None


@dataclass(kw_only=True)
class ChangedFile:
    """What a diff says of one file."""

    name: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Other facts: renamed, binary, mode."""
    added: int = 0
    gone: int = 0
    left_out: int = 0
    """Lines that are not shown."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the rows with both sides next to each other; a hunk header appears on both."""
        return tuple(_beside(self.rows))


def files_of(diff: str) -> tuple[list[ChangedFile], int]:
    """Return the files of a diff that are shown, and how many are not."""
    found: list[ChangedFile] = []
    count = 0
    for section in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE):
        if section.startswith("diff --git "):
            count += 1
            if count <= MOST_FILES:
                found.append(_file(section))
    left = MOST_COMPARED
    for file in found:
        file.rows, left = _compared(file.rows, left)
    return found, max(count - MOST_FILES, 0)


def place_id(file: str, line: int) -> str:
    """Name a line of a change in the address of a page; `file` as it is shown."""
    return f"at-{hashlib.sha256(file.encode()).hexdigest()[:10]}-{line}"


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


def _blocks(rows: Sequence[Row]) -> Iterator[tuple[list[Row], list[Row], Row | None]]:
    """Yield each stretch of lines that went and came in turn, and the row that ends it."""
    gone: list[Row] = []
    come: list[Row] = []
    for row in rows:
        if row.kind == "gone" and not come:
            gone.append(row)
        elif row.kind == "added":
            come.append(row)
        else:
            if row.kind == "gone":  # lines go again before another line stays
                yield gone, come, None
                gone, come = [row], []
                continue
            yield gone, come, row
            gone, come = [], []
    yield gone, come, None


def _compared(rows: list[Row], left: int) -> tuple[list[Row], int]:
    """Mark what differs within lines that stand for each other; gives how many may still be compared."""
    made: list[Row] = []
    for gone, come, then in _blocks(rows):
        count = min(len(gone), len(come), left)
        left -= count
        for place in range(count):
            gone[place], come[place] = _differing(gone[place], come[place])
        made += [*gone, *come, *([then] if then else [])]
    return made, left


def _differing(old: Row, new: Row) -> tuple[Row, Row]:
    before, after = (re.findall(r"\w+|\s+|.", row.text) for row in (old, new))
    if max(len(before), len(after)) > MOST_WORDS:
        return old, new
    found = SequenceMatcher(None, before, after, autojunk=False)
    if found.ratio() < _LEAST_ALIKE:
        return old, new
    sides: tuple[list[Part], list[Part]] = ([], [])
    for kind, a, b, c, d in found.get_opcodes():
        for side, words in zip(sides, (before[a:b], after[c:d]), strict=True):
            if words:
                side.append(Part("".join(words), changed=kind != "equal"))
    return _with(old, sides[0]), _with(new, sides[1])


def _with(row: Row, parts: list[Part]) -> Row:
    return Row(kind=row.kind, old=row.old, new=row.new, text=row.text, parts=tuple(parts))


def _beside(rows: Sequence[Row]) -> Iterator[Pair]:
    for gone, come, then in _blocks(rows):
        for place in range(max(len(gone), len(come))):
            yield Pair(gone[place] if place < len(gone) else None, come[place] if place < len(come) else None)
        if then:
            yield Pair(then, then)
