"""The use of one attempt so far, as reported by the agent or by the proxy in front of its model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

from setpoint.agents.spending.prices import Prices
from setpoint.model.attempt import (
    NOT_REACHED,
    Attempt,
    AttemptLimits,
    Breakage,
    BreakageKind,
    Brief,
    ModelCall,
    Stop,
    Usage,
)
from setpoint.model.facts.spending import added, used
from setpoint.ports import Observer

_ZERO = Decimal(0)
REFUSED = frozenset({401, 403, 429, 502, 503, 504, 529})
"""Statuses of a model that does not answer now: login, limit or overload."""
LEAST_REFUSALS = 3
MOST_REFUSED_S = 45.0
"""Seconds that an agent may repeat a refused call by itself; then Setpoint waits in its place and says so."""


class UsageMeter:
    """Follows the cost and the tokens of one attempt, and decides when it must end.

    What the proxy counted goes before a price of the tokens that the agent tells, where all of it could be
    priced; dollars that the agent itself tells go before both where they are more. `halted` is set as soon as
    the attempt's share or the run's budget is used up.
    """

    def __init__(
        self,
        limits: AttemptLimits,
        observer: Observer,
        prices: Prices,
        models: Sequence[str] = (),
        *,
        listed: bool = True,
    ) -> None:
        """Begin with nothing used; `models` may be the agent's, the likeliest first.

        Without `listed` only the user's own prices count: an address of one's own has no list price.
        """
        self.halted = asyncio.Event()
        self._limits, self._observer, self._prices = limits, observer, prices
        self._models, self._listed = tuple(models), listed
        self._told = Usage()
        self._calls: list[Usage] = []
        self.last_call: ModelCall | None = None
        """The newest call of a model, as the proxy saw it."""
        self.refused = False
        """Whether the model refused so many calls in a row that the attempt was ended for it."""
        self._refusals = Refusals()

    def runs_on(self, model: str) -> None:
        """Record the model that the agent names."""
        self._models = tuple(dict.fromkeys((model, *self._models)))

    def told(self, usage: Usage) -> Usage:
        """Record the agent's figures for the whole attempt so far; return the best estimate."""
        self._told = self._priced(usage)
        return self._tell()

    def asked(self, call: ModelCall, *, listed: bool = True) -> None:
        """Take a call of the model that the proxy saw; without `listed` only the user's own prices count."""
        priced = self._prices.of((call.model,), call, listed=listed)
        if priced is not None:
            call = call.model_copy(update={"cost_usd": priced.cost_usd, "priced_by": priced.by})
        self._observer.asked(call)
        if call.api != "other":
            self.last_call = call
            if self._refusals.too_many(call):
                self.refused = True
                self.halted.set()
        # Without an answer a model may have worked, and be paid for it, unless it was not reached.
        unanswered = call.status == 0 and not call.fault.startswith(NOT_REACHED)
        if call.api != "other" and (unanswered or 0 < call.status < _FAILED):
            self._calls.append(_usage(call))
            self._tell()

    @property
    def last_refused(self) -> bool:
        """Whether the proxy saw that the newest call of a model got no answer or an error."""
        return self.last_call is not None and not 0 < self.last_call.status < _FAILED

    @property
    def usage(self) -> Usage:
        """The best estimate of the use of the attempt."""
        told = self._told
        if not self._calls:
            return told
        counted = added(self._calls)
        if told.cost_usd is None or told.cost_usd <= (counted.cost_usd or _ZERO):
            return counted
        if counted.cost_usd is not None and not counted.at_least and told.priced_by != "agent":
            return counted
        # Some calls can go another way than past the proxy; the agent knows of more than was seen here.
        more = max((counted, told), key=used)
        return told.model_copy(update={name: getattr(more, name) for name in _COUNTS})

    def _tell(self) -> Usage:
        usage = self.usage
        gone = self._observer.spent(usage)
        if gone or self._over(usage):
            self.halted.set()
        return usage

    def _over(self, usage: Usage) -> bool:
        money, tokens = self._limits.cost_usd, self._limits.tokens
        broke = money is not None and usage.cost_usd is not None and usage.cost_usd >= money
        return broke or (tokens is not None and used(usage) >= tokens)

    def _priced(self, usage: Usage) -> Usage:
        if usage.cost_usd is not None:
            return usage.model_copy(update={"priced_by": usage.priced_by or "agent"})
        priced = self._prices.of((usage.model, *self._models), usage, listed=self._listed)
        if priced is None:
            return usage.model_copy(update={"model": usage.model or next(iter(self._models), "")})
        known = {"cost_usd": priced.cost_usd, "priced_by": priced.by, "model": priced.model}
        return usage.model_copy(update={**known, "at_least": usage.at_least or usage.scope == "last_call"})


class Refusals:
    """Counts refused calls in a row: agents try them again without a word, some for many minutes."""

    def __init__(self) -> None:
        """Begin with none."""
        self._in_row = 0
        self._since_s = 0.0

    def too_many(self, call: ModelCall) -> bool:
        """Take a call; true where waiting for the agent's own retries is of no more use."""
        unreached = call.status == 0 and call.fault.startswith(NOT_REACHED)
        if not (unreached or call.status in REFUSED):
            self._in_row = 0
            return False
        self._in_row += 1
        self._since_s = time.monotonic() if self._in_row == 1 else self._since_s
        told_long = (call.retry_after_s or 0.0) > MOST_REFUSED_S
        waited_s = time.monotonic() - self._since_s
        return told_long or (self._in_row >= LEAST_REFUSALS and waited_s > MOST_REFUSED_S)


_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "tokens_by")
_FAILED = 400
"""Statuses from here on are answers that no model wrote."""


def unpaid_attempt(agent: str, brief: Brief) -> Attempt | None:
    """Return the attempt that is not begun because nothing is left to pay a model with; else none."""
    if not brief.limits.nothing_left:
        return None
    why = f"{agent} was not started: the run's money or tokens are used up"
    message = f"{why}; raise limits.max_cost_usd or limits.max_tokens"
    return Attempt(
        agent=agent,
        stop=Stop.BROKEN,
        breakage=Breakage(kind=BreakageKind.BUDGET, message=message),
        usage=Usage(cost_usd=_ZERO, scope="none"),
        started_at=datetime.now(UTC),
        duration_s=0.0,
    )


def _usage(call: ModelCall) -> Usage:
    return Usage(
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cached_tokens=call.cached_tokens,
        cache_write_tokens=call.cache_write_tokens,
        cost_usd=call.cost_usd,
        scope="turn",
        model=call.model,
        tokens_by="proxy",
        priced_by=call.priced_by,
        at_least=bool(call.fault) and call.cost_usd is not None,
    )
