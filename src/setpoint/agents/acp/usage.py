"""What one attempt cost, from figures that agents give per turn, per session or for the last call only."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from acp.schema import PromptResponse, UsageUpdate

from setpoint.agents.acp.tool_calls import at_path
from setpoint.agents.launch import Quirks, UsageScope
from setpoint.model.attempt import Usage

_ZERO = Decimal(0)
_CENT_MILLIONTH = Decimal("0.00000001")


class Tokens(NamedTuple):
    """Counts of tokens; the input holds those of the caches."""

    read: int = 0
    written: int = 0
    cached: int = 0
    cache_write: int = 0


class Meter:
    """Follows one session and computes the use of each turn."""

    def __init__(self, quirks: Quirks) -> None:
        """Begin with a session that has cost nothing."""
        self._quirks = quirks
        self._cost: Decimal | None = None
        self._cost_before = _ZERO
        self._tokens_before = Tokens()
        self._flying: Tokens | None = None
        """The session's tokens by the newest of its updates; none if these report no tokens."""

    def resume(self, cost: Decimal | None, tokens: Sequence[int] | None) -> None:
        """Begin with a session that has cost this much already, where the agent counts by session."""
        self._cost = cost
        self._tokens_before = Tokens(*(tokens or ()))

    @property
    def session(self) -> tuple[Decimal | None, Tokens]:
        """Cost and tokens of the session so far."""
        return self._cost, self._tokens_before

    def begin(self) -> None:
        """Begin a turn."""
        self._cost_before = self._cost or _ZERO
        self._tokens_before = self._flying or self._tokens_before

    def told(self, update: UsageUpdate) -> Usage | None:
        """Record the session's cost and tokens so far; return the turn's share, none if unreported."""
        if update.cost is not None and update.cost.currency.upper() == "USD":
            self._cost = Decimal(str(update.cost.amount))
        counts = at_path(update.field_meta, self._quirks.update_meta)
        self._flying = _from_meta(counts) or self._flying
        if self._cost is None and self._flying is None:
            return None
        return self._usage(None if self._flying is None else self._share(self._flying), UsageScope.TURN)

    def usage(self, answer: PromptResponse | None) -> Usage:
        """Return the use of the turn, from its answer if there is one."""
        tokens = None if answer is None else self._tokens(answer)
        scope = self._quirks.usage_scope
        if tokens is None:
            flying = self._flying
            return self._usage(None if flying is None else self._share(flying), UsageScope.TURN)
        if scope is UsageScope.SESSION:
            share, self._tokens_before = self._share(tokens), tokens
            if self._flying is not None:
                self._flying = tokens
            return self._usage(share, UsageScope.TURN)
        return self._usage(tokens, scope)

    def _usage(self, tokens: Tokens | None, scope: str) -> Usage:
        cost = self._turn_cost()
        if tokens is None:
            return Usage(cost_usd=cost, scope="unknown" if cost is None else UsageScope.TURN)
        return Usage(
            input_tokens=tokens.read,
            output_tokens=tokens.written,
            cached_tokens=tokens.cached,
            cache_write_tokens=tokens.cache_write,
            cost_usd=cost,
            scope=scope,
            tokens_by="agent",
        )

    def _share(self, now: Tokens) -> Tokens:
        """Return the turn's share; a compacted session may restart its count: then use the figure itself."""
        pairs = zip(now, self._tokens_before, strict=True)
        return Tokens(*(after - before if after >= before else after for after, before in pairs))

    def _turn_cost(self) -> Decimal | None:
        if self._cost is None:
            return None
        share = self._cost - self._cost_before if self._cost >= self._cost_before else self._cost
        return share.quantize(_CENT_MILLIONTH).normalize() + _ZERO

    def _tokens(self, answer: PromptResponse) -> Tokens | None:
        told = answer.usage
        if told is None:
            return _from_meta(at_path(answer.field_meta, self._quirks.usage_meta))
        cached, cache_write = told.cached_read_tokens or 0, told.cached_write_tokens or 0
        beside = told.input_tokens + told.output_tokens + cached + cache_write
        # Some agents include cached tokens in the input, some do not; the total shows which.
        apart = (cached or cache_write) and told.total_tokens >= beside
        read = told.input_tokens + (cached + cache_write if apart else 0)
        return Tokens(read, told.output_tokens, cached, cache_write)


def _from_meta(counts: object) -> Tokens | None:
    if not isinstance(counts, dict):
        return None
    read, written = (
        _count(counts, "input_tokens", "inputTokens"),
        _count(counts, "output_tokens", "outputTokens"),
    )
    cached = _count(counts, "cached_tokens", "cachedTokens", "cached_input_tokens", "cachedReadTokens")
    return None if read is None or written is None else Tokens(read, written, cached or 0)


def _count(counts: dict[str, Any], *names: str) -> int | None:
    return next((counts[name] for name in names if isinstance(counts.get(name), int)), None)
