"""Which variables point an agent at the proxy, and whose money its calls are."""

from __future__ import annotations

import json

import pytest

from setpoint.agents.launch import Launch
from setpoint.agents.registry import known
from setpoint.agents.spending.meter import UsageMeter
from setpoint.agents.spending.prices import Prices
from setpoint.agents.spending.proxy import Tap, counting
from setpoint.agents.spending.proxy.route import USED_UP, rerouted
from setpoint.errors import SettingsError
from setpoint.model.attempt import AttemptLimits, ModelCall, Usage
from setpoint.settings import CustomAgent
from setpoint.testing import SilentObserver

CALL = ModelCall(
    api="anthropic", path="/", model="m", status=200, duration_s=1, input_tokens=5, output_tokens=1
)


def lane(upstream):
    return f"lane({upstream})"


def test_a_variable_that_is_set_says_where_the_model_is():
    launch = known()["claude"]
    found = rerouted(launch, {"ANTHROPIC_BASE_URL": "http://10.0.0.1/api"}, lane)
    assert found["ANTHROPIC_BASE_URL"] == "lane(http://10.0.0.1/api)"
    assert rerouted(launch, {}, lane)["ANTHROPIC_BASE_URL"] == "lane(https://api.anthropic.com)"


def test_where_no_address_is_known_nothing_is_replaced():
    assert "OPENAI_BASE_URL" not in rerouted(known()["codex"], {}, lane)
    assert rerouted(known()["codex"], {"OPENAI_BASE_URL": "x"}, lane)["OPENAI_BASE_URL"] == "lane(x)"


def test_a_proxy_of_the_network_is_not_asked_for_this_machine():
    found = rerouted(known()["claude"], {"NO_PROXY": "intranet"}, lane)
    assert (found["NO_PROXY"], found["no_proxy"]) == ("intranet,127.0.0.1,localhost", "127.0.0.1,localhost")


def test_addresses_in_a_configuration_are_replaced_and_known_ones_are_added():
    own = {"model": "local/x", "provider": {"local": {"options": {"baseURL": "http://l/v1", "apiKey": "k"}}}}
    found = rerouted(known()["opencode"], {"OPENCODE_CONFIG_CONTENT": json.dumps(own)}, lane)
    config = json.loads(found["OPENCODE_CONFIG_CONTENT"])
    assert config["model"] == "local/x"
    assert config["provider"]["local"]["options"] == {"baseURL": "lane(http://l/v1)", "apiKey": "k"}
    assert config["provider"]["openai"]["options"]["baseURL"] == "lane(https://api.openai.com/v1)"


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_a_configuration_that_is_none_is_left_to_the_agent(text):
    found = rerouted(known()["opencode"], {"OPENCODE_CONFIG_CONTENT": text}, lane)
    assert "OPENCODE_CONFIG_CONTENT" not in found


def test_the_setting_for_all_counts_for_those_that_can_and_do_not_say_otherwise():
    own = {
        "gemini": CustomAgent(proxy=False),
        "mine": CustomAgent(command=("m",), base_urls={"MY_URL": "http://m"}),
        "other": CustomAgent(command=("o",)),
    }
    launches = known(own, proxied=True)
    told = {name: launches[name].proxied for name in ("claude", "gemini", "mine", "other", "vibe")}
    assert told == {"claude": True, "gemini": False, "mine": True, "other": False, "vibe": False}
    assert not any(launch.proxied for launch in known(own).values())
    assert known({"gemini": CustomAgent(proxy=True)})["gemini"].proxied


def test_an_agent_that_cannot_be_pointed_at_it_says_so():
    with pytest.raises(SettingsError, match=r"agent\.vibe.*proxy"):
        known({"vibe": CustomAgent(proxy=True)})


async def test_an_agent_without_it_starts_as_ever():
    async with counting(Launch(name="a", argv=("a",)), {}, Tap()) as pointed:
        assert pointed == {}


async def test_an_agent_with_it_is_pointed_at_loopback():
    launch = known({"claude": CustomAgent(proxy=True)})["claude"]
    async with counting(launch, {"ANTHROPIC_BASE_URL": "http://10.0.0.1"}, Tap()) as pointed:
        assert pointed["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:")


def test_a_call_between_two_attempts_counts_for_the_next():
    first, second = SilentObserver(), SilentObserver()
    tap = Tap()
    tap.turn_to(UsageMeter(AttemptLimits(), first, Prices()))
    tap.seen(CALL, True)
    tap.turn_to(None)
    tap.seen(CALL, True)
    tap.turn_to(UsageMeter(AttemptLimits(), second, Prices()))
    assert (len(first.asked_models), len(second.asked_models)) == (1, 1)


def test_nothing_is_passed_on_for_an_attempt_that_was_halted():
    tap = Tap()
    spending = UsageMeter(AttemptLimits(tokens=10), SilentObserver(), Prices())
    tap.turn_to(spending)
    assert tap.refusal() == ""
    spending.told(Usage(input_tokens=10, output_tokens=0, scope="turn"))
    assert tap.refusal() == USED_UP
    tap.turn_to(None)
    assert tap.refusal() == ""
