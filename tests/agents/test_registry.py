from __future__ import annotations

import pytest

from setpoint.agents.launch import UsageScope
from setpoint.agents.registry import known
from setpoint.errors import SettingsError
from setpoint.settings import AgentsSettings, CustomAgent


def test_the_registry_holds_what_the_default_order_names() -> None:
    launches = known()
    assert {"claude", "codex", "gemini", "copilot", "opencode", "qwen", "vibe"} <= set(launches)
    assert set(AgentsSettings().order) - {"mechanic"} <= set(launches)
    for launch in launches.values():
        assert launch.install
        assert launch.login
        assert launch.title


def test_an_own_agent_is_added() -> None:
    launch = known({"mine": CustomAgent(command=("mine", "{prompt}"), environment={"A": "1"})})["mine"]
    assert (launch.argv, launch.protocol, launch.environment) == (("mine", "{prompt}"), "command", {"A": "1"})


def test_an_own_table_for_a_known_agent_adds_to_it() -> None:
    own = CustomAgent(
        environment={"GOOGLE_GEMINI_BASE_URL": "http://localhost:1"}, pass_environment=("MY_KEY",)
    )
    plain, laid_over = known()["gemini"], known({"gemini": own})["gemini"]
    assert laid_over.argv == plain.argv
    assert laid_over.protocol == "acp"
    assert laid_over.environment == {**plain.environment, "GOOGLE_GEMINI_BASE_URL": "http://localhost:1"}
    assert laid_over.pass_environment == (*plain.pass_environment, "MY_KEY")


def test_command_and_protocol_of_a_known_agent_can_be_replaced() -> None:
    own = CustomAgent(command=("copilot", "-p", "{prompt}"), protocol="command")
    launch = known({"copilot": own})["copilot"]
    assert (launch.argv, launch.protocol) == (("copilot", "-p", "{prompt}"), "command")
    assert launch.quirks.usage_scope is UsageScope.SESSION


def test_a_command_in_place_of_a_known_agent_needs_no_node() -> None:
    assert known({"claude": CustomAgent(command=("mine",))})["claude"].min_node is None


def test_settings_that_were_written_out_in_full_mean_the_same() -> None:
    own = CustomAgent(environment={"A": "1"})
    again = CustomAgent.model_validate_json(own.model_dump_json())
    assert (
        known({"gemini": again, "mine": CustomAgent(command=("x",))})["gemini"]
        == known({"gemini": own})["gemini"]
    )


@pytest.mark.parametrize(
    ("name", "words"), [("mine", "a new agent needs a command"), ("mechanic", "cannot be redefined")]
)
def test_what_cannot_be_is_named_with_its_table(name: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        known({name: CustomAgent()})
    assert f"[agent.{name}]" in caught.value.message
    assert caught.value.hint


def test_an_own_agent_may_say_where_it_departs_from_the_protocol():
    own = CustomAgent(
        command=("mine",), protocol="acp", quirks={"update_meta": "a.b", "usage_scope": "session"}
    )
    quirks = known({"mine": own})["mine"].quirks
    assert (quirks.update_meta, quirks.usage_scope) == ("a.b", "session")


def test_a_quirk_of_a_known_agent_can_be_corrected_alone():
    quirks = known({"gemini": CustomAgent(quirks={"usage_meta": "other"})})["gemini"].quirks
    assert (quirks.usage_meta, quirks.tool_name_in_id) == ("other", known()["gemini"].quirks.tool_name_in_id)


@pytest.mark.parametrize("quirks", [{"no_such": "x"}, {"usage_scope": "always"}])
def test_an_unknown_quirk_is_named(quirks):
    with pytest.raises(SettingsError, match=next(iter(quirks))):
        known({"mine": CustomAgent(command=("mine",), quirks=quirks)})
