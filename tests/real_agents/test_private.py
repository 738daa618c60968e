"""Real agents as test designers: what they wrote is in their own state no more when the session has ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from real_agents.conftest import wanted
from setpoint.agents.registry import known
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.agents.selection import Agents
from setpoint.model.attempt import AttemptLimits, Brief, Role, Stop
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.settings import CustomAgent
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import SilentObserver
from setpoint.testing.model_server import Read, Say, Scenario, scripted_model

pytestmark = pytest.mark.real_agents
TOLD = "assert area(3) == 28.274333882308138"
PROGRAMS = ("gemini", "opencode", "claude", "codex", "copilot", "qwen", "vibe")
NAMES = wanted(*PROGRAMS, "claude-cli", "codex-cli", "gemini-cli", "opencode-cli", "pi")


def _told(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [str(path.relative_to(folder)) for path in files if TOLD.encode() in path.read_bytes()]


@pytest.mark.parametrize("role", [Role.TEST_DESIGNER, Role.MAKER])
@pytest.mark.parametrize("name", NAMES)
async def test_a_designer_leaves_no_transcript(
    name: str, role: Role, means: Means, real_agent, tmp_path: Path
) -> None:
    agent, work = real_agent(name), tmp_path / "work"
    work.mkdir()
    (work / "calc.py").write_text("def area(r): ...\n")
    with scripted_model(Scenario(steps=(Read(read="calc.py"), Say(say=TOLD)))) as model:
        own = CustomAgent(environment=agent.environment(model.url))
        sandbox = Sandbox(SandboxSettings(agents=means), sessions=tmp_path / "sessions")
        made = Agents(
            known({name: own}),
            artifacts=Artifacts(tmp_path / "kept"),
            scratch=tmp_path / "scratch",
            sandbox=sandbox,
        ).make(name)
        brief = Brief(
            role=role,
            session="s1",
            label="seal-1",
            prompt="Write a test of area in calc.py.",
            workdir=str(work),
            story=Story(id=StoryId("area"), title="Area of a circle"),
            limits=AttemptLimits(wall_s=100, idle_s=100),
        )
        attempt = await made.attempt(brief, SilentObserver())
        await made.close()
    assert (attempt.stop, attempt.breakage) == (Stop.END_TURN, None)
    assert TOLD in attempt.text
    left = _told(agent.home)
    assert not left if role is Role.TEST_DESIGNER else left
    assert not list((tmp_path / "sessions").rglob("*"))
