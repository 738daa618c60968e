"""The budget of a run: what it has used and been granted, folded forward event by event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import reduce

from setpoint.model.attempt import Usage
from setpoint.model.config.limits import Limits
from setpoint.model.events import Event
from setpoint.model.events.candidates import CandidateMade
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.learning import ReflectionCompleted, ReflectionSkipped
from setpoint.model.events.live import PauseEnded, RunHeld
from setpoint.model.events.requests import ChangeReviewed
from setpoint.model.events.run import (
    AgentBroke,
    AgentFinished,
    AgentSpent,
    GateAnswered,
    GateOpened,
    IterationEvaluated,
    PhaseCompleted,
    ReviewAnswered,
    ReviewCompleted,
    RunFinished,
    RunResumed,
)
from setpoint.model.facts.rounds import Share
from setpoint.model.facts.spending import Expenses, Part, origin, used
from setpoint.model.gate import Answer, Grant
from setpoint.model.ids import GateId
from setpoint.model.value import Instant

_COUNTING = ("max_iterations", "max_review_bounces", "max_test_bounces", "max_refinement_attempts")
"""Limits that count rounds in one way or another."""
_ZERO = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class BudgetAccount:
    """What a run has used and been granted up to its newest event; `update` takes in the next one."""

    parts: Mapping[str, Part] = field(default_factory=dict)
    """What ended attempts cost, by source."""
    known: bool = True
    """Whether the cost of every ended attempt is known in full."""
    in_flight: Mapping[str, Mapping[int, Usage]] = field(default_factory=dict)
    """What tries reported that no closing event holds yet, by label and try."""
    answered: Mapping[str, Usage] = field(default_factory=dict)
    """What reviewers' answers cost until the event that closes the review adds them up, by label."""
    highest: Mapping[str, Decimal] = field(default_factory=dict)
    """The highest known cost of one attempt, by phase."""
    active_s: float = 0.0
    """Seconds the run has worked, without the gap before a resumption and without waiting for a person."""
    waits: bool = False
    """Whether the run waits for a person."""
    pause_s: float = 0.0
    """Seconds after the newest event in which the run waits for an agent's limit to pass."""
    ended: bool = False
    """Whether the run has finished; what people say of it later is not work of the run."""
    last_at: Instant | None = None
    """Time of the newest event."""
    round: int = 0
    """The round that the newest events are about."""
    costs: Mapping[int, Decimal] = field(default_factory=dict)
    """US dollars by round."""
    seconds: Mapping[int, float] = field(default_factory=dict)
    """Seconds of work by round."""
    evaluated: frozenset[int] = frozenset()
    """Rounds that were evaluated."""
    gates: Mapping[GateId, int] = field(default_factory=dict)
    """The round that each gate was opened in."""
    continued: tuple[tuple[int, Answer], ...] = ()
    """Answers that let the run continue, each with the round it was asked about, oldest first."""

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What people added to the limits, oldest first."""
        return tuple(answer.grant for _, answer in self.continued)

    @property
    def shares(self) -> tuple[Share, ...]:
        """What each evaluated round has used, oldest first."""
        return tuple(
            Share(cost_usd=self.costs.get(each, _ZERO), seconds=self.seconds.get(each, 0.0))
            for each in sorted(self.evaluated)
        )

    @property
    def used(self) -> Expenses:
        """What all agents have used, lost attempts and those in flight included."""
        flying = [usage for tries in self.in_flight.values() for usage in tries.values()]
        whole = _paid(self, [*self.answered.values(), *flying])
        return Expenses(
            cost_usd=sum((part.cost_usd for part in whole.parts.values()), _ZERO),
            known=whole.known,
            tokens=sum(part.tokens for part in whole.parts.values()),
            parts=tuple(sorted(whole.parts.values(), key=lambda part: (-part.cost_usd, part.origin))),
            flying={
                label: sum((usage.cost_usd or _ZERO for usage in tries.values()), _ZERO)
                for label, tries in self.in_flight.items()
            },
        )


def account_of(events: Iterable[Event]) -> BudgetAccount:
    """Return the account of a run after all its events."""
    return reduce(update, events, BudgetAccount())


def update(account: BudgetAccount, event: Event) -> BudgetAccount:
    """Return the account after one more event of the run."""
    account = _with_cost(_with_time(account, event), event)
    match event.body:
        case GateOpened(gate=gate):
            return replace(account, waits=True, gates={**account.gates, gate.id: gate.iteration})
        case RunHeld():
            return replace(account, waits=True)
        case GateAnswered(gate=gate, answer=answer) if answer.choice.continues and gate in account.gates:
            return replace(account, continued=(*account.continued, (account.gates[gate], answer)))
        case IterationEvaluated(iteration=iteration):
            return replace(account, evaluated=account.evaluated | {iteration})
        case RunFinished():
            return replace(account, ended=True)
        case _:
            return account


def _with_time(account: BudgetAccount, event: Event) -> BudgetAccount:
    number, active_s, waits, seconds = account.round, account.active_s, account.waits, account.seconds
    if isinstance(event.body, RunResumed | GateAnswered) or (isinstance(event.body, PauseEnded) and waits):
        waits = False
    elif not waits and not account.ended and account.last_at is not None:
        gap = max((event.at - account.last_at).total_seconds() - account.pause_s, 0.0)
        active_s += gap
        if number:
            seconds = {**seconds, number: seconds.get(number, 0.0) + gap}
    return replace(
        account,
        active_s=active_s,
        waits=waits,
        pause_s=event.body.wait_s if isinstance(event.body, AgentBroke) else 0.0,
        seconds=seconds,
        round=getattr(event.body, "iteration", 0) or number,
        last_at=event.at,
    )


def _with_cost(account: BudgetAccount, event: Event) -> BudgetAccount:
    usage = usage_of(event)
    if usage is not None and usage.cost_usd is not None:
        account = _with_share(account, event, usage.cost_usd)
    match event.body:
        case AgentSpent():
            account = _reported(account, event.body)
        case AgentFinished(candidate=candidate) if candidate:
            pass  # counted when the candidate was made
        case AgentFinished() | CandidateMade():
            account = _with_attempt(account, event.body)
        case PhaseCompleted(phase=phase, iteration=iteration, usage=usage):
            account = _closed(account, f"{phase}-{iteration}", usage)
        case ReviewAnswered(usage=usage):
            answered = {**account.answered, event.key: usage}
            in_flight = _without(account.in_flight, event.key)
            account = replace(account, in_flight=in_flight, answered=answered)
        case ReviewCompleted(usage=usage):
            prefix = f"{event.key}:"
            others = {key: each for key, each in account.answered.items() if not key.startswith(prefix)}
            account = _closed(replace(account, answered=others), event.key, usage)
        case ChangeReviewed(usage=usage) | HiddenTestsAnswered(usage=usage) | HiddenTestsWritten(usage=usage):
            account = _closed(account, event.key.removesuffix(":review"), usage)
        case ReflectionCompleted(usage=usage) | ReflectionSkipped(usage=usage):
            account = _closed(account, "reflection", usage)
        case _:
            pass  # nothing else costs anything
    return account


def _reported(account: BudgetAccount, body: AgentSpent) -> BudgetAccount:
    tries = {**account.in_flight.get(body.label, {}), body.attempt: body.usage}
    return replace(account, in_flight={**account.in_flight, body.label: tries})


def _with_share(account: BudgetAccount, event: Event, cost: Decimal) -> BudgetAccount:
    """Count a cost for its round and its phase."""
    phase, number = phase_of(event), getattr(event.body, "iteration", 0)
    highest, costs = account.highest, account.costs
    if phase:
        highest = {**highest, phase: max(highest.get(phase, cost), cost)}
    # The event that closes a review adds up the answers of its reviewers.
    if number and not isinstance(event.body, ReviewAnswered):
        costs = {**costs, number: costs.get(number, _ZERO) + cost}
    return replace(account, highest=highest, costs=costs)


def _with_attempt(account: BudgetAccount, body: AgentFinished | CandidateMade) -> BudgetAccount:
    tries = account.in_flight.get(body.snapshot.label, {})
    # The last try is the one whose result stands; what the others cost is in `lost_cost_usd`.
    # A try whose cost nobody reported stays unknown.
    ended = [
        usage if usage.cost_usd is None else usage.model_copy(update={"cost_usd": _ZERO})
        for usage in (tries[number] for number in sorted(tries)[:-1])
    ]
    if body.lost_cost_usd:
        last = tries[max(tries)] if tries else Usage()
        lost = Usage(
            cost_usd=body.lost_cost_usd, scope="turn", tokens_by=last.tokens_by, priced_by=last.priced_by
        )
        ended.append(lost)
    if body.snapshot.attempt is not None:
        ended.append(body.snapshot.attempt.usage)
    return _paid(replace(account, in_flight=_without(account.in_flight, body.snapshot.label)), ended)


def _closed(account: BudgetAccount, label: str, usage: Usage) -> BudgetAccount:
    return _paid(replace(account, in_flight=_without(account.in_flight, label)), [usage])


def _paid(account: BudgetAccount, usages: Sequence[Usage]) -> BudgetAccount:
    parts, known = dict(account.parts), account.known
    for usage in usages:
        if usage.scope == "none":
            continue
        name = origin(usage)
        before = parts.get(name, Part(origin=name))
        cost = before.cost_usd + (usage.cost_usd or _ZERO)
        parts[name] = Part(origin=name, cost_usd=cost, tokens=before.tokens + used(usage))
        known = known and usage.cost_usd is not None and not usage.at_least
    return replace(account, parts=parts, known=known)


def _without(in_flight: Mapping[str, Mapping[int, Usage]], label: str) -> Mapping[str, Mapping[int, Usage]]:
    return {name: tries for name, tries in in_flight.items() if name != label}


def granted(limits: Limits, grants: Sequence[Grant]) -> Limits:
    """Return limits with all that people added to them; the deadline alone stays as it is."""
    more = sum(grant.iterations for grant in grants)
    money = sum((grant.cost_usd for grant in grants), _ZERO)
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


def phase_of(event: Event) -> str:
    """Name the phase that an event closes an attempt of."""
    match event.body:
        case AgentFinished(phase=phase) | CandidateMade(phase=phase) | PhaseCompleted(phase=phase):
            return phase
        case ReviewAnswered():
            return "review"
        case _:
            return ""


def usage_of(event: Event) -> Usage | None:
    """Return what the attempt or answer that an event records has used; none if it records neither."""
    match event.body:
        case AgentFinished(candidate=candidate) if candidate:
            return None  # counted when the candidate was made
        case AgentFinished(snapshot=snapshot) | CandidateMade(snapshot=snapshot) if snapshot.attempt:
            return snapshot.attempt.usage
        case (
            PhaseCompleted(usage=usage)
            | ReviewAnswered(usage=usage)
            | ReviewCompleted(usage=usage)
            | ChangeReviewed(usage=usage)
            | HiddenTestsAnswered(usage=usage)
            | HiddenTestsWritten(usage=usage)
        ):
            return usage
        case ReflectionCompleted(usage=usage) | ReflectionSkipped(usage=usage):
            return usage
        case _:
            return None
