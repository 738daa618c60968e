"""How much is left, and when to warn."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from setpoint.domain.attempt import AttemptLimits, Usage
from setpoint.domain.events import (
    AgentFinished,
    Event,
    GateAnswered,
    GateOpened,
    PhaseCompleted,
    ReviewCompleted,
    RunResumed,
)
from setpoint.domain.run import Limits
from setpoint.policies.past import Past

WARN_AT = (0.5, 0.8)
"""Shares of a budget at which a person is warned."""
SHORTEST_ATTEMPT_S = 5.0


def attempt_limits(
    limits: Limits, wanted: AttemptLimits, cost_usd: Decimal, active_s: float
) -> AttemptLimits:
    """Bound one attempt by what is left of the run."""
    left = max(limits.max_wall_s - active_s, SHORTEST_ATTEMPT_S)
    money = [] if wanted.cost_usd is None else [wanted.cost_usd]
    if limits.max_cost_usd > 0:
        money.append(max(limits.max_cost_usd - cost_usd, Decimal(0)))
    return AttemptLimits(
        wall_s=min(wanted.wall_s, left), idle_s=min(wanted.idle_s, left), cost_usd=min(money, default=None)
    )


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


def active_seconds(events: Sequence[Event]) -> float:
    """Add up the seconds a run has worked.

    The gap before each resumption does not count, nor does the time in which it waits for a person.
    """
    total, waits = 0.0, False
    for earlier, later in pairwise(events):
        waits = waits or isinstance(earlier.body, GateOpened)
        if isinstance(later.body, RunResumed | GateAnswered):
            waits = False
        elif not waits:
            total += (later.at - earlier.at).total_seconds()
    return total


def spent(events: Sequence[Event]) -> tuple[Decimal, bool]:
    """Add up what all agents of a run have cost, in US dollars, and say whether every one of them told."""
    usages = [usage for event in events if (usage := _usage(event)) is not None]
    lost = sum(
        (event.body.lost_cost_usd for event in events if isinstance(event.body, AgentFinished)), Decimal(0)
    )
    told = sum((usage.cost_usd for usage in usages if usage.cost_usd is not None), Decimal(0))
    known = all(usage.cost_usd is not None or usage.scope == "none" for usage in usages)
    return told + lost, known


def _usage(event: Event) -> Usage | None:
    match event.body:
        case AgentFinished(snapshot=snapshot) if snapshot.attempt is not None:
            return snapshot.attempt.usage
        case PhaseCompleted(usage=usage) | ReviewCompleted(usage=usage):
            return usage
        case _:
            return None
