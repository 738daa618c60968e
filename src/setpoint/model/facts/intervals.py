"""Intervals of shares that were counted."""

from __future__ import annotations

from math import sqrt

Z = 1.96
"""Standard deviations of a 95 % interval."""


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of `count` cases (Wilson 1927); `count` is at least 1."""
    centre = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return centre - half, centre + half
