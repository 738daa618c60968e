"""Syntax colours for the lines of a change, as classes; text stays text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from setpoint.errors import SetpointError
from setpoint.web.diffs import ChangedFile, Part, Row, files_of

MOST_ROWS = 3000
"""Lines of a change that are coloured."""
_CLASSES = {
    "Keyword": "k",
    "Literal.String": "s",
    "Literal.Number": "m",
    "Comment": "c",
    "Name.Function": "f",
    "Name.Class": "f",
    "Name.Decorator": "f",
    "Name.Tag": "k",
}


def changed(read: Callable[[], str]) -> list[ChangedFile] | None:
    """Return the files of a change that is read, in colours; None where it cannot be read any more."""
    try:
        files, _ = files_of(read())
    except SetpointError:
        return None
    coloured(files)
    return files


def coloured(files: Sequence[ChangedFile]) -> None:
    """Colour the lines of files, each side of a hunk by itself."""
    left = MOST_ROWS
    for file in files:
        left -= len(file.rows)
        if left < 0:
            return
        hunks = groupby(file.rows, lambda row: row.kind == "hunk")
        file.rows = [row for _, hunk in hunks for row in _hunk(file.name, list(hunk))]


def _hunk(name: str, rows: list[Row]) -> list[Row]:
    if rows[0].kind == "hunk":
        return rows
    lines: dict[int, list[Part]] = {}
    for skipped in ("added", "gone"):  # the new side comes last, so it colours lines that stay
        side = [place for place, row in enumerate(rows) if row.kind != skipped]
        found = _lexed(name, [rows[place].text for place in side])
        lines |= dict(zip(side, found, strict=False))
    return [
        replace(row, parts=_joined(row, lines[place])) if place in lines else row
        for place, row in enumerate(rows)
    ]


def _lexed(name: str, lines: Sequence[str]) -> list[list[Part]]:
    """Return each line in parts with their classes; nothing where the language is not known."""
    from pygments.lexers import get_lexer_for_filename  # noqa: PLC0415 - slow to load, and only changes need it
    from pygments.util import ClassNotFound  # noqa: PLC0415 - as above

    try:
        lexer = get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return []
    made: list[list[Part]] = [[]]
    for kind, text in lexer.get_tokens("\n".join(lines)):
        name_of = _class(str(kind).removeprefix("Token."))
        first, *more = text.split("\n")
        made[-1].append(Part(first, changed=False, colour=name_of))
        made += [[Part(each, changed=False, colour=name_of)] for each in more]
    return made if ["".join(each.text for each in line) for line in made] == list(lines) else []


def _class(kind: str) -> str:
    return next((name for begin, name in _CLASSES.items() if kind.startswith(begin)), "")


def _joined(row: Row, colours: Sequence[Part]) -> tuple[Part, ...]:
    """Cut the parts that differ where colours end, and the other way round."""
    signs = [part.changed for part in row.parts for _ in part.text] or [False] * len(row.text)
    shades = [part.colour for part in colours for _ in part.text]
    every = zip(row.text, signs, shades, strict=True)
    return tuple(
        Part("".join(sign for sign, _, _ in group), changed=changed, colour=colour)
        for (changed, colour), group in groupby(every, lambda each: each[1:])
    )
