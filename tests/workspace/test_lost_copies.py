"""A work copy that is not where it was, and a base that the user's repository no longer names."""

import shutil
from pathlib import Path

import pytest

from setpoint.errors import WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.ports.workspace import CopyLoss
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import head
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.held_base import hold_base, release_bases
from setpoint.workspace.state_folder import ensure_state
from setpoint.workspace.work_copy import GitWorkspace
from workspace.repository import commit_all, git, repository, workspace_of

RUN = TraceId("run-1")
EDIT = "a = 'edited'\n"


def elsewhere(root: Path, name: str) -> GitWorkspace:
    return GitWorkspace(ProjectFolders(root, ensure_state(root), root.with_name(name) / "id" / "trees"))


async def test_edits_are_brought_along_to_another_cache_folder(tmp_path: Path):
    root = repository(tmp_path / "project")
    first = elsewhere(root, "one")
    copy = await first.open(RUN, await head(root))
    (Path(copy.path) / "calc.py").write_text(EDIT)
    second = elsewhere(root, "two")
    other = await second.open(RUN, copy.base)
    assert second.loss(other) == CopyLoss(copy.path, copy.base, kept=True)
    assert second.loss(other) is None
    assert (Path(other.path) / "calc.py").read_text() == "a = 1\n"
    assert await second.recall(other)
    assert (Path(other.path) / "calc.py").read_text() == EDIT
    made = await second.snapshot(other, "implement-1", attempt())
    assert made.files == ("calc.py",)
    # What still lies in the first folder is old: it is not taken for new edits.
    back = elsewhere(root, "one")
    again = await back.open(RUN, copy.base)
    assert back.loss(again) == CopyLoss(other.path, made.commit, kept=True)
    assert not await back.recall(again)
    assert (await back.snapshot(again, "implement-2", attempt())).empty


async def test_a_deleted_cache_is_told_with_what_is_gone(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    (Path(copy.path) / "calc.py").write_text(EDIT)
    made = await workspace.snapshot(copy, "implement-1", attempt())
    (Path(copy.path) / "calc.py").write_text("a = 'gone'\n")
    shutil.rmtree(root.with_name("project.copies"))
    workspace = workspace_of(root)
    await workspace.open(RUN, copy.base)
    assert workspace.loss(copy) == CopyLoss(copy.path, made.commit, kept=False)
    assert not await workspace.recall(copy)
    assert (Path(copy.path) / "calc.py").read_text() == EDIT


async def test_nothing_is_told_of_a_copy_that_is_there(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    for _ in range(2):
        copy = await workspace.open(RUN, await head(root))
        assert workspace.loss(copy) is None


async def test_the_copy_of_another_repository_is_not_read(tmp_path: Path):
    root = repository(tmp_path / "project")
    first = elsewhere(root, "one")
    copy = await first.open(RUN, await head(root))
    (Path(copy.path) / "calc.py").write_text(EDIT)
    other = tmp_path / "copied"
    shutil.copytree(root, other)
    holder = f'{{"state": "{ensure_state(root)}"}}'
    (root.with_name("one") / "id" / "repository.json").write_text(holder)
    second = elsewhere(other, "two")
    mine = await second.open(RUN, copy.base)
    assert second.loss(mine) == CopyLoss(copy.path, copy.base, kept=False)
    assert not await second.recall(mine)


def prune_all(root: Path) -> None:
    git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "rebased")
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")


async def test_a_base_is_held_until_its_run_ends(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = commit_all(root, "to be rebased")
    folders = ProjectFolders(root, ensure_state(root), tmp_path / "copies")
    await hold_base(folders, RUN, base)
    prune_all(root)
    assert git(root, "cat-file", "-t", base) == "commit"
    assert git(root, "branch", "--list", "--all") == "* main"
    await release_bases(root, lambda _: False)
    assert git(root, "for-each-ref", "refs/setpoint") != ""
    await release_bases(root, lambda each: each == RUN)
    assert git(root, "for-each-ref", "refs/setpoint") == ""
    assert not (root / ".git" / "refs" / "setpoint" / "open").exists()


async def test_a_base_that_is_gone_comes_back_from_its_history(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = commit_all(root, "to be rebased")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, base)
    (Path(copy.path) / "calc.py").write_text(EDIT)
    made = await workspace.snapshot(copy, "implement-1", attempt())
    prune_all(root)
    assert git(root, "cat-file", "-e", base, check=False) == ""
    folders = ProjectFolders(root, ensure_state(root), root.with_name("project.copies"))
    with pytest.raises(AssertionError):
        git(root, "cat-file", "-t", base)
    await hold_base(folders, RUN, base)
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, base)
    await workspace.restore(copy, made.commit)
    assert (Path(copy.path) / "calc.py").read_text() == EDIT


async def test_a_base_that_is_nowhere_is_named_with_a_way_out(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = commit_all(root, "to be rebased")
    prune_all(root)
    folders = ProjectFolders(root, ensure_state(root), tmp_path / "copies")
    with pytest.raises(WorkspaceError, match="no longer in the repository") as raised:
        await hold_base(folders, RUN, base)
    assert f"git fetch REMOTE {base}" in raised.value.hint
