"""Colours of states, the same in every verb, and printing of untrusted text."""

from __future__ import annotations

import os
import stat
import sys
from typing import IO

import typer

_STATES = {
    "running": "cyan",
    "waiting": "bold magenta",
    "interrupted": "yellow",
    "verified": "green",
    "self_tested": "yellow",
    "accepted": "green",
    "unproven": "yellow",
    "unprovable": "yellow",
    "stopped": "yellow",
    "escalated": "bold magenta",
    "skipped": "yellow",
    "cancelled": "yellow",
    "met": "green",
    "broken_agent": "red",
}
_HEADS = {
    "running": "◐ RUNNING",
    "waiting": "? NEEDS YOU",
    "interrupted": "! INTERRUPTED",
    "verified": "✓ VERIFIED",
    "self_tested": "✓ SELF-TESTED",
    "accepted": "✓ ACCEPTED",
    "met": "✓ MET",
    "unproven": "? UNPROVEN",
    "unprovable": "? UNPROVABLE",
}
_ASCII = str.maketrans(
    {"●": "*", "◐": ">", "○": "-", "·": "|", "…": "~", "✓": "+", "✗": "x", "▸": ">", "🛑": "!"}
)


def harmless(text: str) -> str:
    """Return a text without control characters: agents and tools may have written parts of it."""
    return "".join(
        each if each.isprintable() or each in "\n\t" else "\N{REPLACEMENT CHARACTER}" for each in text
    )


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text that may contain untrusted parts; Rich output goes through `Screen`."""
    typer.echo(harmless(text), err=err, nl=nl)


def say_of(story: str, text: str) -> None:
    """Print a line about a story, or about none."""
    say(f"[{story}] {text}" if story else text)


def written(text: str, *, nl: bool = True) -> None:
    """Print output for another program; remove control characters only on a terminal."""
    typer.echo(harmless(text) if sys.stdout.isatty() else text, nl=nl)


def kept_readable(stream: IO[str]) -> bool:
    """Whether what is printed may be kept where agents can read it: only a terminal and a pipe forget it."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # a stream in memory, such as that of a program that calls Setpoint
        return False
    return not (stream.isatty() or stat.S_ISFIFO(mode))


def of_state(state: str) -> str:
    """Return the Rich style for the state or ending of a run."""
    return _STATES.get(state, "")


def head(state: str) -> str:
    """Return the mark and the word for the state or ending of a run."""
    return _HEADS.get(state, f"✗ {state.upper().replace('_', ' ')}")


def in_ascii(text: str) -> str:
    """Write a text with the characters that every terminal has."""
    return text.translate(_ASCII).encode("ascii", "replace").decode()
