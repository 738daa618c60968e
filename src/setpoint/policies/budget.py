"""How much is left, and when to warn."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from setpoint.domain.attempt import AttemptLimits, Usage
from setpoint.domain.events import (
    AgentFinished,
    CandidateMade,
    ChangeReviewed,
    Event,
    GateAnswered,
    GateOpened,
    IterationEvaluated,
    PhaseCompleted,
    ReviewAnswered,
    ReviewCompleted,
    RunFinished,
    RunResumed,
)
from setpoint.domain.gate import Answer, Choice, Grant
from setpoint.domain.memory_events import ReflectionCompleted, ReflectionSkipped
from setpoint.domain.run import Limits
from setpoint.policies.past import Past, Share
from setpoint.policies.spending import account

WARN_AT = (0.5, 0.8)
"""Shares of a budget at which a person is warned."""
SHORTEST_ATTEMPT_S = 5.0
_COUNTING = ("max_iterations", "max_review_bounces", "max_test_bounces", "max_refinement_attempts")
"""Limits that count rounds in one way or another."""


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


def warnings(past: Past) -> tuple[Mark, ...]:
    """Give the budgets past a warning mark."""
    return marks(past.limits, past.cost_usd, past.active_s, past.tokens)


def marks(limits: Limits, cost_usd: Decimal, active_s: float, tokens_used: int) -> tuple[Mark, ...]:
    """Give the budgets past a warning mark, by what is used."""
    cost = _mark("cost", float(cost_usd), float(limits.max_cost_usd))
    time = _mark("time", active_s, limits.max_wall_s)
    return (*cost, *time, *_mark("tokens", float(tokens_used), float(limits.max_tokens or 0)))


def _mark(budget: str, amount: float, limit: float) -> tuple[Mark, ...]:
    passed = [share for share in WARN_AT if limit > 0 and amount >= share * limit]
    return (Mark(budget, max(passed), amount, limit),) if passed else ()


def used_up(limits: Limits, cost_usd: Decimal, tokens_used: int) -> bool:
    """Whether nothing is left to pay a model with."""
    broke = limits.max_cost_usd > 0 and cost_usd >= limits.max_cost_usd
    return broke or (limits.max_tokens is not None and tokens_used >= limits.max_tokens)


def active_seconds(events: Sequence[Event]) -> float:
    """Add up the seconds a run has worked.

    The gap before each resumption does not count, nor does the time in which it waits for a person.
    """
    total, waits = 0.0, False
    for earlier, later in pairwise(events):
        if isinstance(earlier.body, RunFinished):
            break  # what people say of a run later is no work of its
        waits = waits or isinstance(earlier.body, GateOpened)
        if isinstance(later.body, RunResumed | GateAnswered):
            waits = False
        elif not waits:
            total += (later.at - earlier.at).total_seconds()
    return total


def granted(limits: Limits, grants: Sequence[Grant]) -> Limits:
    """Give the limits with all that people added to them; no guard but the deadline holds against a grant."""
    more = sum(grant.iterations for grant in grants)
    money = sum((grant.cost_usd for grant in grants), Decimal(0))
    counts = {name: getattr(limits, name) for name in _COUNTING}
    update: dict[str, object] = {
        name: None if count is None else count + more for name, count in counts.items()
    }
    if limits.max_cost_usd > 0:
        update["max_cost_usd"] = limits.max_cost_usd + money
    if limits.max_tokens is not None:
        update["max_tokens"] = limits.max_tokens + sum(grant.tokens for grant in grants)
    update["max_wall_s"] = limits.max_wall_s + sum(grant.wall_s for grant in grants)
    return limits.model_copy(update=update)


def grants(events: Sequence[Event]) -> tuple[Grant, ...]:
    """Give what people added to the limits of a run, oldest first."""
    return tuple(answer.grant for _, answer in continued(events))


def continued(events: Sequence[Event]) -> tuple[tuple[int, Answer], ...]:
    """Give the answers that let a run go on, each with the round it was asked about, oldest first."""
    gates = {event.body.gate.id: event.body.gate for event in events if isinstance(event.body, GateOpened)}
    return tuple(
        (gates[event.body.gate].iteration, event.body.answer)
        for event in events
        if isinstance(event.body, GateAnswered)
        and event.body.answer.choice is Choice.CONTINUE
        and event.body.gate in gates
    )


def shares(events: Sequence[Event]) -> tuple[Share, ...]:
    """Give what each finished round has used: money that agents told of, and seconds."""
    costs: dict[int, Decimal] = {}
    seconds: dict[int, float] = {}
    number, waits = 0, False
    for earlier, later in pairwise(events):
        number = getattr(earlier.body, "iteration", 0) or number
        waits = waits or isinstance(earlier.body, GateOpened)
        if isinstance(later.body, RunResumed | GateAnswered):
            waits = False
        elif number and not waits:
            passed = (later.at - earlier.at).total_seconds()
            seconds[number] = seconds.get(number, 0.0) + passed
        # The answers of single reviewers are added up by the fact that closes their review.
        usage = None if isinstance(later.body, ReviewAnswered) else _usage(later)
        place = getattr(later.body, "iteration", 0)
        if usage is not None and usage.cost_usd is not None and place:
            costs[place] = costs.get(place, Decimal(0)) + usage.cost_usd
    decided = {event.body.iteration for event in events if isinstance(event.body, IterationEvaluated)}
    return tuple(
        Share(cost_usd=costs.get(each, Decimal(0)), seconds=seconds.get(each, 0.0))
        for each in sorted(decided)
    )


def tokens(events: Sequence[Event]) -> int:
    """Add up the tokens that are known to be used, in and out."""
    return account(events).tokens


def spent(events: Sequence[Event]) -> tuple[Decimal, bool]:
    """Add up what all agents of a run have cost, in US dollars, and say whether all of it is known."""
    told = account(events)
    return told.cost_usd, told.known


def expected(events: Sequence[Event], phase: str) -> Decimal:
    """Give what an attempt in a phase may cost, by the dearest of its earlier ones; 0 where none is known."""
    costs = [
        usage.cost_usd
        for event in events
        if (usage := _usage(event)) is not None and usage.cost_usd is not None and _place(event) == phase
    ]
    return max(costs, default=Decimal(0))


def _place(event: Event) -> str:
    """Name the phase that an event closes an attempt of."""
    match event.body:
        case AgentFinished(phase=phase) | CandidateMade(phase=phase) | PhaseCompleted(phase=phase):
            return phase
        case ReviewAnswered():
            return "review"
        case _:
            return ""


def _usage(event: Event) -> Usage | None:
    match event.body:
        case AgentFinished(candidate=candidate) if candidate:
            return None  # told when the candidate was made
        case AgentFinished(snapshot=snapshot) | CandidateMade(snapshot=snapshot) if snapshot.attempt:
            return snapshot.attempt.usage
        case (
            PhaseCompleted(usage=usage)
            | ReviewAnswered(usage=usage)
            | ReviewCompleted(usage=usage)
            | ChangeReviewed(usage=usage)
        ):
            return usage
        case ReflectionCompleted(usage=usage) | ReflectionSkipped(usage=usage):
            return usage
        case _:
            return None
