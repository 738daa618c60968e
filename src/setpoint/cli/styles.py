"""Colours that mean the same in every verb; a terminal without colours loses nothing but them."""

from __future__ import annotations

_STATES = {
    "running": "cyan",
    "waiting": "bold magenta",
    "interrupted": "yellow",
    "verified": "green",
    "accepted": "green",
    "stopped": "yellow",
    "escalated": "bold magenta",
    "skipped": "yellow",
    "cancelled": "yellow",
    "broken_agent": "red",
}


def harmless(text: str) -> str:
    """Give a text without what would act on a terminal: agents and tools may have written parts of it."""
    return "".join(
        each if each.isprintable() or each == "\n" else "\N{REPLACEMENT CHARACTER}" for each in text
    )


def of_state(state: str) -> str:
    """Give the Rich style of a run's state, or of how it ended."""
    return _STATES.get(state, "")
