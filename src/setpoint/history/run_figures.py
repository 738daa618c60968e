"""State, cost, phase, verdict and question of a run, as every face shows them; `run_fold` computes them."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from setpoint.model.value import Usd, Value

VERSION = 2
"""Of the fold: what another version stored is made again from the events."""


class Reached(StrEnum):
    """How far a phase is."""

    BEHIND = "behind"
    HERE = "here"
    AHEAD = "ahead"


class RunFigures(Value):
    """What is shown of a run, up to its newest event."""

    verdict: str = ""
    """Verdict with who vouches for the work, or why the run ended without one; empty while it runs."""
    cost: str = ""
    """Used so far, with the limit where there is one: `$0.07 of $2.50`, `cost not told, limit $2.50`."""
    cost_usd: Usd | None = None
    """None where an agent did not tell its cost."""
    cost_by_day: dict[date, Usd] = {}
    """US dollars by the day (UTC) on which they were used, as far as they are known."""
    tokens: int = 0
    """In and out, as far as they are known."""
    iteration: int = 0
    """The iteration under way, 0 before the first; of a finished run, how many there were."""
    most_iterations: int = 0
    tests: str = ""
    """`22 of 22 tests`, `2 of 22 tests fail`; empty where none ran."""
    open: str = ""
    """What blocks, by the newest measurement and review; empty before the first."""
    change: str = ""
    """What the newest or delivered state changes against the base: `1 file +2 -2`."""
    score: str = ""
    """Quality with the metrics it is of: `0.93 (tests, coverage)`; empty where a test fails or none ran."""
    scores: tuple[float, ...] = ()
    """Quality by iteration, oldest first, where it is of the same metrics as the newest."""
    asker: str = ""
    """Who asks a person; empty where nothing is asked."""
    asks: str = ""
    """What a person is asked; `setpoint answer show` tells how to answer."""
    phase: str = ""
    """The phase entered last."""
    phases: tuple[tuple[str, Reached], ...] = ()
    """Every phase of the pipeline, with how far it is."""
