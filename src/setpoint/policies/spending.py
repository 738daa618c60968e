"""What a run has used, who told it, and what is still in flight: read from its events alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from setpoint.domain.attempt import Usage
from setpoint.domain.events import (
    AgentFinished,
    AgentSpent,
    CandidateMade,
    ChangeReviewed,
    Event,
    PhaseCompleted,
    ReviewAnswered,
    ReviewCompleted,
)
from setpoint.domain.memory_events import ReflectionCompleted, ReflectionSkipped
from setpoint.domain.value import Usd, Value

UNKNOWN = "unknown"
_COUNTED = {"proxy": "counted by the proxy", "setpoint": "counted by Setpoint"}
_ZERO = Decimal(0)


class Part(Value):
    """What was spent on the word of one source."""

    origin: str
    """Who counted and who priced it, in words; `unknown` for what could not be priced."""
    cost_usd: Usd = _ZERO
    tokens: int = 0
    """In and out, as far as they are known."""


class Account(Value):
    """All that a run has used up to now, attempts that were lost and those in flight included."""

    cost_usd: Usd = _ZERO
    """As far as it is known, in US dollars."""
    known: bool = True
    """Whether every attempt's cost is known in full."""
    tokens: int = 0
    """In and out, as far as they are known."""
    parts: tuple[Part, ...] = ()
    """By source, the dearest first."""
    flying: dict[str, Usd] = {}
    """What attempts that have not ended have cost, by their label."""


def account(events: Sequence[Event]) -> Account:
    """Add up what all agents of a run have used."""
    fold = _Fold()
    for event in events:
        fold.take(event)
    return fold.account()


def origin(usage: Usage) -> str:
    """Say in words where a cost comes from."""
    if usage.cost_usd is None:
        return UNKNOWN
    if usage.priced_by in ("", "agent"):
        return "told by the agent"
    counted = _COUNTED.get(usage.tokens_by, "tokens told by the agent")
    return f"{counted}, priced by {'your settings' if usage.priced_by == 'user' else usage.priced_by}"


def in_words(told: Account) -> str:
    """Say what was spent and who told it, for example `$0.42 (told by the agent)`."""
    parts = [part for part in told.parts if part.origin != UNKNOWN]
    if not parts:
        return "$0.00" if told.known else UNKNOWN
    named = "; ".join(
        part.origin if len(parts) == 1 else f"${part.cost_usd:.2f} {part.origin}" for part in parts
    )
    more, rest = ("", "") if told.known else (" or more", "; the rest unknown")
    return f"${told.cost_usd:.2f}{more} ({named}{rest})"


def added(usages: Sequence[Usage]) -> Usage:
    """Add up several attempts; what one of them did not tell makes the cost a lower bound."""
    paid = [usage for usage in usages if usage.scope != "none"]
    if len(paid) < 2:  # noqa: PLR2004 - nothing to add
        return paid[0] if paid else usages[-1]
    costs = [usage.cost_usd for usage in paid if usage.cost_usd is not None]
    return Usage(
        input_tokens=_sum(usage.input_tokens for usage in paid),
        output_tokens=_sum(usage.output_tokens for usage in paid),
        cached_tokens=_sum(usage.cached_tokens for usage in paid),
        cache_write_tokens=_sum(usage.cache_write_tokens for usage in paid),
        cost_usd=sum(costs, _ZERO) if costs else None,
        scope=paid[-1].scope,
        model=_joined(usage.model for usage in paid),
        tokens_by=_joined(usage.tokens_by for usage in paid),
        priced_by=_joined(usage.priced_by for usage in paid if usage.cost_usd is not None),
        at_least=bool(costs) and (len(costs) < len(paid) or any(usage.at_least for usage in paid)),
    )


def used(usage: Usage) -> int:
    """Give the tokens of a usage, in and out."""
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def _sum(figures: Iterable[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


def _cost(usages: Iterable[Usage]) -> Decimal:
    return sum((usage.cost_usd or _ZERO for usage in usages), _ZERO)


def _joined(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(word for word in words if word))


@dataclass(kw_only=True)
class _Fold:
    """The account in the making."""

    closed: list[Usage] = field(default_factory=list)
    flying: dict[str, dict[int, Usage]] = field(default_factory=dict)
    """What tries told that no closing fact holds yet, by label and try."""
    answered: dict[str, Usage] = field(default_factory=dict)
    """Answers of reviewers, which the fact that closes the review adds up, by label."""

    def take(self, event: Event) -> None:
        match event.body:
            case AgentSpent(label=label, attempt=attempt, usage=usage):
                self.flying.setdefault(label, {})[attempt] = usage
            case AgentFinished(candidate=candidate) if candidate:
                pass  # told when the candidate was made
            case AgentFinished() | CandidateMade():
                self._made(event.body)
            case PhaseCompleted(phase=phase, iteration=iteration, usage=usage):
                self._close(f"{phase}-{iteration}", usage)
            case ReviewAnswered(usage=usage):
                self.flying.pop(event.key, None)
                self.answered[event.key] = usage
            case ReviewCompleted(usage=usage):
                for label in [each for each in self.answered if each.startswith(f"{event.key}:")]:
                    del self.answered[label]
                self._close(event.key, usage)
            case ChangeReviewed(usage=usage):
                self._close(event.key.removesuffix(":review"), usage)
            case ReflectionCompleted(usage=usage) | ReflectionSkipped(usage=usage):
                self._close("reflection", usage)
            case _:
                pass  # nothing else costs

    def _made(self, body: AgentFinished | CandidateMade) -> None:
        tries = self.flying.pop(body.snapshot.label, {})
        # The last try is the one whose result stands; what the others cost is in `lost_cost_usd`.
        for number in sorted(tries)[:-1]:
            # Of one whose cost nobody told, it stays unknown.
            known = {} if tries[number].cost_usd is None else {"cost_usd": _ZERO}
            self.closed.append(tries[number].model_copy(update=known))
        if body.lost_cost_usd:
            last = tries[max(tries)] if tries else Usage()
            lost = Usage(
                cost_usd=body.lost_cost_usd,
                scope="turn",
                tokens_by=last.tokens_by,
                priced_by=last.priced_by,
            )
            self.closed.append(lost)
        if body.snapshot.attempt is not None:
            self.closed.append(body.snapshot.attempt.usage)

    def _close(self, label: str, usage: Usage) -> None:
        self.flying.pop(label, None)
        self.closed.append(usage)

    def account(self) -> Account:
        in_flight = [usage for tries in self.flying.values() for usage in tries.values()]
        usages = [*self.closed, *self.answered.values(), *in_flight]
        paid = [usage for usage in usages if usage.scope != "none"]
        parts: dict[str, Part] = {}
        for usage in paid:
            name = origin(usage)
            before = parts.get(name, Part(origin=name))
            cost = before.cost_usd + (usage.cost_usd or _ZERO)
            parts[name] = Part(origin=name, cost_usd=cost, tokens=before.tokens + used(usage))
        return Account(
            cost_usd=sum((part.cost_usd for part in parts.values()), _ZERO),
            known=all(usage.cost_usd is not None and not usage.at_least for usage in paid),
            tokens=sum(part.tokens for part in parts.values()),
            parts=tuple(sorted(parts.values(), key=lambda part: (-part.cost_usd, part.origin))),
            flying={label: _cost(tries.values()) for label, tries in self.flying.items()},
        )
