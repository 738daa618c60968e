"""Compare how long a command takes on two trees, with an interval, from runs in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import fmean, median, stdev

OUTSIDE = 0.02
"""Highest chance that the true median lies outside the interval."""
STEADY = 1.25
"""Where no run at the base takes more than this many medians, what varies beside it is the change."""
ERRORS = 3.0
"""Standard errors that a mean has to lie beyond a limit."""


@dataclass(frozen=True, kw_only=True)
class Middle:
    """A median with the interval in which the true one lies."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Times of one command in seconds; those at the same place in both were measured one after the other."""

    now: tuple[float, ...]
    base: tuple[float, ...] = ()
    """Empty where there is nothing to compare with."""

    @property
    def seconds(self) -> Middle:
        """How long it takes."""
        return middle(self.now)

    @property
    def ratio(self) -> Middle | None:
        """How much of the time at the base it takes; none without a base."""
        return middle([now / base for now, base in self._pairs]) if self.base else None

    @property
    def least_mean_ratio(self) -> float | None:
        """Return the low end of the mean ratio; none where the base varies by itself.

        A command that is slow in some runs alone has an unchanged median.
        """
        if not self.base or max(self.base) > STEADY * median(self.base):
            return None
        ratios = [now / base for now, base in self._pairs]
        return fmean(ratios) - ERRORS * stdev(ratios) / sqrt(len(ratios))

    @property
    def _pairs(self) -> list[tuple[float, float]]:
        return list(zip(self.now, self.base, strict=True))


def middle(values: Sequence[float]) -> Middle:
    """Return the median and its interval, which assumes nothing of how the values are distributed.

    Each value lies below the true median with a chance of one half, so the ends are order statistics whose
    numbers come from the binomial distribution.
    """
    ordered, count = sorted(values), len(values)
    end, chance = 0, 2.0 / 2**count
    while end + 1 < count // 2 and chance + 2.0 * comb(count, end + 1) / 2**count <= OUTSIDE:
        end += 1
        chance += 2.0 * comb(count, end) / 2**count
    return Middle(value=median(ordered), low=ordered[end], high=ordered[-1 - end])


def within(timing: Timing, limit: float) -> bool:
    """Whether the ratio to the base keeps a limit, as far as the runs can tell.

    From 1 on a limit is missed where the runs show it; what cannot be distinguished from it is not a
    miss. Below 1 the work has to be faster, and that has to be shown.
    """
    ratio, least = timing.ratio, timing.least_mean_ratio
    if ratio is None:
        return True
    if limit < 1:
        return ratio.value <= limit and ratio.high < 1
    return ratio.low <= limit and (least is None or least <= limit)
