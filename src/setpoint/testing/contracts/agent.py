"""What Setpoint expects of every agent."""

from __future__ import annotations

from pathlib import Path

from setpoint.model.attempt import Attempt, Brief, Role, Stop
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.ports import Agent
from setpoint.testing.agent import SilentObserver


class AgentContract:
    """What every agent does, whether it solves its task or not."""

    name: str
    """Name of its entry point."""

    def make_agent(self, folder: Path) -> Agent:
        """Make the agent; `folder` is free for its toolkit."""
        raise NotImplementedError

    def brief(self, workdir: Path) -> Brief:
        """Return the task it gets in the tests."""
        story = Story(id=StoryId("contract"), title="Do what you do")
        return Brief(
            role=Role.MAKER,
            session="contract",
            label="implement-1",
            prompt=story.title,
            workdir=str(workdir),
            story=story,
        )

    async def _attempt(self, folder: Path, workdir: Path) -> Attempt:
        agent = self.make_agent(folder / "toolkit")
        try:
            return await agent.attempt(self.brief(workdir), SilentObserver())
        finally:
            await agent.close()

    def test_it_has_the_name_of_its_entry_point(self, tmp_path: Path) -> None:
        """Settings and records name it like that."""
        assert self.make_agent(tmp_path).name == self.name

    async def test_an_attempt_in_an_empty_work_copy_is_a_value(self, tmp_path: Path) -> None:
        """What it finds there is no reason to raise an error."""
        workdir = tmp_path / "work"
        workdir.mkdir()
        made = await self._attempt(tmp_path, workdir)
        assert made.agent == self.name
        assert made.duration_s >= 0
        assert made.started_at.utcoffset() is not None

    async def test_breakage_is_told_and_not_raised(self, tmp_path: Path) -> None:
        """A work copy that is not there breaks it or leaves it with nothing to do."""
        made = await self._attempt(tmp_path, tmp_path / "nowhere")
        assert (made.stop is Stop.BROKEN) == (made.breakage is not None)
        assert not (tmp_path / "nowhere").exists()

    async def test_closing_it_twice_does_no_harm(self, tmp_path: Path) -> None:
        """Setpoint closes it when its run ends, however it ends."""
        agent = self.make_agent(tmp_path)
        await agent.close()
        await agent.close()
