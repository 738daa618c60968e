"""The shipped in-process agent does what its script says, and nothing more."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from setpoint.model.attempt import AttemptLimits, BreakageKind, Brief, Role, Stop, Usage
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.ports import Agent
from setpoint.testing import Act, ScriptedAgent, SilentObserver


def _brief(workdir: Path, wall_s: float = 10.0) -> Brief:
    return Brief(
        role=Role.MAKER,
        session="s",
        label="implement-1",
        prompt="fix it",
        workdir=str(workdir),
        story=Story(id=StoryId("fix"), title="Fix it"),
        limits=AttemptLimits(wall_s=wall_s),
    )


async def test_acts_are_played_in_order_and_then_nothing_happens(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("x = 1\n")
    agent: Agent = ScriptedAgent(
        Act(edits={"pkg/new.py": "y = 2\n"}, usage=Usage(cost_usd=Decimal("0.25"), scope="turn")),
        Act(edits={"old.py": None}),
    )
    observer = SilentObserver()
    first = await agent.attempt(_brief(tmp_path), observer)
    assert (tmp_path / "pkg" / "new.py").read_text() == "y = 2\n"
    assert (first.stop, first.tool_calls, first.usage.cost_usd) == (Stop.END_TURN, 1, Decimal("0.25"))
    await agent.attempt(_brief(tmp_path), observer)
    assert not (tmp_path / "old.py").exists()
    third = await agent.attempt(_brief(tmp_path), observer)
    assert third.tool_calls == 0
    assert [call.files for call in observer.calls] == [("pkg/new.py",), ("old.py",)]


async def test_breakage_and_overlong_acts_are_values(tmp_path: Path) -> None:
    agent = ScriptedAgent(Act(breakage=BreakageKind.CRASH), Act(duration_s=99))
    crash = await agent.attempt(_brief(tmp_path), SilentObserver())
    late = await agent.attempt(_brief(tmp_path), SilentObserver())
    assert (crash.stop, crash.breakage and crash.breakage.kind) == (Stop.BROKEN, BreakageKind.CRASH)
    assert (late.breakage and late.breakage.kind, late.duration_s) == (BreakageKind.TIMEOUT, 10.0)


async def test_a_hanging_act_ends_by_being_cancelled(tmp_path: Path) -> None:
    agent = ScriptedAgent(Act(hangs=True))
    task = asyncio.create_task(agent.attempt(_brief(tmp_path), SilentObserver()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert agent.cancelled == 1
