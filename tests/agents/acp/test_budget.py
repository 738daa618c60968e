"""What an ACP agent tells of cost and tokens, in flight and at the end of its turn."""

from __future__ import annotations

from decimal import Decimal

import pytest

from setpoint.agents.acp.usage import Meter
from setpoint.agents.launch import Quirks
from setpoint.agents.spending.prices import Prices
from setpoint.model.attempt import BreakageKind, Stop
from setpoint.model.config.model_price import ModelPrice
from setpoint.testing import SilentObserver

TOKENS = {"update_meta": "scripted.tokens"}
PRICES = Prices({"big": ModelPrice(input=Decimal(10), output=Decimal(50))})


def limited(brief, **limits):
    made = brief()
    return made.model_copy(update={"limits": made.limits.model_copy(update=limits)})


def counted(read, written):
    return {"tokens": {"input": read, "output": written}}


async def test_tokens_are_told_in_flight_and_priced_by_the_model_of_the_session(scripted, brief):
    agent = scripted([counted(1000, 100), counted(1000, 100)], [counted(3000, 0)], model="big", quirks=TOKENS)
    agent._prices = PRICES
    first, second = SilentObserver(), SilentObserver()

    await agent.attempt(brief(), first)
    attempt = await agent.attempt(brief(), second)

    assert [each.input_tokens for each in first.usages] == [1000, 2000, 2000]
    assert [each.cost_usd for each in first.usages] == [Decimal(each) for each in ("0.015", "0.03", "0.03")]
    assert (attempt.usage.input_tokens, attempt.usage.cost_usd) == (3000, Decimal("0.03"))
    assert (attempt.usage.model, attempt.usage.tokens_by, attempt.usage.priced_by) == ("big", "agent", "user")


async def test_a_variable_names_the_model_where_the_session_does_not(scripted, brief):
    agent = scripted([counted(1000, 100)], quirks=TOKENS, environment={"MY_MODEL": "big"})
    agent._launch = agent._launch.model_copy(update={"model_variables": ("MY_MODEL",)})
    agent._prices = PRICES

    attempt = await agent.attempt(brief(), SilentObserver())

    assert attempt.usage.cost_usd == Decimal("0.015")


@pytest.mark.parametrize("limits", [{"tokens": 2500}, {"cost_usd": Decimal("0.025")}])
async def test_the_turn_is_ended_when_tokens_or_their_price_are_used_up(scripted, brief, limits):
    steps = [step for _ in range(8) for step in (counted(1000, 0), {"sleep": 0.2})]
    agent = scripted(steps, model="big", quirks=TOKENS)
    agent._prices = PRICES

    attempt = await agent.attempt(limited(brief, **limits), SilentObserver())

    assert (attempt.stop, attempt.breakage) == (Stop.CANCELLED, None)
    assert attempt.usage.input_tokens == 3000


async def test_with_nothing_left_no_process_is_started(scripted, brief, living, tmp_path):
    agent = scripted([{"say": "hello"}])
    attempt = await agent.attempt(limited(brief, cost_usd=Decimal(0)), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.BUDGET
    assert living(str(tmp_path / "script-0.json")) == []


@pytest.mark.parametrize(
    ("total", "read"), [(160, 150), (260, 250)], ids=["among the input", "beside the input"]
)
def test_cached_tokens_are_part_of_the_input_however_they_are_told(total, read):
    from acp.schema import PromptResponse, Usage

    told = Usage(
        total_tokens=total, input_tokens=150, output_tokens=10, cached_read_tokens=80, cached_write_tokens=20
    )
    usage = Meter(Quirks()).usage(PromptResponse(stop_reason="end_turn", usage=told))
    assert (usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens) == (read, 80, 20)
