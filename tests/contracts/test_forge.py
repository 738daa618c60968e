"""What every Forge does, shown on git and on the shipped fake."""

from pathlib import Path

import pytest

from contracts.test_workspace import RUN, attempt, world
from setpoint.ports import Appendix, Forge
from setpoint.testing import FolderWorkspace, RecordingForge
from setpoint.workspace import GitBranchForge

__all__ = ["world"]


@pytest.fixture
def forge(world, tmp_path: Path) -> Forge:
    workspace, _ = world
    return (
        RecordingForge(workspace)
        if isinstance(workspace, FolderWorkspace)
        else GitBranchForge(tmp_path / "repository")
    )


async def changed(workspace, base, label: str, text: str):
    copy = await workspace.open(RUN, base)
    (Path(copy.path) / "calc.py").write_text(text)
    return copy, (await workspace.snapshot(copy, label, attempt())).commit


async def test_the_branch_gets_the_name_asked_for(world, forge):
    copy, commit = await changed(*world, "implement-1", "a\n")
    assert await forge.deliver(copy, commit, "setpoint/fix", message="Fix it") == "setpoint/fix"


async def test_the_same_result_is_delivered_once(world, forge):
    copy, commit = await changed(*world, "implement-1", "a\n")
    names = [await forge.deliver(copy, commit, "setpoint/fix", message="Fix it") for _ in range(3)]
    assert names == ["setpoint/fix"] * 3


async def test_another_result_never_overwrites(world, forge):
    copy, first = await changed(*world, "implement-1", "a\n")
    _, second = await changed(*world, "implement-2", "b\n")
    _, third = await changed(*world, "implement-3", "c\n")
    names = [
        await forge.deliver(copy, commit, "setpoint/fix", message="Fix")
        for commit in (first, second, third, second)
    ]
    assert names == ["setpoint/fix", "setpoint/fix-2", "setpoint/fix-3", "setpoint/fix-2"]


DEBTS = Appendix("TECH_DEBT.md", "# Known issues\n", "\n## today\n\n- [ ] one\n", message="Known issues")


async def test_an_appendix_belongs_to_what_is_delivered(world, forge):
    copy, commit = await changed(*world, "implement-1", "a\n")
    names = [
        await forge.deliver(copy, commit, "setpoint/fix", message="Fix it", appendix=DEBTS) for _ in range(2)
    ]
    assert names == ["setpoint/fix"] * 2
