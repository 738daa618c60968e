"""A model behind the scripted server, asked for tests piece by piece over HTTP."""

from __future__ import annotations

import json

import pytest

from agents.model_api.apis import serving
from mechanic.generate.conftest import PLAIN
from mechanic.generate.test_segment_agent import GOOD, IDLE, OLD, SHOP, WRONG
from setpoint.agents.registry import known
from setpoint.agents.selection import Agents
from setpoint.model.attempt import AttemptLimits, Stop
from setpoint.model.cover import CoverGoals
from setpoint.settings import CustomAgent
from setpoint_mechanic.generate import AskedAgent

pytestmark = pytest.mark.timeout(400)  # each look at tests is several interpreters


def writes(text):
    return ("write_file", {"path": "tests/test_new.py", "content": text})


@pytest.mark.slow
async def test_a_model_is_told_all_three_outcomes_in_one_conversation(
    tree, brief, watcher, artifacts, toolkit, tmp_path
):
    root = tree(shop=SHOP, tests__test_old=OLD)
    moves = (writes(WRONG), "done", writes(IDLE), "done", writes(GOOD), "done")
    with serving(*moves) as apis:
        custom = CustomAgent(protocol="model", model="openai:scripted", base_url=f"{apis.url}/v1")
        agents = Agents(known({"mine": custom}), artifacts=artifacts, scratch=tmp_path / "scratch")
        goals = CoverGoals(paths=("shop.py",), mutation_s=10)
        agent = AskedAgent(agents.make("mine"), toolkit, goals, PLAIN)
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
