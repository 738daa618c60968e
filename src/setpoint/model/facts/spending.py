"""Expenses of a run in figures and words: who counted them, who priced them, what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from setpoint.model.attempt import ModelCall, Usage
from setpoint.model.value import Usd, Value

N = TypeVar("N", int, float)
UNKNOWN = "unknown"
NOT_TOLD = "cost not told"
"""Said where no agent told what it cost."""
_IN_MINUTES_FROM = 120
_COUNTED = {"proxy": "counted by the proxy", "setpoint": "counted by Setpoint"}
_ZERO = Decimal(0)


class Part(Value):
    """What was spent on the word of one source."""

    origin: str
    """Who counted and who priced it, in words; `unknown` for what could not be priced."""
    cost_usd: Usd = _ZERO
    tokens: int = 0
    """In and out, as far as they are known."""


class Expenses(Value):
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


def origin(usage: Usage) -> str:
    """Say in words where a cost comes from."""
    if usage.cost_usd is None:
        return UNKNOWN
    if usage.priced_by in ("", "agent"):
        return "told by the agent"
    counted = _COUNTED.get(usage.tokens_by, "tokens told by the agent")
    return f"{counted}, priced by {'your settings' if usage.priced_by == 'user' else usage.priced_by}"


def in_words(expenses: Expenses) -> str:
    """Return what was spent and who reported it, for example `$0.42 (told by the agent)`."""
    spent = amount(expenses.cost_usd, known=expenses.known)
    parts = [part for part in expenses.parts if part.origin != UNKNOWN]
    if not parts:
        return spent
    named = "; ".join(
        part.origin if len(parts) == 1 else f"${part.cost_usd:.2f} {part.origin}" for part in parts
    )
    return f"{spent} ({named}{'' if expenses.known else '; the rest not told'})"


def amount(cost_usd: Decimal | None, *, known: bool = True) -> str:
    """Return a cost in short: `$0.42`, `$0.42 known` where a part was not told, `cost not told`."""
    if cost_usd is None or not (known or cost_usd):
        return NOT_TOLD
    return f"${cost_usd:.2f}{'' if known else ' known'}"


def in_time(seconds: float) -> str:
    """Write a time in whole minutes, or in seconds below two minutes."""
    if seconds < _IN_MINUTES_FROM:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


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
        duration_s=_sum(usage.duration_s for usage in paid),
        at_least=bool(costs) and (len(costs) < len(paid) or any(usage.at_least for usage in paid)),
    )


def used(usage: Usage | ModelCall) -> int:
    """Return the tokens of a usage or of one call, in and out."""
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def _sum(figures: Iterable[N | None]) -> N | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known[1:], known[0]) if known else None


def _joined(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(word for word in words if word))
