"""The folder for copies outside the repository: found again after a move, never shared with a copy."""

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

from setpoint.errors import WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.model.run import Snapshot
from setpoint.ports import WorkCopy
from setpoint.settings import Settings
from setpoint.system.files.locks import RunLocks
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import head
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.copies_folder import cache_folder, copies_folder
from setpoint.workspace.snapshot_store import repository_of_run
from setpoint.workspace.state_folder import ensure_state
from setpoint.workspace.work_copy import GitWorkspace
from workspace.repository import commit_all, git, repository

RUN = TraceId("run-1")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "setpoint"


def test_where_the_cache_folder_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    caches = tmp_path / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    root = tmp_path / "project"
    assert cache_folder(Settings(), root) == caches / "setpoint"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder(Settings(), root) == caches / "setpoint", "the standard has it ignored"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert cache_folder(Settings(), root) == tmp_path / "own" / "setpoint"
    assert cache_folder(Settings(cache_dir="~/copies"), root) == tmp_path / "copies"
    assert cache_folder(Settings(cache_dir="../copies"), root) == root / "../copies"


async def folders(root: Path, cache: Path) -> ProjectFolders:
    state = ensure_state(root)
    return ProjectFolders(root, state, copies_folder(root, state, cache))


async def worked(root: Path, cache: Path) -> tuple[ProjectFolders, WorkCopy, Snapshot]:
    """Change a file in the copy of a run, and record it."""
    made = await folders(root, cache)
    workspace = GitWorkspace(made)
    copy = await workspace.open(RUN, await head(root))
    (Path(copy.path) / "calc.py").write_text("a = 2\n")
    return made, copy, await workspace.snapshot(copy, "implement-1", attempt())


