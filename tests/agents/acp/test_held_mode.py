"""A maker that a sandbox holds starts in a mode without questions: its subagents could not ask any."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from setpoint.agents.acp.agent import AcpAgent, Patience
from setpoint.agents.launch import Launch, Quirks
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.model.attempt import Role, Stop
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.testing import SilentObserver

FORBIDDEN = {"session/set_config_option": [{"fail": {"code": -32603, "message": "it is forbidden"}}]}
MODES = {
    "type": "select",
    "id": "mode",
    "category": "mode",
    "name": "Mode",
    "currentValue": "ask",
    "options": [{"value": value, "name": value} for value in ("ask", "free", "plan")],
}


async def _modes(launch: Launch, brief: Any, artifacts: Any, tmp_path: Path, means: Means) -> list[str]:
    """Drive an agent, and return the modes that were set."""
    agent = AcpAgent(
        launch,
        artifacts=artifacts,
        scratch=tmp_path / "scratch",
        patience=Patience(open_s=20, cancel_s=0.3, grace_s=0.3),
        sandbox=Sandbox(SandboxSettings(agents=means)),
    )
    attempt = await agent.attempt(brief, SilentObserver())
    await agent.close()
    assert attempt.stop is Stop.END_TURN, attempt.breakage
    lines = [json.loads(line) for line in artifacts.read(attempt.transcript).splitlines()]
    sent = [line["message"] for line in lines if line["from"] == "setpoint"]
    return [each["params"]["value"] for each in sent if each.get("method") == "session/set_config_option"]


def _launch(tmp_path: Path, mode: str = "", **keys: Any) -> Launch:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"prompts": [[{"say": "done"}]], "options": [MODES], **keys}))
    argv = (sys.executable, "-m", "setpoint.agents.scripted", str(script))
    return Launch(name="scripted", argv=argv, quirks=Quirks(mode=mode, held_mode="free"))


@pytest.mark.parametrize(
    ("role", "mode", "expected"),
    [(Role.MAKER, "", ["free"]), (Role.MAKER, "plan", ["plan"]), (Role.REVIEWER, "", [])],
)
async def test_a_held_maker_asks_nothing_unless_a_mode_is_set(
    role, mode, expected, means, brief, artifacts, tmp_path
) -> None:
    assert await _modes(_launch(tmp_path, mode), brief(role=role), artifacts, tmp_path, means) == expected


async def test_a_maker_that_nothing_holds_asks(brief, artifacts, tmp_path) -> None:
    assert await _modes(_launch(tmp_path), brief(), artifacts, tmp_path, Means.NONE) == []


async def test_a_mode_that_a_user_forbids_is_left(means, brief, artifacts, tmp_path) -> None:
    launch = _launch(tmp_path, on=FORBIDDEN)
    assert await _modes(launch, brief(), artifacts, tmp_path, means) == ["free"]
