"""Decide what an attempt may use, when to warn, and when nothing is left to pay a model with."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from setpoint.model.attempt import AttemptLimits
from setpoint.model.config.limits import Limits
from setpoint.model.facts.budget_account import BudgetAccount
from setpoint.model.facts.rounds import RunFacts

WARN_AT = (0.5, 0.8)
"""Shares of a budget at which a person is warned."""
SHORTEST_ATTEMPT_S = 5.0


def attempt_limits(
    limits: Limits,
    wanted: AttemptLimits,
    cost_usd: Decimal,
    active_s: float,
    elapsed_s: float = 0.0,
    tokens_used: int = 0,
) -> AttemptLimits:
    """Bound one attempt by what is left of the run."""
    left = limits.max_wall_s - active_s
    if limits.deadline_s is not None:
        left = min(left, limits.deadline_s - elapsed_s)
    left = max(left, SHORTEST_ATTEMPT_S)
    money = [] if wanted.cost_usd is None else [wanted.cost_usd]
    if limits.max_cost_usd > 0:
        money.append(max(limits.max_cost_usd - cost_usd, Decimal(0)))
    counts = [] if wanted.tokens is None else [wanted.tokens]
    if limits.max_tokens is not None:
        counts.append(max(limits.max_tokens - tokens_used, 0))
    return AttemptLimits(
        wall_s=min(wanted.wall_s, left),
        idle_s=min(wanted.idle_s, left),
        cost_usd=min(money, default=None),
        tokens=min(counts, default=None),
        same_calls=limits.max_same_tool_call,
    )


class Mark(NamedTuple):
    """A budget of which a share is used up at which a person is warned."""

    budget: str
    """cost, time or tokens."""
    share: float
    """The highest mark that is passed."""
    used: float
    limit: float


def warnings(past: RunFacts) -> tuple[Mark, ...]:
    """Return the budgets past a warning mark."""
    return marks(past.limits, past.cost_usd, past.active_s, past.tokens)


def marks(limits: Limits, cost_usd: Decimal, active_s: float, tokens_used: int) -> tuple[Mark, ...]:
    """Return the budgets past a warning mark, by what is used."""
    cost = _mark("cost", float(cost_usd), float(limits.max_cost_usd))
    time = _mark("time", active_s, limits.max_wall_s)
    return (*cost, *time, *_mark("tokens", float(tokens_used), float(limits.max_tokens or 0)))


def _mark(budget: str, amount: float, limit: float) -> tuple[Mark, ...]:
    passed = [share for share in WARN_AT if limit > 0 and amount >= share * limit]
    return (Mark(budget, max(passed), amount, limit),) if passed else ()


def used_up(limits: Limits, cost_usd: Decimal, tokens_used: int) -> bool:
    """Return whether nothing is left to pay a model with."""
    broke = limits.max_cost_usd > 0 and cost_usd >= limits.max_cost_usd
    return broke or (limits.max_tokens is not None and tokens_used >= limits.max_tokens)


def expected_cost(account: BudgetAccount, phase: str) -> Decimal:
    """Return the expected cost of an attempt in a phase: its highest so far; 0 if none is known."""
    return account.highest.get(phase, Decimal(0))
