"""Hidden marks, by which Setpoint finds its own comments again."""

from __future__ import annotations

import re

from setpoint.errors import ForgeError

LONGEST_TEXT = 65_000
"""Characters; GitHub refuses longer ones than 65,536."""
_WORD = re.compile(r"[A-Za-z0-9][\w.:/-]*")


def marked(text: str, mark: str) -> str:
    """Return a text with a mark behind it, which Markdown does not show."""
    if not _WORD.fullmatch(mark) or "--" in mark:
        raise ForgeError(f"{mark!r} cannot mark a comment: it is one word of letters, digits and ._:/-")
    return f"{fitted(text)}\n\n{_hidden(mark)}"


def fitted(text: str, most: int = LONGEST_TEXT) -> str:
    """Return a text that a forge takes: what is too long is cut, and says so."""
    text = text.rstrip()
    if len(text) <= most:
        return text
    note = f"\n\n(cut here: {len(text) - most + 100} more characters)"
    return text[: most - 100].rstrip() + note


def carries(text: str, mark: str) -> bool:
    """Return whether a text ends with a mark; one that stands elsewhere may be quoted."""
    return text.rstrip().endswith(_hidden(mark))


def _hidden(mark: str) -> str:
    return f"<!-- {mark} -->"
