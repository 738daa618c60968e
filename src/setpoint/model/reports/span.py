"""A run as a trace: spans, as the tools that collect them from many programs know them."""

from __future__ import annotations

from typing import Literal

from setpoint.model.value import Instant, Value

Attribute = str | bool | int | float | tuple[str, ...]
"""What an attribute may hold."""


class Note(Value):
    """Something that happened at one moment of a span."""

    name: str
    at: Instant
    attributes: dict[str, Attribute] = {}


class Span(Value):
    """One piece of work with its beginning and its end."""

    path: str
    """Names it within its run, the same each time the run is told: `iteration-1/implement`."""
    parent: str | None = None
    """The path of the span it is part of; none for the run itself."""
    name: str
    """What collectors group by, for example `execute_tool bash`."""
    kind: Literal["internal", "client"] = "internal"
    """client: another program was asked, and this is how long its answer took."""
    started_at: Instant
    ended_at: Instant
    attributes: dict[str, Attribute] = {}
    notes: tuple[Note, ...] = ()
    failed: str | None = None
    """Why it failed; none where it did not."""
