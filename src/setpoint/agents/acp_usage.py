"""What one attempt cost, from figures that agents give per turn, per session or for the last call only."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from acp.schema import PromptResponse, UsageUpdate

from setpoint.agents.acp_calls import at_path
from setpoint.agents.launch import Quirks, UsageScope
from setpoint.domain.attempt import Usage

_ZERO = Decimal(0)
_CENT_MILLIONTH = Decimal("0.00000001")
Tokens = tuple[int, int, int]
"""Input, output and cached tokens."""


class Meter:
    """Follows one session and tells what each of its turns has used."""

    def __init__(self, quirks: Quirks) -> None:
        """Begin with a session that has cost nothing."""
        self._quirks = quirks
        self._cost: Decimal | None = None
        self._cost_before = _ZERO
        self._tokens_before: Tokens = (0, 0, 0)

    def resume(self, cost: Decimal | None, tokens: Tokens | None) -> None:
        """Begin with a session that has cost this much already, where the agent counts by session."""
        self._cost = cost
        self._tokens_before = tokens or (0, 0, 0)

    @property
    def session(self) -> tuple[Decimal | None, Tokens]:
        """Cost and tokens of the session so far."""
        return self._cost, self._tokens_before

    def begin(self) -> None:
        """Begin a turn."""
        self._cost_before = self._cost or _ZERO

    def told(self, update: UsageUpdate) -> Usage | None:
        """Take the session's cost so far; gives the turn's share, none where there is no cost in dollars."""
        if update.cost is None or update.cost.currency.upper() != "USD":
            return None
        self._cost = Decimal(str(update.cost.amount))
        return Usage(cost_usd=self._turn_cost(), scope=UsageScope.TURN)

    def usage(self, answer: PromptResponse | None) -> Usage:
        """Give what the turn has used, from its answer where one came."""
        cost = self._turn_cost()
        tokens = None if answer is None else self._tokens(answer)
        if tokens is None:
            return Usage(cost_usd=cost, scope="unknown" if cost is None else UsageScope.TURN)
        scope = self._quirks.usage_scope
        if scope is UsageScope.SESSION:
            # A session that was compacted may count anew: then the figure itself is the best there is.
            shares = [
                now - before if now >= before else now
                for now, before in zip(tokens, self._tokens_before, strict=True)
            ]
            self._tokens_before = tokens
            tokens = (shares[0], shares[1], shares[2])
            scope = UsageScope.TURN
        read, written, cached = tokens
        return Usage(
            input_tokens=read, output_tokens=written, cached_tokens=cached, cost_usd=cost, scope=scope
        )

    def _turn_cost(self) -> Decimal | None:
        if self._cost is None:
            return None
        share = self._cost - self._cost_before if self._cost >= self._cost_before else self._cost
        return share.quantize(_CENT_MILLIONTH).normalize() + _ZERO

    def _tokens(self, answer: PromptResponse) -> Tokens | None:
        if answer.usage is not None:
            return (
                answer.usage.input_tokens,
                answer.usage.output_tokens,
                answer.usage.cached_read_tokens or 0,
            )
        counts = at_path(answer.field_meta, self._quirks.usage_meta)
        if not isinstance(counts, dict):
            return None
        read, written = (
            _count(counts, "input_tokens", "inputTokens"),
            _count(counts, "output_tokens", "outputTokens"),
        )
        cached = _count(counts, "cached_tokens", "cachedTokens", "cached_input_tokens", "cachedReadTokens")
        return None if read is None or written is None else (read, written, cached or 0)


def _count(counts: dict[str, Any], *names: str) -> int | None:
    return next((counts[name] for name in names if isinstance(counts.get(name), int)), None)
