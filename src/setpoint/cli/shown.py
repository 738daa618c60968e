"""What is shown of one event."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """What is shown of one event."""

    text: str
    style: str = ""
    """A Rich style; plain output leaves it out."""
    detail: bool = False
    """Only of interest when someone wants to see everything."""
