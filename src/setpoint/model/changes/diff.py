"""What a unified diff adds, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

CUT = " files left out: "
"""How a shortened diff says so (`workspace.copy`)."""

_SECTION = re.compile(r"^(?=diff --git )", re.MULTILINE)
_NAMED = re.compile(r"^(?:\+\+\+ b/|rename to |--- a/|diff --git a/.* b/)([^\t\n]+)", re.MULTILINE)
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Added(NamedTuple):
    """One line that a change adds."""

    file: str
    line: int
    """1-based line in the new file."""
    text: str


def added_lines(diff: str) -> Iterator[Added]:
    """Yield the lines that a unified diff adds, with their place in the new file.

    Hunks are counted out, so that a line of code cannot pass for a header of the diff.
    """
    file, line, gone, come = "", 0, 0, 0
    for text in diff.split("\n"):
        if gone > 0 or come > 0:
            if text.startswith("+"):
                yield Added(file, line, text[1:])
            gone -= not text.startswith(("+", "\\"))
            come -= not text.startswith(("-", "\\"))
            line += not text.startswith(("-", "\\"))
        elif text.startswith("+++ "):
            file = text[4:].removeprefix("b/").split("\t")[0]
        elif hunk := _HUNK.match(text):
            gone, line, come = (1 if number is None else int(number) for number in hunk.groups())


def files_of(diff: str) -> dict[str, str]:
    """Return the part of a unified diff about each file, by its new path, or its old one where it is gone."""
    found: dict[str, str] = {}
    for section in _SECTION.split(diff):
        head = section.partition("\n@@ ")[0]
        named = {match.group(0)[:4]: match.group(1) for match in _NAMED.finditer(head)}
        path = named.get("+++ ") or named.get("rena") or named.get("--- ") or named.get("diff")
        if path:
            found[path] = section
    return found
