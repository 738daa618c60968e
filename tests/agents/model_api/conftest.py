"""A model that plays a script, and briefs for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from setpoint.agents.launch import Launch
from setpoint.agents.model_api.agent import ModelAgent
from setpoint.system.files.artifacts import Artifacts

Move = str | tuple[str, dict[str, Any]] | Exception


class Script:
    """Plays one move per request; keeps what it was asked."""

    def __init__(self, *moves: Move) -> None:
        self.moves = list(moves)
        self.asked: list[tuple[list[ModelMessage], AgentInfo]] = []

    def play(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append((list(messages), info))
        move = self.moves.pop(0)
        if isinstance(move, Exception):
            raise move
        if isinstance(move, str):
            return ModelResponse(parts=[TextPart(move)])
        return ModelResponse(parts=[ToolCallPart(*move)])

    def tools(self) -> set[str]:
        return {tool.name for tool in self.asked[0][1].function_tools}


@pytest.fixture
def model(artifacts: Artifacts) -> Callable[..., tuple[ModelAgent, Script]]:
    def make(*moves: Move, **launch: Any) -> tuple[ModelAgent, Script]:
        script = Script(*moves)
        started = Launch(name="critic", protocol="model", model="openai:scripted", **launch)
        agent = ModelAgent(
            started, lambda: FunctionModel(script.play), artifacts=artifacts, secrets={"KEY": "topsecret-key"}
        )
        return agent, script

    return make


@pytest.fixture
def project(workdir: Path) -> Path:
    (workdir / "src").mkdir()
    (workdir / "src" / "app.py").write_text("import calc\n\n\ndef run():\n    return calc.add(1, 2)\n")
    (workdir / ".env").write_text("TOKEN=1\n")
    return workdir
