"""The dialects in which agents speak to models: one module for each, all with the same functions."""

from __future__ import annotations

from typing import Protocol

from setpoint.testing.model_server.dialects import anthropic, chat, gemini, responses
from setpoint.testing.model_server.failures import Refusal, Refused
from setpoint.testing.model_server.tools import Json, Move

Answer = tuple[str, list[bytes]]
"""Content type, and the body in pieces: one for each event where it is streamed."""


class Dialect(Protocol):
    """How requests are read and answers are written."""

    def speaks(self, path: str) -> bool:
        """Return whether requests to this path ask for a move of the model."""

    def tools(self, body: Json) -> dict[str, Json]:
        """Return the schemas of the tools that a request offers, by name."""

    def opening(self, body: Json) -> str:
        """Return the messages before the model's first move, as text."""

    def played(self, body: Json) -> int:
        """Count the model's moves so far: answered calls and plain texts."""

    def answer(self, move: Move, body: Json, path: str) -> Answer:
        """Write a move."""

    def refuse(self, refusal: Refusal) -> Refused:
        """Write an error."""


DIALECTS: tuple[Dialect, ...] = (gemini, chat, responses, anthropic)


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of a request by its path, without its query; none where no model is asked."""
    return next((each for each in DIALECTS if each.speaks(path)), None)
