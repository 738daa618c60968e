"""Contract suites: what Setpoint expects of an agent, a check and a guard of a plug-in.

Subclass one in your tests under a name that begins with `Test`, and say how to make what is tested. pytest
runs the methods; the coroutines among them need pytest-asyncio with `asyncio_mode = "auto"`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from setpoint.checks.discovery.interpreter import own_interpreter
from setpoint.checks.tools.custom import CustomTool
from setpoint.model.attempt import Attempt, Brief, Role, Stop
from setpoint.model.config.custom_check import CustomCheck
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.ids import Commit, StoryId, TraceId, Tree
from setpoint.model.run import Halt
from setpoint.model.stories.story import Story
from setpoint.ports import Agent, Measured, WorkCopy
from setpoint.ports.policy import PluggedGuard
from setpoint.system.files.artifacts import Artifacts
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


class CheckContract:
    """What every check does: it finds what is there, finds nothing in a clean tree, and changes nothing."""

    faulty: Mapping[str, str]
    """Files of a tree in which it finds something, by path."""
    clean: Mapping[str, str]
    """Files of a tree in which it finds nothing."""

    def make_check(self) -> CustomCheck:
        """Return the definition, as the entry point does."""
        raise NotImplementedError

    def _measure(self, folder: Path, files: Mapping[str, str]) -> CheckResult:
        tree = folder / "tree"
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text, "utf-8")
        copy = WorkCopy(TraceId("contract"), str(tree), Commit("0" * 40), Tree("0" * 40))

        async def measured() -> CheckResult:
            tool = CustomTool(
                name="contract",
                asked=self.make_check(),
                project=await own_interpreter(),
                imports=(),
                artifacts=Artifacts(folder / "artifacts"),
            )
            return await tool.run(Measured(copy, copy.base, copy.base_tree, Stage.TEST))

        return asyncio.run(measured())

    def test_it_finds_what_is_there(self, tmp_path: Path) -> None:
        """Each finding names a file of the tree and says what is wrong."""
        result = self._measure(tmp_path, self.faulty)
        assert result.state is CheckState.FAIL, result.evidence
        assert result.findings
        assert all(finding.file in self.faulty and finding.message for finding in result.findings)

    def test_it_finds_nothing_in_a_clean_tree(self, tmp_path: Path) -> None:
        """A clean tree is a pass, not an error."""
        assert self._measure(tmp_path, self.clean).state is CheckState.PASS

    def test_it_says_the_same_of_the_same_tree(self, tmp_path: Path) -> None:
        """Findings are compared between commits."""
        first, again = (self._measure(tmp_path / name, self.faulty).findings for name in ("one", "two"))
        assert [each.fingerprint for each in first] == [each.fingerprint for each in again]

    def test_it_changes_no_file(self, tmp_path: Path) -> None:
        """The tree is still what the agent committed."""
        self._measure(tmp_path, self.faulty)
        for name, text in self.faulty.items():
            assert (tmp_path / "tree" / name).read_text("utf-8") == text


class GuardContract:
    """What every guard does: a pure function of the rounds that says why it stops a run."""

    guard: PluggedGuard

    def stopping(self) -> RunFacts:
        """Return a history in which the guard stops the run."""
        raise NotImplementedError

    def going_on(self) -> RunFacts:
        """Return a history in which it does not."""
        raise NotImplementedError

    def test_it_stops_with_a_reason_and_a_way_out(self) -> None:
        """A person reads both."""
        halt = type(self).guard(self.stopping())
        assert isinstance(halt, Halt)
        assert halt.reason
        assert halt.go_on

    def test_it_lets_others_continue(self) -> None:
        """None, not false."""
        assert type(self).guard(self.going_on()) is None

    def test_it_answers_the_same_again(self) -> None:
        """A resumed run decides like the first."""
        for past in (self.stopping(), self.going_on()):
            assert type(self).guard(past) == type(self).guard(past)
