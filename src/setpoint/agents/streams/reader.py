"""Cuts what a command prints into lines and hands them to the reader of its stream."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from setpoint.agents.json_lines import object_of
from setpoint.agents.streams import aider, claude, codex, gemini, opencode, pi
from setpoint.agents.streams.turn_record import Json, Tally

LINE_BYTES = 64 << 20
"""Longest line in bytes; a longer one is dropped, and reading continues behind it."""

_EVENTS: dict[str, Callable[[Json, Tally], None]] = {
    "claude": claude.read,
    "codex": codex.read,
    "gemini": gemini.read,
    "opencode": opencode.read,
    "pi": pi.read,
}
_TEXTS: dict[str, Callable[[str, Tally], None]] = {"aider": aider.read}
STREAMS = MappingProxyType({**dict.fromkeys(_EVENTS, "events"), **dict.fromkeys(_TEXTS, "text")})
"""All streams that can be read; those of text have no events whose absence would mean anything."""


class Stream:
    """The standard output of one command, read while it comes."""

    def __init__(self, name: str, tally: Tally, record: Callable[[bytes, Json | None], None]) -> None:
        """Read a stream of this name; `record` receives each line and its event."""
        self.tally = tally
        self._events = _EVENTS.get(name)
        self._text = _TEXTS.get(name)
        self._record = record
        self._open = bytearray()
        self._dropping = False

    def add(self, data: bytes) -> None:
        """Read output; an event may come in any number of pieces."""
        *complete, rest = data.split(b"\n")
        for piece in complete:
            self._open += piece
            self._line()
        self._open += rest
        if len(self._open) > LINE_BYTES:
            self._open.clear()
            self._dropping = True

    @property
    def silent(self) -> bool:
        """Whether events were to come and none came: it speaks something else."""
        return self._events is not None and not self.tally.events

    def end(self) -> None:
        """Read a last line that has no end."""
        self._line()

    def _line(self) -> None:
        line = bytes(self._open).strip()
        self._open.clear()
        if self._dropping or not line:
            self._dropping = False
            return
        if self._text is not None:
            self._record(line, None)
            self._text(line.decode("utf-8", "replace"), self.tally)
            return
        event = object_of(line)
        self._record(line, event)
        if event is not None and self._events is not None:
            self.tally.events += 1
            self._events(event, self.tally)
