"""Every dialect, spoken to a server on loopback; what is missing is said before anything begins."""

import json

import pytest

from agents.model_api.apis import serving
from setpoint.agents.model_api import provider
from setpoint.agents.registry import known
from setpoint.agents.selection import Agents, probe
from setpoint.errors import NoUsableAgent, SettingsError
from setpoint.model.answers.role_answers import ReviewShape
from setpoint.model.attempt import BreakageKind, Role, Stop, Usage
from setpoint.settings import CustomAgent
from setpoint.testing import SilentObserver

DIALECTS = ("openai", "openai-responses", "anthropic", "google")
APPROVES = {"decision": "approve", "findings": []}


@pytest.fixture
def agents(artifacts, tmp_path, monkeypatch):
    for name in (
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "OPENAI_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)

    def make(**own):
        launches = known({name: CustomAgent(**keys) for name, keys in own.items()})
        return Agents(launches, artifacts=artifacts, scratch=tmp_path / "scratch")

    return make


def at_url(dialect, url, **more):
    base = f"{url}/v1" if dialect.startswith("openai") else url
    return {"protocol": "model", "model": f"{dialect}:scripted", "base_url": base, **more}


@pytest.fixture
def asked(agents, brief):
    async def ask(dialect, url, **more):
        agent = agents(mine=at_url(dialect, url, **more)).make("mine")
        briefed = brief("review it", role=Role.REVIEWER, wall_s=90, idle_s=90).model_copy(
            update={"answer": ReviewShape}
        )
        return await agent.attempt(briefed, SilentObserver())

    return ask


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_each_dialect_looks_and_answers(asked, dialect):
    with serving(("read_file", {"path": "calc.py"}), ("answer", APPROVES)) as apis:
        attempt = await asked(dialect, apis.url)
    assert (attempt.stop, attempt.tool_calls) == (Stop.END_TURN, 1), attempt.breakage
    assert json.loads(attempt.text)["decision"] == "approve"
    usage = attempt.usage
    assert (usage.input_tokens, usage.output_tokens, usage.scope) == (2000, 100, "turn")
    assert usage.cost_usd is None  # at an address of one's own nobody knows the price
    assert len(apis.asked) == 2
    assert "return a - b" in json.dumps(apis.asked[1][1])


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, BreakageKind.AUTH),
        (404, BreakageKind.MISSING),
        (429, BreakageKind.RATE_LIMIT),
        (500, BreakageKind.MODEL),
    ],
)
async def test_each_dialect_breaks_by_its_status_and_asks_once(asked, dialect, status, kind):
    with serving(status=status) as apis:
        attempt = await asked(dialect, apis.url)
    assert attempt.breakage.kind is kind, attempt.breakage
    assert len(apis.asked) == 1


async def test_a_server_that_cannot_be_reached_is_named(asked):
    attempt = await asked("openai", "http://127.0.0.1:9")
    assert attempt.breakage.kind is BreakageKind.MODEL
    assert "http://127.0.0.1:9/v1" in attempt.breakage.message


async def test_tokens_that_nobody_told_are_unknown(asked):
    with serving(("answer", APPROVES), usage=False) as apis:
        assert (await asked("openai", apis.url)).usage == Usage(scope="turn")


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_key_is_taken_from_the_variable_that_is_named(asked, monkeypatch, dialect):
    monkeypatch.setenv("MY_KEY", "a-key-of-mine")
    with serving(("answer", APPROVES)) as apis:
        await asked(dialect, apis.url, api_key_env="MY_KEY")
    told = [value for value in apis.asked[0][2].values() if "a-key-of-mine" in value]
    assert len(told) == 1


def test_a_missing_key_is_said_before_anything_begins(agents, monkeypatch):
    mine = {"protocol": "model", "model": "anthropic:some"}
    with pytest.raises(NoUsableAgent, match="ANTHROPIC_API_KEY is not set") as refused:
        agents(mine=mine).make("mine")
    assert "api_key_env" in refused.value.hint
    with pytest.raises(NoUsableAgent, match="MY_KEY is not set"):
        agents(mine={**mine, "api_key_env": "MY_KEY"}).make("mine")
    with pytest.raises(NoUsableAgent, match="GEMINI_API_KEY or GOOGLE_API_KEY is not set"):
        agents().make("model:google:some")
    monkeypatch.setenv("GOOGLE_API_KEY", "a key")
    assert agents().make("model:google:some").name == "model:google:some"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_missing_extra_is_said_with_how_to_install_it(agents, monkeypatch, dialect):
    monkeypatch.setattr(provider, "find_spec", lambda name: None)
    with pytest.raises(NoUsableAgent, match="needs the package pydantic_ai, which") as refused:
        agents().make(f"model:{dialect}:some")
    assert refused.value.hint == "pip install 'setpoint[llm]'"


async def test_auto_passes_over_a_model_that_cannot_be_asked(agents):
    choice = await agents().choose(("model:openai:some", "mechanic"))
    assert choice.name == "mechanic"
    assert "OPENAI_API_KEY is not set" in choice.passed_over[0].reason


async def test_a_model_is_listed_with_what_is_missing(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    launch = known({"mine": CustomAgent(protocol="model", model="openai:some")})["mine"]
    found = await probe(launch)
    assert (found.installed, found.version) == (False, "openai:some")
    assert "OPENAI_API_KEY" in found.why_not
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    assert (await probe(launch)).installed


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ({"model": "gpt-5"}, "names no model"),
        ({"model": "nobody:gpt-5"}, "names no model"),
        ({"model": "openai:"}, "names no model"),
        ({}, "which model is meant"),
        ({"model": "openai:x", "command": ("x",)}, "has no command"),
    ],
)
def test_wrong_settings_of_a_model_are_explained(own, why):
    with pytest.raises(SettingsError, match=why) as refused:
        known({"mine": CustomAgent(protocol="model", **own)})
    assert "openai" in refused.value.hint


def test_vendors_are_those_of_the_models(agents):
    made = agents(
        mine={"protocol": "model", "model": "anthropic:some"},
        here={"protocol": "model", "model": "openai:qwen3", "base_url": "http://127.0.0.1:11434/v1"},
        known={"protocol": "model", "model": "openai:x", "base_url": "http://h", "vendor": "acme"},
    )
    assert [made.vendor(name) for name in ("mine", "here", "known", "model:google:x")] == [
        "anthropic",
        "here",
        "acme",
        "google",
    ]
