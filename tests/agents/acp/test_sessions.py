"""Sessions that outlast the agent's process, and what is chosen in them."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from setpoint.agents.acp.agent import AcpAgent, Patience
from setpoint.agents.launch import Launch, Quirks
from setpoint.model.attempt import BreakageKind, Stop
from setpoint.testing import SilentObserver

RESUMES = {"sessionCapabilities": {"resume": {}}}
LOADS = {"loadSession": True}
MODELS = [
    {
        "type": "select",
        "id": "brain",
        "category": "model",
        "name": "Model",
        "currentValue": "small",
        "options": [{"value": "small", "name": "Small"}, {"value": "big", "name": "Big"}],
    },
    {
        "type": "select",
        "id": "mode",
        "category": "mode",
        "name": "Mode",
        "currentValue": "ask",
        "options": [
            {
                "group": "all",
                "name": "All",
                "options": [{"value": "ask", "name": "A"}, {"value": "yolo", "name": "Y"}],
            }
        ],
    },
]


@pytest.fixture
async def another(tmp_path: Path, artifacts) -> AsyncIterator[Callable[..., AcpAgent]]:
    """Make a driver as another process of Setpoint would: only the folder of sessions is shared."""
    made: list[AcpAgent] = []

    def make(*prompts: list[dict[str, Any]], model: str = "", mode: str = "", **keys: Any) -> AcpAgent:
        script = tmp_path / f"script-{len(made)}.json"
        script.write_text(json.dumps({"prompts": prompts, **keys}))
        argv = (sys.executable, "-m", "setpoint.agents.scripted", str(script))
        launch = Launch(
            name="scripted", argv=argv, model=model, quirks=Quirks(usage_scope="session", mode=mode)
        )
        agent = AcpAgent(
            launch,
            artifacts=artifacts,
            scratch=tmp_path / "scratch",
            patience=Patience(open_s=20, cancel_s=0.3, grace_s=0.3),
        )
        made.append(agent)
        return agent

    yield make
    for agent in made:
        await agent.close()


def methods(artifacts, attempt) -> list[str]:
    lines = [json.loads(line) for line in artifacts.read(attempt.transcript).splitlines()]
    sent = [line.get("message", {}).get("method") for line in lines if line["from"] == "setpoint"]
    return [method for method in sent if method]


@pytest.mark.parametrize(("can", "method"), [(RESUMES, "session/resume"), (LOADS, "session/load")])
async def test_another_process_goes_on_with_the_session(can, method, another, brief, artifacts) -> None:
    first = another([{"say": "one"}, {"cost": 0.5}, {"usage": {"input": 100, "output": 10}}], can=can)
    await first.attempt(brief(), SilentObserver())
    past = [{"call": {"name": "old", "kind": "edit"}}, {"say": "one"}]
    second = another(
        [{"say": "two"}, {"cost": 0.75}, {"usage": {"input": 150, "output": 30}}], can=can, past=past
    )
    observer = SilentObserver()
    attempt = await second.attempt(brief("go on"), observer)
    assert methods(artifacts, attempt) == ["initialize", method, "session/prompt"]
    # Neither the words nor the calls nor the figures of the past count again.
    assert (attempt.text, attempt.tool_calls, observer.calls) == ("two", 0, [])
    assert (attempt.usage.cost_usd, attempt.usage.input_tokens) == (Decimal("0.25"), 50)


async def test_a_session_that_broke_is_gone_on_with_and_one_that_breaks_again_is_left(
    another, brief, artifacts
) -> None:
    agent = another([{"die": 3}], can=RESUMES)
    asked = [await agent.attempt(brief(), SilentObserver()) for _ in range(3)]
    assert [attempt.stop for attempt in asked] == [Stop.BROKEN] * 3
    assert [methods(artifacts, attempt)[1] for attempt in asked] == [
        "session/new",
        "session/resume",
        "session/new",
    ]


async def test_a_restart_begins_a_new_one_and_so_does_an_agent_that_cannot(another, brief, artifacts) -> None:
    await another(can=RESUMES).attempt(brief(), SilentObserver())
    restarted = await another(can=RESUMES).attempt(brief(session="s2"), SilentObserver())
    unable = await another().attempt(brief(), SilentObserver())
    assert {methods(artifacts, attempt)[1] for attempt in (restarted, unable)} == {"session/new"}


async def test_a_session_that_is_gone_is_begun_anew(another, brief, artifacts) -> None:
    await another(can=RESUMES).attempt(brief(), SilentObserver())
    refusing = {"session/resume": [{"fail": {"code": -32602, "message": "Invalid session identifier"}}]}
    attempt = await another([{"say": "anew"}], can=RESUMES, on=refusing).attempt(brief(), SilentObserver())
    assert methods(artifacts, attempt) == ["initialize", "session/resume", "session/new", "session/prompt"]
    assert (attempt.stop, attempt.text) == (Stop.END_TURN, "anew")


async def test_model_and_mode_are_chosen_among_what_is_offered(another, brief, artifacts) -> None:
    attempt = await another(options=MODELS, model="big", mode="yolo").attempt(brief(), SilentObserver())
    lines = [json.loads(line) for line in artifacts.read(attempt.transcript).splitlines()]
    sent = [line["message"] for line in lines if line["from"] == "setpoint"]
    chosen = [each["params"] for each in sent if each["method"] == "session/set_config_option"]
    assert [(each["configId"], each["value"]) for each in chosen] == [("brain", "big"), ("mode", "yolo")]


async def test_a_model_that_is_chosen_already_is_left(another, brief, artifacts) -> None:
    attempt = await another(options=MODELS, model="small").attempt(brief(), SilentObserver())
    assert methods(artifacts, attempt) == ["initialize", "session/new", "session/prompt"]


@pytest.mark.parametrize(
    ("keys", "words"), [({"options": MODELS}, "small, big"), ({}, "no choice of a model")]
)
async def test_a_model_that_is_not_offered_is_told(keys, words, another, brief) -> None:
    attempt = await another(model="huge", **keys).attempt(brief(), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING
    assert words in attempt.breakage.message
    assert "[agent.scripted]" in attempt.breakage.message
