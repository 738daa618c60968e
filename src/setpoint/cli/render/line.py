"""The line of text that shows an event."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """The line of text that shows an event."""

    text: str
    style: str = ""
    """A Rich style; plain output leaves it out."""
    detail: bool = False
    """Shown only with `--verbose`."""
    more: str = ""
    """Text that follows with `--verbose`."""
