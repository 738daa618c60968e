"""What being shown learnings is worth: runs that memory was open to, against those that chance held it from.

Runs are compared by the one coin that was thrown for each, and only those for which memory held something
when it was first asked. Nothing had been shown by then, so both sides differ in the coin alone: a run
that takes long asks more often, and would be shown something in the end whatever that is worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from setpoint.model.facts.intervals import Z, wilson
from setpoint.model.learning import LearningKind, RunGroup
from setpoint.model.value import Value

LEAST = 10
"""Fewest runs on each side for a statement."""
POOLED = "all"
FIGURES = ("success", "iterations", "cost_usd")


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


def lifts(every: Iterable[RunGroup]) -> tuple[Lift, ...]:
    """Measure the lift on every figure, of all learnings and of each kind.

    A run counts once in each group: as one without, where it was held out, and else as one with, also where
    a single learning was withheld from it.
    """
    known = list(every)
    groups = {str(kind): [each for each in known if kind in each.kinds] for kind in LearningKind}
    return tuple(
        _lift(group, figure, of) for group, of in ((POOLED, known), *groups.items()) for figure in FIGURES
    )


class _Sums(NamedTuple):
    """Values of one figure, added up."""

    runs: int
    total: float
    squares: float

    @property
    def mean(self) -> float:
        return self.total / self.runs

    @property
    def variance(self) -> float:
        return max(0.0, self.squares - self.total * self.mean) / (self.runs - 1)


def _lift(group: str, figure: str, every: Sequence[RunGroup]) -> Lift:
    one = _summed(figure, [each for each in every if not each.held_out])
    other = _summed(figure, [each for each in every if each.held_out])
    told = Lift(
        group=group,
        figure=figure,
        with_=one.runs,
        without=other.runs,
        mean_with=round(one.mean, 4) if one.runs else None,
        mean_without=round(other.mean, 4) if other.runs else None,
    )
    if min(one.runs, other.runs) < LEAST:
        return told
    difference, low, high = _interval(one, other, share=figure == "success")
    return told.model_copy(update={"difference": difference, "low": low, "high": high})


def _summed(figure: str, every: Iterable[RunGroup]) -> _Sums:
    sums = [_of_one(figure, each) for each in every]
    return _Sums(
        sum(each.runs for each in sums),
        fsum(each.total for each in sums),
        fsum(each.squares for each in sums),
    )


def _of_one(figure: str, alike: RunGroup) -> _Sums:
    if figure == "cost_usd":
        return _Sums(alike.told, alike.cost_usd, alike.squared_usd)
    value = float(alike.verified) if figure == "success" else float(alike.iterations)
    return _Sums(alike.runs, alike.runs * value, alike.runs * value * value)


def _interval(one: _Sums, other: _Sums, *, share: bool) -> tuple[float, float, float]:
    """Return the difference of means with its interval: Newcombe's for shares, Welch's for amounts."""
    difference = one.mean - other.mean
    if share:
        (low1, high1), (low2, high2) = wilson(one.mean, one.runs), wilson(other.mean, other.runs)
        first, second = one.mean, other.mean
        low = difference - sqrt((first - low1) ** 2 + (high2 - second) ** 2)
        high = difference + sqrt((high1 - first) ** 2 + (second - low2) ** 2)
        return round(difference, 4), round(low, 4), round(high, 4)
    half = Z * sqrt(one.variance / one.runs + other.variance / other.runs)
    return round(difference, 4), round(difference - half, 4), round(difference + half, 4)
