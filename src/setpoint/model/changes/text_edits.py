"""Edits of a text: applied, and shown as a patch."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

from setpoint.model.finding import Edit

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits to a text; raises `ValueError` when one lies outside the text or two overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in spans(text, edits):
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def spans(text: str, edits: Sequence[Edit]) -> tuple[tuple[int, int, str], ...]:
    """Return edits as places of characters and texts, in order; raises `ValueError` as `edited` does."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[int, int, str]] = []
    for edit in edits:
        start = _offset(text, starts, edit.start_line, edit.start_column)
        found.append((start, _offset(text, starts, edit.end_line, edit.end_column), edit.text))
    at = 0
    for start, end, _ in sorted(found):
        if start < at or end < start:
            raise ValueError("its edits overlap")
        at = end
    return tuple(sorted(found))


def patch(file: str, before: str, edits: Sequence[Edit]) -> str:
    """Return edits of a file as a unified diff that `git apply` takes; empty where they change nothing.

    Raises `ValueError` as `edited` does.
    """
    after = edited(before, edits)
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{file}", f"b/{file}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def removes(diff: str) -> bool:
    """Whether each hunk of a diff takes lines away, by which its place is found."""
    hunks = [hunk.split("\n")[1:] for hunk in diff.split("\n@@ ")[1:]]
    return all(any(re.match(r"-(?!-- )\s*\S", line) for line in hunk) for hunk in hunks)


def _lines(text: str) -> list[str]:
    """Split at line feeds alone, as git does."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def _offset(text: str, starts: Sequence[int], line: int, column: int) -> int:
    if line == len(starts) and column == 1:
        return len(text)  # behind a last line that does not end
    if not 1 <= line < len(starts) or column < 1:
        raise ValueError(f"line {line}, column {column} is not in the file")
    offset = starts[line - 1] + column - 1
    if offset > min(starts[line], len(text)):
        raise ValueError(f"line {line} has no column {column}")
    return offset


def with_carriage_returns(diff: str, wanted: Callable[[str], bool]) -> str:
    """Return unified diff whose lines of the wanted files end in a carriage return, as such files have them.

    `wanted` is asked by path. Headers stay as they are, and so does a last line that does not end.
    """
    lines, made = diff.split("\n"), []
    turned, old, new = False, 0, 0
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        sign = line[:1] or " "  # an empty line of a hunk is an empty one of both sides
        if (old > 0 or new > 0) and sign in " +-":
            old, new = old - (sign != "+"), new - (sign != "-")
            ends = turned and not line.endswith("\r") and not after.startswith("\\")
            made.append(f"{line or ' '}\r" if ends else line)
            continue
        if hunk := _HUNK.match(line):
            old, new = (int(count or 1) for count in hunk.groups())
        elif line.startswith("--- "):
            turned = wanted(line[4:].partition("\t")[0].removeprefix("a/"))
        made.append(line)
    return "\n".join(made)
