"""What the registry says an agent reads of a project by itself is what the real program reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from real_agents.conftest import RealAgent, wanted
from setpoint.agents.registry import known, shipped
from setpoint.agents.selection import Agents
from setpoint.model.attempt import AttemptLimits, Brief, Role
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.settings import CustomAgent
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import SilentObserver
from setpoint.testing.model_server import Say, Scenario, scripted_model

pytestmark = pytest.mark.real_agents
AGENTS = wanted("gemini", "opencode", "claude", "codex", "copilot", "qwen", "pi")
FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md")
FOLDERS = (".agents/skills", ".claude/skills", ".gemini/skills", ".opencode/skills", ".codex/skills")


async def _read(agent: RealAgent, folder: Path, *files: str) -> str:
    """Let an agent begin in a project with these files; return all that its model was told."""
    workdir = folder / "work"
    for name in files:
        skill = f"brew-{name[1:].partition('/')[0]}"
        path = workdir / name / skill / "SKILL.md" if name in FOLDERS else workdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: {skill}\ndescription: mark of {name}.\n---\nmark of {name}.\n")
    with scripted_model(Scenario(steps=(Say(say="Done."),))) as model:
        launches = known({agent.name: CustomAgent(environment=agent.environment(model.url))})
        made = Agents(launches, artifacts=Artifacts(folder / "kept"), scratch=folder / "scratch").make(
            agent.name
        )
        brief = Brief(
            role=Role.MAKER,
            session="s1",
            label="implement-1",
            prompt="Say that you are done.",
            workdir=str(workdir),
            story=Story(id=StoryId("s"), title="Say"),
            limits=AttemptLimits(wall_s=100, idle_s=100),
        )
        await made.attempt(brief, SilentObserver())
        await made.close()
        return str([asked.body for asked in model.asked])


@pytest.mark.parametrize("name", AGENTS)
async def test_an_agent_reads_what_the_registry_says(
    name: str, real_agent: Callable[[str], RealAgent], tmp_path: Path
) -> None:
    reads, agent = shipped()[name].reads, real_agent(name)
    told = await _read(agent, tmp_path / "all", *FILES, *FOLDERS)
    found = {each for each in (*FILES, *FOLDERS) if f"mark of {each}." in told}
    assert found & set(FILES) == set(reads.files) & set(FILES)
    named = {each for each in FOLDERS if f"brew-{each[1:].partition('/')[0]}" in told}
    assert {each for each in reads.skills if each in FOLDERS} <= named
    for each in reads.otherwise:
        assert f"mark of {each}." in await _read(agent, tmp_path / each, each)
