"""Pass on what an agent writes while it works: in whole lines, without secrets, and only so much of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from setpoint.model.attempt import ModelCall, ToolCall, Usage
from setpoint.ports import Observer

PIECE_CHARS = 600
"""A piece of this length is passed on at once."""
PIECE_S = 1.5
"""Seconds after which a shorter one is."""
LONGEST_CHARS = 4000
"""A line of this length is cut."""
TEXT_CHARS = 40_000
"""What is passed on of one attempt; its transcript holds all of it."""


class Hearing:
    """An observer in front of an attempt's own, which gathers what the agent writes into pieces."""

    def __init__(self, observer: Observer, redacted: Callable[[str], str]) -> None:
        """Pass everything to `observer`; `redacted` takes secrets out of a text."""
        self._observer, self._redacted = observer, redacted
        self._open = ""
        self._left = TEXT_CHARS
        self._told_s = float("-inf")

    def began(self, call: ToolCall) -> None:
        """Pass on what was written before the call, and the call."""
        self.flush()
        self._observer.began(call)

    def called(self, call: ToolCall) -> bool:
        """Pass on a finished call."""
        self.flush()
        return self._observer.called(call)

    def said(self, text: str) -> None:
        """Take a chunk; a secret has no line break, so lines are only passed on as a whole."""
        self._open += text
        whole, newline, rest = self._open.rpartition("\n")
        if newline and (len(whole) >= PIECE_CHARS or time.monotonic() - self._told_s >= PIECE_S):
            self._open = rest
            self._tell(whole)
        elif len(self._open) >= LONGEST_CHARS:
            self.flush()

    def flush(self) -> None:
        """Pass on what is left."""
        text, self._open = self._open, ""
        self._tell(text)

    def asked(self, call: ModelCall) -> None:
        """Pass on a call of a model."""
        self._observer.asked(call)

    def spent(self, usage: Usage) -> bool:
        """Pass on what was used."""
        return self._observer.spent(usage)

    def _tell(self, text: str) -> None:
        self._told_s = time.monotonic()
        shown = self._redacted(text.strip("\n"))[: self._left]
        if shown.strip():
            self._left -= len(shown)
            self._observer.said(shown)
