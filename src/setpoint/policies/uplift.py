"""What being shown learnings is worth: runs that memory was open to, against those that chance held it from.

Runs are compared by the one coin that was thrown for each, and only those for which memory held something
when it was first asked. Nothing had been shown by then, so that both sides are alike but for the coin: a run
that goes on for long asks more often, and would be shown something in the end whatever that is worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import fmean, variance

from setpoint.domain.learning import LearningKind
from setpoint.domain.value import Value

LEAST = 10
"""Runs on each side below which nothing is said."""
Z = 1.96
"""For intervals that hold 95 in 100."""
POOLED = "all"
FIGURES = ("success", "iterations", "cost_usd")


class Use(Value):
    """A learning that fitted a run when memory first held something for it, and what came of the run."""

    trace_id: str
    learning: str
    kind: LearningKind
    shown: bool
    propensity: float
    """The chance with which it was to be shown."""
    held_out: bool
    """Whether chance decided that the run is shown nothing at all."""
    verified: bool
    iterations: int
    cost_usd: float | None = None
    """None where an agent did not tell."""


class Lift(Value):
    """The difference that showing makes to one figure: mean with, less mean without."""

    group: str
    """`all`, or a kind of learning."""
    figure: str
    """success (share of runs verified), iterations or cost_usd."""
    with_: int
    """Runs that memory was open to."""
    without: int
    """Runs that were held out: shown nothing at all."""
    mean_with: float | None = None
    mean_without: float | None = None
    difference: float | None = None
    """None where there are too few runs to say."""
    low: float | None = None
    high: float | None = None

    @property
    def said(self) -> str:
        """Say what the figures say."""
        if self.difference is None or self.low is None or self.high is None:
            return f"too few runs to say ({self.with_} with, {self.without} without; {LEAST} each are needed)"
        if self.low <= 0.0 <= self.high:
            return "too few runs to say: the interval holds 0"
        better = (self.difference > 0) is (self.figure == "success")
        return "better with" if better else "worse with"


def lifts(uses: Iterable[Use]) -> tuple[Lift, ...]:
    """Measure the lift on every figure, of all learnings and of each kind.

    A run counts once in each group: as one without, where it was held out, and else as one with, also where
    a single learning was withheld from it.
    """
    known = list(uses)
    groups = {str(kind): [each for each in known if each.kind is kind] for kind in LearningKind}
    every = ((POOLED, known), *groups.items())
    return tuple(_lift(group, figure, _runs(of)) for group, of in every for figure in FIGURES)


def _runs(uses: Sequence[Use]) -> list[tuple[bool, Use]]:
    by_run = {each.trace_id: each for each in uses}
    return [(not each.held_out, each) for each in by_run.values()]


def _lift(group: str, figure: str, runs: list[tuple[bool, Use]]) -> Lift:
    one = [value for shown, use in runs if shown and (value := _figure(use, figure)) is not None]
    other = [value for shown, use in runs if not shown and (value := _figure(use, figure)) is not None]
    told = Lift(
        group=group,
        figure=figure,
        with_=len(one),
        without=len(other),
        mean_with=round(fmean(one), 4) if one else None,
        mean_without=round(fmean(other), 4) if other else None,
    )
    if min(len(one), len(other)) < LEAST:
        return told
    difference, low, high = _interval(one, other, share=figure == "success")
    return told.model_copy(update={"difference": difference, "low": low, "high": high})


def _figure(use: Use, figure: str) -> float | None:
    if figure == "success":
        return float(use.verified)
    return float(use.iterations) if figure == "iterations" else use.cost_usd


def _interval(one: Sequence[float], other: Sequence[float], *, share: bool) -> tuple[float, float, float]:
    """Give the difference of means with its interval: Newcombe's for shares, Welch's for amounts."""
    difference = fmean(one) - fmean(other)
    if share:
        (low1, high1), (low2, high2) = _wilson(one), _wilson(other)
        first, second = fmean(one), fmean(other)
        low = difference - sqrt((first - low1) ** 2 + (high2 - second) ** 2)
        high = difference + sqrt((high1 - first) ** 2 + (second - low2) ** 2)
        return round(difference, 4), round(low, 4), round(high, 4)
    half = Z * sqrt(variance(one) / len(one) + variance(other) / len(other))
    return round(difference, 4), round(difference - half, 4), round(difference + half, 4)


def _wilson(values: Sequence[float]) -> tuple[float, float]:
    count, share = len(values), fmean(values)
    centre = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return centre - half, centre + half
