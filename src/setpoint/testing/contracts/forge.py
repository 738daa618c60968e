"""What every forge promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.model.ids import Commit
from setpoint.ports import Appendix, Forge, WorkCopy
from setpoint.testing.contracts.workspace import RUN, Opened, attempt, git_world

DEBTS = Appendix("TECH_DEBT.md", "# Known issues\n", "\n## today\n\n- [ ] one\n", message="Known issues")


class ForgeContract:
    """What every forge does: it delivers a result once, and never overwrites another."""

    @pytest.fixture
    def world(self, tmp_path: Path) -> Opened:
        """Make the workspace that the forge delivers from: of a git repository, unless overridden."""
        return git_world(tmp_path)

    @pytest.fixture
    def forge(self, world: Opened, tmp_path: Path) -> Forge:
        """Make the forge of the repository in `tmp_path / "repository"`; override this."""
        raise NotImplementedError

    async def test_the_branch_gets_the_name_asked_for(self, world: Opened, forge: Forge) -> None:
        copy, commit = await changed(world, "implement-1", "a\n")
        assert await forge.deliver(copy, commit, "setpoint/fix", message="Fix it") == "setpoint/fix"

    async def test_the_same_result_is_delivered_once(self, world: Opened, forge: Forge) -> None:
        copy, commit = await changed(world, "implement-1", "a\n")
        names = [await forge.deliver(copy, commit, "setpoint/fix", message="Fix it") for _ in range(3)]
        assert names == ["setpoint/fix"] * 3

    async def test_another_result_never_overwrites(self, world: Opened, forge: Forge) -> None:
        copy, first = await changed(world, "implement-1", "a\n")
        _, second = await changed(world, "implement-2", "b\n")
        _, third = await changed(world, "implement-3", "c\n")
        names = [
            await forge.deliver(copy, commit, "setpoint/fix", message="Fix")
            for commit in (first, second, third, second)
        ]
        assert names == ["setpoint/fix", "setpoint/fix-2", "setpoint/fix-3", "setpoint/fix-2"]

    async def test_an_appendix_belongs_to_what_is_delivered(self, world: Opened, forge: Forge) -> None:
        copy, commit = await changed(world, "implement-1", "a\n")
        names = [
            await forge.deliver(copy, commit, "setpoint/fix", message="Fix it", appendix=DEBTS)
            for _ in range(2)
        ]
        assert names == ["setpoint/fix"] * 2


async def changed(opened: Opened, label: str, text: str) -> tuple[WorkCopy, Commit]:
    """Make a commit in the work copy of `RUN`."""
    workspace, base = opened
    copy = await workspace.open(RUN, base)
    (Path(copy.path) / "calc.py").write_text(text)
    return copy, (await workspace.snapshot(copy, label, attempt())).commit
