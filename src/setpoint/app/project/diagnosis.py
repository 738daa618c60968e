"""One line of `setpoint doctor` and of `setpoint db check`."""

from __future__ import annotations

from typing import NamedTuple


class Diagnosis(NamedTuple):
    """What was looked at, and how it is."""

    name: str
    ok: bool
    detail: str
    """The result, or how to fix it."""
    needed: bool = False
    """Whether a run cannot begin without it."""
