"""What every metric of the loops states, one of Setpoint's own or of a plug-in."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Unit = Literal["share", "USD", "s", "per run", "score"]
"""share: 0 to 1; score: a quality or Brier score, 0 to 1; s: seconds."""
Better = Literal["higher", "lower", ""]
"""Which direction is better; empty where neither can be said."""


class Loop(StrEnum):
    """The loop whose health a metric tells."""

    INNER = "inner"
    """An agent and its tools."""
    PHASE = "phase"
    """Making, measuring, reviewing, bouncing."""
    RUN = "run"
    """What is learned from runs."""
    HUMAN = "human"
    """What people answer."""
    ACROSS = "across"
    """From run to run."""
