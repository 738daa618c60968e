"""A plain command's calls of its model are counted as those of any agent, and end with its money."""

from __future__ import annotations

import sys
from decimal import Decimal

import pytest

from setpoint.agents.command.agent import CommandAgent
from setpoint.agents.launch import Launch
from setpoint.agents.spending.prices import Prices
from setpoint.model.attempt import Stop
from setpoint.model.config.model_price import ModelPrice
from setpoint.testing import SilentObserver
from setpoint.testing.model_server import Scenario, scripted_model

# An answer of the scripted model says 1000 tokens in and 50 out: at these prices it costs $0.40.
PRICES = Prices({"scripted": ModelPrice(input=Decimal(300), output=Decimal(2000))})
CALLS = """import json, os, sys, time, urllib.request
body = json.dumps({"model": "scripted", "stream": True, "messages": []}).encode()
for _ in range(int(sys.argv[1])):
    urllib.request.urlopen(urllib.request.Request(os.environ["MODEL_URL"] + "/chat/completions", body)).read()
    time.sleep(0.2)
print("done")
"""


@pytest.fixture
def caller(artifacts):
    def make(url: str, times: int) -> CommandAgent:
        launch = Launch(
            name="own",
            argv=(sys.executable, "-c", CALLS, str(times)),
            protocol="command",
            base_urls={"MODEL_URL": ""},
            environment={"MODEL_URL": f"{url}/v1"},
            proxied=True,
        )
        return CommandAgent(launch, artifacts=artifacts, prices=PRICES)

    return make


async def test_each_call_is_counted_and_priced(caller, brief):
    with scripted_model(Scenario()) as model:
        attempt = await caller(model.url, 2).attempt(brief(), SilentObserver())
    assert (attempt.stop, attempt.text, len(model.asked)) == (Stop.END_TURN, "done", 2)
    assert (attempt.usage.input_tokens, attempt.usage.output_tokens) == (2000, 100)
    assert attempt.usage.cost_usd == Decimal("0.8")


async def test_the_command_is_ended_when_its_money_is_gone(caller, brief):
    with scripted_model(Scenario()) as model:
        asked = brief()
        limits = asked.limits.model_copy(update={"cost_usd": Decimal(1)})
        asked = asked.model_copy(update={"limits": limits})
        attempt = await caller(model.url, 50).attempt(asked, SilentObserver())
    assert attempt.stop is Stop.CANCELLED
    assert attempt.breakage is None
    assert len(model.asked) in (3, 4)
