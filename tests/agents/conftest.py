from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from setpoint.agents.acp.agent import AcpAgent, Patience
from setpoint.agents.launch import Launch, Quirks
from setpoint.model.attempt import AttemptLimits, Brief, Role
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.system.files.artifacts import Artifacts
from setpoint.wiring.toolkit import HostToolkit


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    folder = tmp_path / "work copy"
    folder.mkdir()
    (folder / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    return folder


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    return Artifacts(tmp_path / "artifacts")


@pytest.fixture
def toolkit(tmp_path: Path, artifacts: Artifacts) -> HostToolkit:
    return HostToolkit(artifacts, tmp_path / "scratch")


@pytest.fixture
def brief(workdir: Path) -> Callable[..., Brief]:
    def make(
        prompt: str = "fix calc",
        *,
        session: str = "s1",
        wall_s: float = 20,
        idle_s: float = 20,
        role: Role = Role.MAKER,
    ) -> Brief:
        return Brief(
            role=role,
            session=session,
            label="implement-1",
            prompt=prompt,
            workdir=str(workdir),
            story=Story(id=StoryId("fix"), title="Fix calc"),
            limits=AttemptLimits(wall_s=wall_s, idle_s=idle_s),
        )

    return make


@pytest.fixture
async def scripted(tmp_path: Path, artifacts: Artifacts) -> AsyncIterator[Callable[..., AcpAgent]]:
    """Make an agent that plays these prompts, a list of steps each, in a process of its own."""
    made: list[AcpAgent] = []

    def make(*prompts: list[dict[str, Any]], patience: Patience | None = None, **keys: Any) -> AcpAgent:
        quirks = Quirks(**{"tool_name_meta": "scripted.tool", **keys.pop("quirks", {})})
        launch_keys = {key: keys.pop(key) for key in ("environment", "pass_environment") if key in keys}
        script = tmp_path / f"script-{len(made)}.json"
        script.write_text(json.dumps({"prompts": prompts, **keys}))
        argv = (sys.executable, "-m", "setpoint.agents.scripted", str(script))
        launch = Launch(name="scripted", argv=argv, quirks=quirks, **launch_keys)
        quick = Patience(open_s=20, cancel_s=0.3, grace_s=0.3)
        agent = AcpAgent(
            launch, artifacts=artifacts, scratch=tmp_path / "scratch", patience=patience or quick
        )
        made.append(agent)
        return agent

    yield make
    for agent in made:
        await agent.close()


@pytest.fixture
def living(tmp_path: Path) -> Callable[[str], list[int]]:
    """Give the processes whose command line holds a text and that still run."""

    def find(text: str) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and text.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    return find
