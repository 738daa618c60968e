"""Means over cases that come in groups, with intervals that do not take cases of one group as independent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import sqrt

from setpoint.model.facts.intervals import Z, wilson
from setpoint.model.value import Value

Z_ONE_SIDED = 1.645
"""Standard errors below a mean of its one-sided 95 % bound."""
LEAST_GROUPS = 10
"""Groups below which the spread between them is not known well enough for an interval."""


class Mean(Value):
    """A mean with its 95 % interval."""

    value: float
    low: float | None = None
    """None with too few groups."""
    high: float | None = None
    error: float | None = None
    """Standard error; none with too few groups."""


def mean_by_group(values: Sequence[float], groups: Sequence[str], *, share: bool = False) -> Mean:
    """Return the mean of values and its interval over groups; `share` for a share of cases.

    The error is the cluster-robust one of a ratio of sums (Cochran 1977, 6.3); a share gets Wilson's interval
    with the count of independent cases that has this error. There is at least one value.
    """
    count = len(values)
    mean = sum(values) / count
    away: defaultdict[str, float] = defaultdict(float)
    for value, group in zip(values, groups, strict=True):
        away[group] += value - mean
    number = len(away)
    if number < LEAST_GROUPS:
        return Mean(value=mean)
    error = sqrt(number / (number - 1) * sum(each * each for each in away.values())) / count
    if not share:
        return Mean(value=mean, low=mean - Z * error, high=mean + Z * error, error=error)
    independent = mean * (1 - mean) / error**2 if error else number
    low, high = wilson(mean, max(1, round(independent)))
    return Mean(value=mean, low=max(0.0, low), high=min(1.0, high), error=error)


def lower_bound(mean: Mean) -> float | None:
    """Return the one-sided 95 % lower bound of a mean; none with too few groups."""
    return None if mean.error is None else mean.value - Z_ONE_SIDED * mean.error
