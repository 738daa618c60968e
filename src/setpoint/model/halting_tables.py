"""Halting policies side by side: how far predictions hold, and which policies are worth their cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from setpoint.model.facts.intervals import wilson
from setpoint.model.halter.prediction import HaltingTerms, predict
from setpoint.model.halting import LoggedRun
from setpoint.model.halting_replay import PolicyFigures
from setpoint.model.value import Value

TENTHS = 10
"""Bins of equal width that predictions are sorted into."""


class Spot(NamedTuple):
    """One policy in the plot of success over cost."""

    policy: str
    cost_usd: float
    """US dollars of a run."""
    success: float
    """Share of the runs that deliver right work."""


class Bin(Value):
    """Runs whose work was predicted to be right with about the same chance."""

    count: int
    predicted: float
    """Mean of the predictions, from 0 to 1."""
    observed: float
    """Share of the runs that were right."""
    low: float
    """Lower end of the 95 % interval of that share (Wilson)."""
    high: float


class Calibration(Value):
    """How far P(verified) holds at the first turn of each run that passes every gate."""

    runs: int
    error: float
    """Expected calibration error: mean distance of prediction and outcome over the bins, by their runs."""
    bins: tuple[Bin, ...]
    """By prediction, without those that hold no run."""


class ReplayTable(Value):
    """What each policy would have reached in the runs of one agent."""

    agent: str
    logged: int
    """Runs in the log."""
    labelled: int
    """Runs in which the outcome of every turn that passes its gates is known; the figures are of these."""
    restarts: bool
    """Whether policies may restart; without that, rules-v1 and halter-v1 ask a person instead."""
    refused: str = ""
    """Why nothing can be replayed; empty where it can."""
    figures: tuple[PolicyFigures, ...] = ()
    calibration: Calibration | None = None
    """Of the predictions of `halter-v1`; none where nothing can be replayed."""


def calibration(runs: Sequence[LoggedRun], terms: HaltingTerms) -> Calibration | None:
    """Compare what `halter-v1` predicts with what became of the runs; none where no outcome is known."""
    bins: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for run in runs:
        place = next((at for at, turn in enumerate(run.turns) if turn.gates), None)
        if place is None or (outcome := run.verified[place]) is None:
            continue
        chance = predict(run.turns[: place + 1], terms).p_verified
        bins[min(int(chance * TENTHS), TENTHS - 1)].append((chance, outcome))
    made = tuple(_bin(bins[at]) for at in sorted(bins))
    known = sum(each.count for each in made)
    if not known:
        return None
    error = sum(each.count * abs(each.predicted - each.observed) for each in made) / known
    return Calibration(runs=known, error=error, bins=made)


def frontier(figures: Sequence[PolicyFigures]) -> tuple[str, ...]:
    """Name the policies that no other one beats at success without costing more, the cheapest first."""
    shown = spots(figures)
    found = [each for each in shown if not any(_beats(other, each) for other in shown)]
    return tuple(each.policy for each in sorted(found, key=lambda each: each.cost_usd))


def spots(figures: Sequence[PolicyFigures]) -> tuple[Spot, ...]:
    """Return where each policy lies; those without figures are left out."""
    return tuple(
        Spot(each.policy, each.cost_usd.value, each.success.value)
        for each in figures
        if each.cost_usd is not None and each.success is not None
    )


def _beats(one: Spot, other: Spot) -> bool:
    at_least = one.success >= other.success and one.cost_usd <= other.cost_usd
    return at_least and (one.success, one.cost_usd) != (other.success, other.cost_usd)


def _bin(found: Sequence[tuple[float, bool]]) -> Bin:
    observed = sum(right for _, right in found) / len(found)
    low, high = wilson(observed, len(found))
    return Bin(
        count=len(found),
        predicted=sum(chance for chance, _ in found) / len(found),
        observed=observed,
        low=max(0.0, low),
        high=min(1.0, high),
    )
