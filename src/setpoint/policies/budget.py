"""How much is left, and when to warn."""

from __future__ import annotations

from decimal import Decimal

from setpoint.domain.attempt import AttemptLimits
from setpoint.domain.run import Limits
from setpoint.policies.past import Past

WARN_AT = (0.5, 0.8)
"""Shares of a budget at which a person is warned."""
SHORTEST_ATTEMPT_S = 5.0


def attempt_limits(limits: Limits, cost_usd: Decimal, active_s: float, wall_s: float, idle_s: float) -> AttemptLimits:
    """Bound one attempt by what is left of the run."""
    left = max(limits.max_wall_s - active_s, SHORTEST_ATTEMPT_S)
    money = None if limits.max_cost_usd <= 0 else max(limits.max_cost_usd - cost_usd, Decimal(0))
    return AttemptLimits(wall_s=min(wall_s, left), idle_s=min(idle_s, left), cost_usd=money)


def warnings(past: Past) -> tuple[tuple[str, float, float, float], ...]:
    """Give the budgets past a warning mark: name, the highest mark passed, used, limit."""
    used = (
        ("cost", float(past.cost_usd), float(past.limits.max_cost_usd)),
        ("time", past.active_s, past.limits.max_wall_s),
    )
    passed = []
    for name, amount, limit in used:
        marks = [mark for mark in WARN_AT if limit > 0 and amount >= mark * limit]
        if marks:
            passed.append((name, max(marks), amount, limit))
    return tuple(passed)
