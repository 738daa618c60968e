"""Aider: plain text with a line of figures after each message.

`Tokens: 1.2k sent, 340 cache hit, 50 received. Cost: $0.01 message, $0.02 session.` The figures are rounded
by Aider itself. Edits are named in lines of their own; the rest is what it says.
"""

from __future__ import annotations

import re
from decimal import Decimal

from setpoint.agents.streams.turn_record import Tally

_SPENT = re.compile(
    r"Tokens: (?P<figures>[^.]*(?:\.\d[^.]*)*)\.(?: Cost: \$(?P<cost>\d+(?:\.\d+)?) message)?"
)
_FIGURE = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[kM]?) (?P<what>sent|cache hit|cache write|received)"
)
_APPLIED = re.compile(r"Applied edit to (?P<path>.+)")
_VERSION = re.compile(r"Aider v(?P<version>\d\S*)")
_UNITS = {"": 1, "k": 1000, "M": 1_000_000}


def read(line: str, tally: Tally) -> None:
    """Take one line."""
    if (begun := _VERSION.match(line)) is not None:
        tally.version = begun["version"]
    elif (applied := _APPLIED.match(line)) is not None:
        identifier = f"edit-{tally.calls.count + 1}"
        tally.began(identifier, "edit", {"path": applied["path"]}, over=True)
        tally.ended_before(identifier, ok=True)
    elif (spent := _SPENT.match(line)) is not None:
        figures = {each["what"]: _number(each) for each in _FIGURE.finditer(spent["figures"])}
        sent, received = figures.get("sent"), figures.get("received")
        told = None if sent is None or received is None else (sent, received, figures.get("cache hit", 0))
        tally.add(told, Decimal(spent["cost"]) if spent["cost"] else None)
    else:
        tally.say(line)


def _number(figure: re.Match[str]) -> int:
    return int(Decimal(figure["number"]) * _UNITS[figure["unit"]])
