"""A model behind the scripted server, asked for tests piece by piece over HTTP."""

from __future__ import annotations

import json

import pytest

from agents.generator.conftest import PLAIN
from agents.generator.test_asking import GOOD, IDLE, OLD, SHOP, WRONG
from agents.model.apis import serving
from setpoint.agents.choice import Agents
from setpoint.agents.generator import AskedAgent
from setpoint.agents.registry import known
from setpoint.domain.attempt import AttemptLimits, Stop
from setpoint.domain.cover import CoverGoals
from setpoint.pipelines import render
from setpoint.settings import CustomAgent
from setpoint.store.artifacts import Artifacts

pytestmark = pytest.mark.timeout(400)  # each look at tests is several interpreters


def writes(text):
    return ("write_file", {"path": "tests/test_new.py", "content": text})


async def test_a_model_is_told_all_three_outcomes_in_one_conversation(tree, brief, watcher, tmp_path):
    root = tree(shop=SHOP, tests__test_old=OLD)
    artifacts = Artifacts(tmp_path / "artifacts")
    moves = (writes(WRONG), "done", writes(IDLE), "done", writes(GOOD), "done")
    with serving(*moves) as apis:
        custom = CustomAgent(protocol="model", model="openai:scripted", base_url=f"{apis.url}/v1")
        agents = Agents(known({"mine": custom}), artifacts=artifacts, scratch=tmp_path / "scratch")
        goals = CoverGoals(paths=("shop.py",), mutation_s=10)
        agent = AskedAgent(agents.make("mine"), artifacts, goals, render, PLAIN)
        limits = AttemptLimits(wall_s=600.0, idle_s=600.0)
        attempt = await agent.attempt(brief(root, limits=limits), watcher)
        await agent.close()

    assert attempt.stop is Stop.END_TURN, attempt.breakage
    assert (root / "tests/test_new.py").read_text() == GOOD
    said = [json.dumps(asked[1]["messages"]) for asked in apis.asked]
    assert "failed when run alone" in said[2]
    assert "Still not reached: line 5" in said[4]
    assert "failed when run alone" in said[4]  # it is one conversation
    assert attempt.usage.input_tokens == 6000
    assert attempt.tool_calls == len(watcher.calls)
