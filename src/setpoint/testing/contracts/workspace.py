"""What every workspace promises."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from setpoint.errors import WorkspaceError
from setpoint.model.attempt import Attempt, Stop
from setpoint.model.ids import Commit, TraceId
from setpoint.ports import Workspace
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace.state_folder import ensure_state
from setpoint.workspace.work_copy import GitWorkspace

RUN = TraceId("run-1")
BASE = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "pkg/deep/data.txt": "one\ntwo\n",
    "old.py": "x = 1\n",
}
"""The files of the base commit."""


class Opened(NamedTuple):
    """A workspace and the commit that runs start from."""

    workspace: Workspace
    base: Commit


class WorkspaceContract:
    """What every workspace does: it opens work copies, keeps snapshots and goes back to them."""

    @pytest.fixture
    def world(self, tmp_path: Path) -> Opened:
        """Make a workspace whose base commit holds `BASE`; override this."""
        raise NotImplementedError

    async def test_a_work_copy_holds_the_base(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        assert (copy.trace_id, copy.base) == (RUN, base)
        assert content(Path(copy.path)) == BASE

    async def test_a_snapshot_takes_all_that_stands_there(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        path = Path(copy.path)
        (path / "calc.py").write_text("def add(a, b):\n    return a + b\n")
        (path / "new.py").write_text("y = 2\nz = 3\n")
        (path / "old.py").unlink()
        made = await workspace.snapshot(copy, "implement-1", attempt(), ["tests/test_calc.py"])
        assert (made.label, made.parent, made.attempt) == ("implement-1", base, attempt())
        assert made.restored == ("tests/test_calc.py",)
        assert sorted(made.files) == ["calc.py", "new.py", "old.py"]
        assert (made.insertions, made.deletions) == (3, 2)
        assert not made.empty

    async def test_a_label_is_taken_once(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        assert await workspace.find(copy, "implement-1") is None
        (Path(copy.path) / "calc.py").write_text("first\n")
        first = await workspace.snapshot(copy, "implement-1", attempt("first"))
        (Path(copy.path) / "calc.py").write_text("second\n")
        assert await workspace.snapshot(copy, "implement-1", attempt("second")) == first
        assert await workspace.find(copy, "implement-1") == first

    async def test_a_commit_of_another_work_copy_is_brought_and_stays(self, world: Opened) -> None:
        workspace, base = world
        copy, other = await workspace.open(RUN, base), await workspace.open(TraceId("run-1-c2"), base)
        (Path(other.path) / "calc.py").write_text("theirs\n")
        made = await workspace.snapshot(other, "implement-1-c2", attempt())
        (Path(copy.path) / "calc.py").write_text("left over\n")
        for _ in range(2):  # a second time changes nothing
            await workspace.restore(copy, made.commit, of=other)
            assert content(Path(copy.path)) == {**BASE, "calc.py": "theirs\n"}
        diff = await workspace.diff(copy, base, made.commit)
        assert "+theirs" in diff
        again = await workspace.open(RUN, base)
        assert content(Path(again.path))["calc.py"] == "theirs\n"
        await workspace.restore(copy, base)
        (Path(copy.path) / "calc.py").write_text("mine\n")
        mine = await workspace.snapshot(copy, "implement-2", attempt())
        await workspace.restore(other, mine.commit, of=copy)
        assert content(Path(other.path))["calc.py"] == "mine\n"

    async def test_no_change_is_an_empty_snapshot(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        made = await workspace.snapshot(copy, "implement-1", attempt())
        assert made.empty
        assert made.commit != base
        assert made.parent == base
        assert await workspace.diff(copy, base, made.commit) == ""

    async def test_the_same_content_is_the_same_tree(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        first = await workspace.snapshot(copy, "implement-1", attempt())
        (Path(copy.path) / "calc.py").write_text("other\n")
        second = await workspace.snapshot(copy, "implement-2", attempt())
        (Path(copy.path) / "calc.py").write_text(BASE["calc.py"])
        third = await workspace.snapshot(copy, "implement-3", attempt())
        assert first.tree == third.tree != second.tree
        assert third.parent == second.commit

    async def test_restoring_goes_back_and_forth(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        (Path(copy.path) / "old.py").unlink()
        (Path(copy.path) / "new.py").write_text("new\n")
        made = await workspace.snapshot(copy, "implement-1", attempt())
        after = content(Path(copy.path))
        await workspace.restore(copy, base)
        assert content(Path(copy.path)) == BASE
        await workspace.restore(copy, made.commit)
        assert content(Path(copy.path)) == after

    async def test_a_snapshot_after_a_restore_stands_on_what_was_restored(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        (Path(copy.path) / "new.py").write_text("wrong way\n")
        await workspace.snapshot(copy, "implement-1", attempt())
        await workspace.restore(copy, base)
        (Path(copy.path) / "new.py").write_text("right way\n")
        assert (await workspace.snapshot(copy, "implement-2", attempt())).parent == base

    async def test_what_is_kept_stays_uncommitted(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        (Path(copy.path) / "new.py").write_text("first\n")
        kept = await workspace.snapshot(copy, "implement-1.broke-1", attempt(), stay=True)
        assert (kept.parent, kept.files, content(Path(copy.path))["new.py"]) == (base, ("new.py",), "first\n")
        assert await workspace.find(copy, "implement-1.broke-1") == kept
        (Path(copy.path) / "new.py").write_text("second\n")
        assert await workspace.snapshot(copy, "implement-1.broke-1", attempt(), stay=True) == kept
        made = await workspace.snapshot(copy, "implement-1", attempt())
        assert (made.parent, made.files) == (base, ("new.py",))
        assert made.tree != kept.tree

    async def test_what_is_shown_stays_uncommitted(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        (Path(copy.path) / "new.py").write_text("first\n")
        (Path(copy.path) / "old.py").unlink()
        kept = await workspace.snapshot(copy, "implement-1.broke-1", attempt(), stay=True)
        after = content(Path(copy.path))
        await workspace.restore(copy, base)
        assert content(Path(copy.path)) == BASE
        await workspace.restore(copy, base, shows=kept.commit)
        assert content(Path(copy.path)) == after
        made = await workspace.snapshot(copy, "implement-1", attempt())
        assert (made.parent, made.tree, made.files) == (base, kept.tree, kept.files)

    async def test_opening_again_keeps_snapshots_and_clears_what_was_not_committed(
        self, world: Opened
    ) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        (Path(copy.path) / "calc.py").write_text("kept\n")
        made = await workspace.snapshot(copy, "implement-1", attempt())
        (Path(copy.path) / "calc.py").write_text("half of an attempt\n")
        (Path(copy.path) / "rubbish.py").write_text("half\n")
        again = await workspace.open(RUN, base)
        assert again == copy
        assert await workspace.find(again, "implement-1") == made
        assert content(Path(copy.path)) == {**BASE, "calc.py": "kept\n"}

    async def test_runs_do_not_see_each_other(self, world: Opened) -> None:
        workspace, base = world
        one, two = await workspace.open(RUN, base), await workspace.open(TraceId("run-2"), base)
        (Path(one.path) / "calc.py").write_text("one\n")
        await workspace.snapshot(one, "implement-1", attempt())
        assert content(Path(two.path)) == BASE
        assert await workspace.find(two, "implement-1") is None

    async def test_a_diff_is_a_patch_that_git_can_apply(self, world: Opened, tmp_path: Path) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        (Path(copy.path) / "calc.py").write_text("def add(a, b):\n    return a + b")
        (Path(copy.path) / "new.py").write_text("y = 2\n")
        (Path(copy.path) / "old.py").unlink()
        made = await workspace.snapshot(copy, "implement-1", attempt())
        patch = await workspace.diff(copy, base, made.commit)
        assert patched(tmp_path / "target", patch) == content(Path(copy.path))

    async def test_a_commit_that_does_not_exist_is_an_error(self, world: Opened) -> None:
        workspace, base = world
        copy = await workspace.open(RUN, base)
        with pytest.raises(WorkspaceError):
            await workspace.restore(copy, Commit("0" * 40))
        with pytest.raises(WorkspaceError):
            await workspace.open(TraceId("run-3"), Commit("f" * 40))


def content(path: Path) -> dict[str, str]:
    """Return the files of a folder by path, git's own left aside."""
    return {
        each.relative_to(path).as_posix(): each.read_text()
        for each in path.rglob("*")
        if each.is_file() and ".git" not in each.relative_to(path).parts
    }


def patched(target: Path, patch: str) -> dict[str, str]:
    """Apply a patch to `BASE` with git, and return the files."""
    for name, text in BASE.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=target, check=True)
    subprocess.run(["git", "apply", "-"], cwd=target, input=patch.encode(), check=True)
    return content(target)


def attempt(text: str = "done") -> Attempt:
    """Return an attempt that a snapshot may record."""
    return Attempt(
        agent="scripted",
        stop=Stop.END_TURN,
        text=text,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        duration_s=1.0,
    )


def git_world(folder: Path, files: Mapping[str, str] = BASE) -> Opened:
    """Make a git repository in `folder / "repository"` with one commit, and the workspace of it."""
    root = folder / "repository"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in ("init -q", "add -A", "-c user.name=u -c user.email=u@u commit -q -m base"):
        subprocess.run(["git", *words.split()], cwd=root, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    folders = ProjectFolders(root, ensure_state(root), folder / "copies")
    return Opened(GitWorkspace(folders), Commit(head.stdout.strip()))
