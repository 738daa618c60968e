"""The integrity metric: what a signal takes from it, by rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from setpoint.model.finding import Finding

PENALTY: Mapping[str, float] = {
    "under-test": 0.4,
    "hard-coded": 0.3,
    "vanished": 0.3,
    "silenced": 0.3,
    "lowered": 0.3,
    "strength": 0.15,
    "suppression": 0.05,
    "protected": 0.05,
}
"""What one signal of a rule takes from the mark; a display scale, as gates decide."""
OTHER = 0.05
"""What a signal of any other rule takes."""


def mark(findings: Iterable[Finding]) -> float:
    """Return mark, from 0 to 1: 1 without a signal, 0 with one that blocks, each other takes its share."""
    total = 1.0
    for finding in findings:
        total *= 0.0 if finding.blocking else 1 - PENALTY.get(finding.rule, OTHER)
    return total
