"""One figure of what an attempt has used, from the agent's word and the proxy's count."""

from __future__ import annotations

from decimal import Decimal

import pytest

from setpoint.agents.spending.meter import UsageMeter, unpaid_attempt
from setpoint.agents.spending.prices import Prices
from setpoint.model.attempt import AttemptLimits, BreakageKind, ModelCall, Stop, Usage
from setpoint.model.config.model_price import ModelPrice
from setpoint.testing import SilentObserver

PRICES = Prices({"mine": ModelPrice(input=Decimal(10), output=Decimal(10))})


class Poor(SilentObserver):
    """Whose run has nothing left."""

    def spent(self, usage):
        super().spent(usage)
        return True


def spending(observer=None, *, models=("mine",), **limits):
    return UsageMeter(AttemptLimits(**limits), observer or SilentObserver(), PRICES, models)


def tokens(read, written=0, **more):
    return Usage(input_tokens=read, output_tokens=written, scope="turn", tokens_by="agent", **more)


def call(read=100_000, model="mine", status=200, api="anthropic", **more):
    return ModelCall(
        api=api,
        path="/",
        model=model,
        status=status,
        duration_s=1,
        input_tokens=read,
        output_tokens=0,
        **more,
    )


def test_dollars_that_the_agent_tells_are_taken_as_they_are():
    usage = spending().told(tokens(5, cost_usd=Decimal("0.1")))
    assert (usage.cost_usd, usage.priced_by) == (Decimal("0.1"), "agent")


def test_tokens_are_priced_where_no_dollars_are_told():
    usage = spending().told(tokens(100_000))
    assert (usage.cost_usd, usage.priced_by, usage.model) == (Decimal(1), "user", "mine")


def test_tokens_of_an_unknown_model_cost_something_unknown():
    usage = spending(models=("no-such-model-1",)).told(tokens(100_000))
    assert (usage.cost_usd, usage.priced_by, usage.model) == (None, "", "no-such-model-1")


def test_tokens_of_the_last_call_alone_are_a_lower_bound():
    assert spending().told(tokens(1).model_copy(update={"scope": "last_call"})).at_least


def test_the_model_that_the_agent_names_goes_before_others():
    known = spending(models=("gpt-5",))
    known.runs_on("mine")
    assert known.told(tokens(100_000)).priced_by == "user"


@pytest.mark.parametrize(("limit", "halted"), [("1.01", False), ("1", True), ("0.5", True)])
def test_an_attempt_is_halted_when_its_money_is_gone(limit, halted):
    poor = spending(cost_usd=Decimal(limit))
    poor.told(tokens(100_000))
    assert poor.halted.is_set() is halted


@pytest.mark.parametrize(("limit", "halted"), [(101, False), (100, True)])
def test_an_attempt_is_halted_when_its_tokens_are_gone_whatever_they_cost(limit, halted):
    poor = spending(models=(), tokens=limit)
    poor.told(tokens(60, 40))
    assert poor.halted.is_set() is halted


def test_it_is_halted_too_when_the_run_has_nothing_left():
    poor = spending(Poor())
    poor.told(tokens(1))
    assert poor.halted.is_set()


def test_what_the_proxy_counted_goes_before_what_the_agent_tells():
    both, seen = SilentObserver(), []
    meter = spending(both)
    meter.told(tokens(7, cost_usd=Decimal("1.5")))
    meter.asked(call())
    meter.asked(call(cached_tokens=5))
    seen = [each.cost_usd for each in both.asked_models]
    assert seen == [Decimal(1), Decimal(1)]
    usage = meter.usage
    assert (usage.cost_usd, usage.input_tokens, usage.tokens_by) == (Decimal(2), 200_000, "proxy")
    assert both.usages[-1] == usage


def test_a_count_that_is_not_whole_gives_way_to_dollars_that_are_told():
    meter = spending()
    meter.asked(call())
    meter.asked(call(model="no-such-model-1"))
    assert (meter.usage.cost_usd, meter.usage.at_least) == (Decimal(1), True)
    usage = meter.told(tokens(7, cost_usd=Decimal(9)))
    assert (usage.cost_usd, usage.priced_by, usage.input_tokens) == (Decimal(9), "agent", 200_000)
    assert not usage.at_least


def test_calls_that_no_model_answered_cost_nothing():
    meter = spending()
    for each in (call(status=401), call(status=0, fault="not reached: refused"), call(api="other")):
        meter.asked(each)
    assert meter.usage == Usage()


def test_what_a_call_cost_that_was_cut_before_its_answer_is_not_known():
    cut = call(None, status=0, fault="ended with the attempt").model_copy(update={"output_tokens": None})
    meter = spending()
    meter.asked(cut)
    assert (meter.usage.cost_usd, meter.usage.scope) == (None, "turn")
    meter.asked(call())
    assert (meter.usage.cost_usd, meter.usage.at_least) == (Decimal(1), True)


def test_dollars_that_the_agent_tells_go_before_a_count_of_some_calls():
    meter = spending()
    meter.asked(call())
    usage = meter.told(tokens(300_000, cost_usd=Decimal(9)))
    assert (usage.cost_usd, usage.input_tokens, usage.priced_by) == (Decimal(9), 300_000, "agent")
    # Tokens that the agent tells are no dollars: what was counted goes before their price.
    assert meter.told(tokens(300_000)).cost_usd == Decimal(1)
    meter.asked(call(fault="the stream ended early"))
    least = meter.told(tokens(7, cost_usd=Decimal("0.5")))
    assert (least.cost_usd, least.at_least) == (Decimal(2), True)


def test_a_call_that_was_cut_short_cost_at_least_what_is_known():
    meter = spending()
    meter.asked(call(fault="the stream ended early"))
    assert (meter.usage.cost_usd, meter.usage.at_least) == (Decimal(1), True)


@pytest.mark.parametrize(
    "limits", [{"cost_usd": Decimal(0)}, {"tokens": 0}, {"cost_usd": Decimal(1), "tokens": 0}]
)
def test_an_agent_that_cannot_be_paid_is_not_started(brief, limits):
    made = brief()
    attempt = unpaid_attempt("a", made.model_copy(update={"limits": AttemptLimits(**limits)}))
    assert attempt is not None
    assert attempt.breakage is not None
    assert (attempt.stop, attempt.breakage.kind) == (Stop.BROKEN, BreakageKind.BUDGET)
    assert (attempt.usage.cost_usd, attempt.usage.scope) == (0, "none")
    assert unpaid_attempt("a", made) is None
