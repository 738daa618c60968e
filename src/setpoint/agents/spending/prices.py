"""What tokens cost: by the user's own prices, else by the table that comes with genai-prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fnmatch import fnmatchcase
from importlib.metadata import version
from math import ceil
from typing import NamedTuple

from setpoint.agents.launch import Launch
from setpoint.model.attempt import ModelCall, Usage
from setpoint.model.config.model_price import ModelPrice

_MILLION = Decimal(1_000_000)
_FINEST = Decimal("0.00000001")
CALL_TOKENS = 100_000
"""Tokens of input that one call of a model is taken to read where only the sum of many calls is known.

Some prices rise with the length of a prompt; a sum over many calls must not look like one long prompt.
"""


class Priced(NamedTuple):
    """A cost and where its price is from."""

    cost_usd: Decimal
    by: str
    """`user` or the table's name and version."""
    model: str
    """The name under which a price was found."""


class Prices:
    """Prices tokens by the model that used them."""

    def __init__(self, own: Mapping[str, ModelPrice] | None = None) -> None:
        """Take the user's own prices, by the model's name or a pattern such as `claude-*`."""
        self._own = dict(own or {})

    def of(self, models: Iterable[str], used: Usage | ModelCall, *, listed: bool = True) -> Priced | None:
        """Return what tokens cost, by the first model with a known price; none if there is none.

        Without `listed` only the user's own prices count. A usage of several calls is priced as that many.
        """
        if used.input_tokens is None and used.output_tokens is None:
            return None
        for model in (name for name in models if name):
            own = self._of_user(model)
            if own is not None:
                return Priced(_rounded(_cost(own, used)), "user", model)
            found = _of_table(model, used) if listed else None
            if found is not None:
                return Priced(_rounded(found[0]), found[1], model)
        return None

    def _of_user(self, model: str) -> ModelPrice | None:
        if model in self._own:
            return self._own[model]
        patterns = (price for pattern, price in self._own.items() if fnmatchcase(model, pattern))
        return next(patterns, None)


def _cost(price: ModelPrice, used: Usage | ModelCall) -> Decimal:
    cached, written = used.cached_tokens or 0, used.cache_write_tokens or 0
    plain = max((used.input_tokens or 0) - cached - written, 0)
    cost = plain * price.input + (used.output_tokens or 0) * price.output
    cost += cached * (price.input if price.cached_input is None else price.cached_input)
    cost += written * (price.input if price.cache_write is None else price.cache_write)
    return cost / _MILLION


def _of_table(model: str, used: Usage | ModelCall) -> tuple[Decimal, str] | None:
    import genai_prices  # noqa: PLC0415 - the table takes a fifth of a second to load

    calls = 1 if isinstance(used, ModelCall) else max(ceil((used.input_tokens or 0) / CALL_TOKENS), 1)
    share = genai_prices.Usage(
        input_tokens=Decimal(used.input_tokens or 0) / calls,
        output_tokens=Decimal(used.output_tokens or 0) / calls,
        cache_read_tokens=Decimal(used.cached_tokens or 0) / calls,
        cache_write_tokens=Decimal(used.cache_write_tokens or 0) / calls,
    )
    for name in dict.fromkeys((model, model.rsplit("/", maxsplit=1)[-1])):
        try:
            price = genai_prices.calc_price(share, name)
        except LookupError:
            continue
        return price.total_price * calls, table()
    return None


def table() -> str:
    """Name the table of prices with its version."""
    return f"genai-prices {version('genai-prices')}"


def _rounded(cost: Decimal) -> Decimal:
    return cost.quantize(_FINEST).normalize() + Decimal(0)


def stated_models(launch: Launch, passed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the models that an agent's settings and variables name; `passed` are those of Setpoint's own."""
    variables = {**passed, **launch.environment}
    named = (variables.get(name, "") for name in launch.model_variables)
    return tuple(name for name in (launch.model, *named) if name)
