"""Tokens are priced by the user's own prices, else by the table that is installed, else not at all."""

from __future__ import annotations

from decimal import Decimal

import genai_prices
import pytest

from setpoint.agents.launch import Launch
from setpoint.agents.spending.prices import CALL_TOKENS, Prices, stated_models
from setpoint.model.attempt import ModelCall, Usage
from setpoint.model.config.model_price import ModelPrice

TABLE = f"genai-prices {genai_prices.__version__}"
OWN = ModelPrice(input=Decimal(3), output=Decimal(15), cached_input=Decimal("0.3"), cache_write=Decimal(4))


def used(read=1_000_000, written=100_000, cached=0, cache_write=0):
    return Usage(
        input_tokens=read, output_tokens=written, cached_tokens=cached, cache_write_tokens=cache_write
    )


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (used(), "4.5"),
        (used(cached=1_000_000), "1.8"),
        (used(cached=500_000, cache_write=500_000), "3.65"),
        (used(read=10, written=0), "0.00003"),
        (used(read=0, written=0), "0"),
    ],
)
def test_an_own_price_is_per_million_tokens_and_knows_the_cache(usage, cost):
    priced = Prices({"mine": OWN}).of(("mine",), usage)
    assert priced == (Decimal(cost), "user", "mine")


def test_without_a_price_for_the_cache_its_tokens_cost_as_others():
    price = ModelPrice(input=Decimal(2), output=Decimal(0))
    assert Prices({"mine": price}).of(("mine",), used(cached=400_000, cache_write=1)) == (
        Decimal(2),
        "user",
        "mine",
    )


def test_an_own_price_goes_before_the_table_by_name_or_pattern():
    free = ModelPrice(input=Decimal(0), output=Decimal(0))
    prices = Prices({"claude-*": OWN, "claude-sonnet-4-5": free})
    assert prices.of(("claude-sonnet-4-5",), used()) == (0, "user", "claude-sonnet-4-5")
    assert prices.of(("claude-opus-4-1",), used()) == (Decimal("4.5"), "user", "claude-opus-4-1")


def test_the_table_knows_common_models_also_behind_the_name_of_a_provider():
    plain = Prices().of(("gpt-5",), used(read=100_000, written=1000))
    assert plain is not None
    assert plain.by == TABLE
    assert plain.cost_usd > 0
    named = Prices().of(("openai/gpt-5",), used(read=100_000, written=1000))
    assert named is not None
    assert named.cost_usd == plain.cost_usd


def test_what_nobody_knows_has_no_price():
    assert Prices().of(("no-such-model-1", ""), used()) is None
    assert Prices().of((), used()) is None
    assert Prices({"mine": OWN}).of(("mine",), Usage()) is None
    assert Prices().of(("gpt-5",), used(), listed=False) is None


def test_the_first_model_with_a_price_counts():
    assert Prices({"mine": OWN}).of(("default", "mine", "gpt-5"), used()) == (Decimal("4.5"), "user", "mine")


def test_a_sum_of_many_calls_is_not_taken_for_one_long_prompt():
    model, many = "gemini-2.5-pro", 10 * CALL_TOKENS
    whole = Prices().of((model,), used(read=many, written=0))
    call = ModelCall(api="gemini", path="/", model=model, status=200, duration_s=1, input_tokens=CALL_TOKENS)
    one = Prices().of((model,), call)
    long_call = Prices().of((model,), call.model_copy(update={"input_tokens": many}))
    assert whole is not None
    assert one is not None
    assert long_call is not None
    assert whole.cost_usd == one.cost_usd * 10
    assert long_call.cost_usd > whole.cost_usd


def test_an_agents_own_variables_name_its_model():
    launch = Launch(
        name="a", argv=("a",), model_variables=("FIRST", "OTHER", "THIRD"), environment={"THIRD": "gpt-5"}
    )
    assert stated_models(launch, {"OTHER": "o4", "THIRD": "passed over"}) == ("o4", "gpt-5")
