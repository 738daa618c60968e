"""Colours that mean the same in every verb; a terminal without colours loses nothing but them."""

from __future__ import annotations

import sys

import typer

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
        each if each.isprintable() or each in "\n\t" else "\N{REPLACEMENT CHARACTER}" for each in text
    )


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text of which others may have written a part; what Rich prints goes through `Screen`."""
    typer.echo(harmless(text), err=err, nl=nl)


def written(text: str, *, nl: bool = True) -> None:
    """Print what another program is to read: as it is, unless a terminal would act on it."""
    typer.echo(harmless(text) if sys.stdout.isatty() else text, nl=nl)


def of_state(state: str) -> str:
    """Give the Rich style of a run's state, or of how it ended."""
    return _STATES.get(state, "")
