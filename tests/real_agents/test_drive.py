"""Real agents, driven over ACP against a model that plays a script on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from real_agents.conftest import RealAgent, wanted
from setpoint.agents.acp.agent import AcpAgent, Patience
from setpoint.agents.registry import known
from setpoint.model.attempt import AttemptLimits, BreakageKind, Brief, Role, Stop
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.settings import CustomAgent
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import SilentObserver
from setpoint.testing.model_server import (
    Fault,
    Read,
    Say,
    Scenario,
    ScriptedModel,
    Shell,
    Write,
    scripted_model,
)

pytestmark = pytest.mark.real_agents
AGENTS = wanted("gemini", "opencode")
BUGGY = "def add(a, b):\n    return a - b\n"
WRONG = "def add(a, b):\n    return b - a\n"
FIXED = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "calc.py").write_text(BUGGY)
    return folder


@pytest.fixture
def driver(tmp_path: Path) -> Callable[[RealAgent, ScriptedModel], AcpAgent]:
    def make(agent: RealAgent, model: ScriptedModel) -> AcpAgent:
        own = CustomAgent(environment=agent.environment(model.url))
        launch = known({agent.name: own})[agent.name]
        patience = Patience(open_s=90, cancel_s=5, grace_s=5)
        return AcpAgent(
            launch, artifacts=Artifacts(tmp_path / "kept"), scratch=tmp_path / "scratch", patience=patience
        )

    return make


def _brief(workdir: Path, prompt: str) -> Brief:
    return Brief(
        role=Role.MAKER,
        session="s1",
        label="implement-1",
        prompt=prompt,
        workdir=str(workdir),
        story=Story(id=StoryId("fix"), title="Fix calc"),
        limits=AttemptLimits(wall_s=100, idle_s=100),
    )


@pytest.mark.parametrize("name", AGENTS)
async def test_a_change_and_its_correction_in_one_session(
    name: str, real_agent, driver, workdir: Path
) -> None:
    steps = (
        *(Read(read="calc.py"), Write(write="calc.py", text=WRONG), Say(say="Done, I think.")),
        *(Read(read="calc.py"), Write(write="calc.py", text=FIXED)),
        *(Shell(shell="python3 -c 'import calc; calc.add(1, 2)'"), Say(say="Done.")),
    )
    observer = SilentObserver()
    with scripted_model(Scenario(steps=steps)) as model:
        agent = driver(real_agent(name), model)
        try:
            first = await agent.attempt(_brief(workdir, "Fix add in calc.py."), observer)
            after_first = (workdir / "calc.py").read_text()
            second = await agent.attempt(_brief(workdir, "It is still wrong: add(1, 2) is 1."), observer)
        finally:
            await agent.close()
    assert (first.stop, first.breakage, first.text) == (Stop.END_TURN, None, "Done, I think.")
    assert after_first == WRONG
    assert (second.stop, second.text, (workdir / "calc.py").read_text()) == (Stop.END_TURN, "Done.", FIXED)
    assert [call.kind for call in observer.calls] == ["read", "edit", "read", "edit", "execute"]
    assert [call.ok for call in observer.calls] == [True] * 5
    assert observer.calls[1].files == ("calc.py",)
    assert first.version
    assert second.usage.input_tokens
    assert "still wrong" in str(model.asked[-1].body)
    if name == "opencode":  # it reckons the session's cost, at 1000 tokens in and 50 out a call
        assert first.usage.cost_usd is not None
        assert second.usage.cost_usd is not None
        assert second.usage.cost_usd > first.usage.cost_usd > 0


async def test_a_refused_key_is_told_as_such(real_agent, driver, workdir: Path) -> None:
    refused = Scenario(faults=(Fault(kind="status", status=401, and_later=True),))
    with scripted_model(refused) as model:
        agent = driver(real_agent("gemini"), model)
        attempt = await agent.attempt(_brief(workdir, "Fix add in calc.py."), SilentObserver())
        await agent.close()
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.AUTH


@pytest.mark.parametrize("name", AGENTS)
async def test_cancelling_ends_what_the_agent_runs(name: str, real_agent, driver, workdir: Path) -> None:
    mark = f"sleep 94.{len(name)}17"
    with scripted_model(Scenario(steps=(Shell(shell=mark),))) as model:
        agent = driver(real_agent(name), model)
        task = asyncio.create_task(agent.attempt(_brief(workdir, "Wait."), SilentObserver()))
        async with asyncio.timeout(100):
            while not _running(mark):  # noqa: ASYNC110 - another process starts it
                await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert _running(mark) == []
    assert _running(str(workdir.parent)) == []


def _running(text: str) -> list[int]:
    wanted = text.replace(" ", "\0").encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and wanted in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found