async def test_it_lies_in_the_cache_is_found_again_and_is_nobody_elses_to_read(tmp_path: Path, cache: Path):
    root = repository(tmp_path / "my shop")
    made = await folders(root, cache)
    assert made.copies.is_relative_to(cache)
    assert made.copies.parent.name.startswith("my-shop-")
    assert stat.S_IMODE(made.copies.parent.stat().st_mode) == 0o700
    assert (cache / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert (await folders(root, cache)) == made
    other = await folders(repository(tmp_path / "elsewhere" / "my shop"), cache)
    assert other.copies != made.copies


async def test_no_ignore_rules_lie_above_a_measured_tree_unless_git_needs_them(tmp_path: Path, cache: Path):
    root = repository(tmp_path / "shop")
    cache.mkdir(parents=True)
    (cache / ".gitignore").write_text("*\n")  # of an older version: oxlint 1.58 then looks at nothing
    await folders(root, cache)
    assert (cache / "CACHEDIR.TAG").exists()
    assert not (cache / ".gitignore").exists()

    inside = root / "build" / "copies"
    await folders(root, inside)
    assert (inside / ".gitignore").read_text() == "*\n"


async def test_a_moved_repository_keeps_its_copies_and_its_snapshots(tmp_path: Path, cache: Path):
    root = repository(tmp_path / "before")
    made, copy, snapshot = await worked(root, cache)

    moved = tmp_path / "deep" / "after"
    moved.parent.mkdir()
    root.rename(moved)
    found = await folders(moved, cache)
    again = GitWorkspace(found)
    copy = await again.open(RUN, copy.base)

    assert found.copies == made.copies
    assert await again.find(copy, "implement-1") == snapshot
    await again.restore(copy, snapshot.commit)
    assert (Path(copy.path) / "calc.py").read_text() == "a = 2\n"
    assert git(Path(copy.path), "status", "--porcelain") == ""
    assert "-a = 1" in await again.diff(copy, copy.base, snapshot.commit)


async def test_a_copied_repository_gets_a_folder_of_its_own_and_does_not_need_the_first(
    tmp_path: Path, cache: Path
):
    root = repository(tmp_path / "first")
    made, copy, snapshot = await worked(root, cache)

    twin = tmp_path / "second"
    shutil.copytree(root, twin, symlinks=True)
    theirs = await folders(twin, cache)
    assert theirs.copies != made.copies
    assert (await folders(root, cache)).copies == made.copies, "the first one keeps its own"
    shutil.rmtree(root)
    other = GitWorkspace(theirs)
    again = await other.open(RUN, copy.base)
    assert Path(again.path).is_relative_to(theirs.copies)
    assert await other.find(again, "implement-1") == snapshot
    await other.restore(again, snapshot.commit)
    assert (Path(again.path) / "calc.py").read_text() == "a = 2\n"
    assert (await folders(twin, cache)) == theirs


async def test_a_linked_work_tree_in_the_place_of_a_repository_continues_its_runs(
    tmp_path: Path, cache: Path
):
    root = repository(tmp_path / "project")
    _, copy, snapshot = await worked(root, cache)

    main = tmp_path / "main"
    root.rename(main)
    git(main, "worktree", "add", "-q", "-b", "side", str(root))
    shutil.move(main / ".setpoint", root / ".setpoint")
    again = GitWorkspace(await folders(root, cache))
    copy = await again.open(RUN, copy.base)

    assert await again.find(copy, "implement-1") == snapshot
    assert (Path(copy.path) / "calc.py").read_text() == "a = 2\n"


async def test_a_copy_made_while_the_first_was_moved_is_told_apart_too(tmp_path: Path, cache: Path):
    root = repository(tmp_path / "first")
    made = await folders(root, cache)
    shutil.copytree(root, tmp_path / "second")
    root.rename(tmp_path / "third")
    second = await folders(tmp_path / "second", cache)
    third = await folders(tmp_path / "third", cache)
    assert {made.copies} < {second.copies, third.copies}, "one of them goes on with it, the other has its own"


async def test_a_cache_that_was_deleted_costs_no_recorded_work(tmp_path: Path, cache: Path):
    root = repository(tmp_path / "project")
    made, copy, snapshot = await worked(root, cache)

    shutil.rmtree(cache)
    found = await folders(root, cache)
    again = await GitWorkspace(found).open(RUN, copy.base)

    assert found == made
    assert again == copy
    assert (Path(copy.path) / "calc.py").read_text() == "a = 2\n"
    assert await GitWorkspace(found).find(again, "implement-1") == snapshot
    assert git(Path(copy.repository), "for-each-ref", "refs/setpoint/salvage") == "", "nothing was salvaged"


async def test_a_run_of_the_former_layout_goes_on_with_its_commits(tmp_path: Path, cache: Path):
    root = repository(tmp_path / "project")
    made = await folders(root, cache)
    copy = await GitWorkspace(made).open(RUN, await head(root))
    former = made.state / "work"
    former.mkdir()
    shutil.rmtree(copy.path)
    Path(copy.repository).rename(former / f"{RUN}.git")

    workspace = GitWorkspace(made)
    again = await workspace.open(RUN, copy.base)

    assert again.path == copy.path
    assert Path(again.repository) == repository_of_run(made.state, RUN) == former / f"{RUN}.git"
    (Path(again.path) / "calc.py").write_text("a = 2\n")
    assert (await workspace.snapshot(again, "implement-1", attempt())).files == ("calc.py",)
    assert (Path(copy.path) / "calc.py").read_text() == "a = 2\n"


async def test_measured_copies_of_the_former_layout_go_unless_they_are_in_use(tmp_path: Path, cache: Path):
    root = repository(tmp_path / "project")
    state = ensure_state(root)
    for name in ("run-old", "run-old.base", "run-new"):
        (state / "measured" / name).mkdir(parents=True)
        (state / "repositories" / f"{name}.git").mkdir(parents=True)
    with RunLocks(state).held(TraceId("run-new")):
        await folders(root, cache)
    assert [each.name for each in (state / "measured").iterdir()] == ["run-new"]
    assert [each.name for each in (state / "repositories").iterdir()] == ["run-new.git"]


@pytest.mark.parametrize("content", ["", "{}", '{"id": "../../tmp", "root": "/"}', '{"id": "", "root": "/"}'])
async def test_a_record_that_cannot_be_read_is_replaced(tmp_path: Path, cache: Path, content: str):
    root = repository(tmp_path / "project")
    (ensure_state(root) / "repository.json").write_text(content)
    made = await folders(root, cache)
    assert made.copies.is_relative_to(cache)
    assert made.copies.parent.parent == cache
    assert await folders(root, cache) == made


async def test_a_cache_folder_that_cannot_be_made_names_the_setting(tmp_path: Path):
    root = repository(tmp_path / "project")
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match=str(tmp_path / "file")) as caught:
        await folders(root, tmp_path / "file" / "setpoint")
    assert "SETPOINT_CACHE_DIR" in caught.value.hint


async def test_a_cache_folder_that_holds_the_repository_is_refused(tmp_path: Path):
    root = repository(tmp_path / "project")
    with pytest.raises(WorkspaceError, match=r"the repository .* lies in it") as caught:
        await folders(root, tmp_path)
    assert "cache_dir" in caught.value.hint
    assert not (tmp_path / ".gitignore").exists()


async def test_git_does_not_see_a_cache_folder_inside_a_repository(tmp_path: Path):
    home = repository(tmp_path / "home")
    cache = home / ".cache" / "setpoint"
    root = repository(home / "project")
    await folders(home, cache)
    await folders(root, cache)
    assert git(home, "status", "--porcelain", "--untracked-files=all", "--", ".cache") == ""


async def test_packages_of_the_repository_and_of_a_folder_above_it_are_found_from_the_copies(
    tmp_path: Path, cache: Path
):
    root = repository(tmp_path / "group" / "project")
    made = await folders(root, cache)
    assert not os.path.lexists(made.copies / "node_modules")
    for folder in (root, root.parent):
        (folder / "node_modules").mkdir()
    await folders(root, cache)
    assert (made.copies / "node_modules").readlink() == root / "node_modules"
    assert (made.copies.parent / "node_modules").readlink() == root.parent / "node_modules"
    commit_all(root)
    (root / "node_modules").rmdir()
    await folders(root, cache)
    assert not os.path.lexists(made.copies / "node_modules")
