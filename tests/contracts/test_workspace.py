"""What every Workspace does, shown on git and on the shipped fake."""

import subprocess
from pathlib import Path

import pytest

from setpoint.errors import WorkspaceError
from setpoint.model.ids import Commit, TraceId
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.testing import FolderWorkspace
from setpoint.workspace import GitWorkspace, ensure_state
from workspace.repository import attempt

RUN = TraceId("run-1")
BASE = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "pkg/deep/data.txt": "one\ntwo\n",
    "old.py": "x = 1\n",
}


@pytest.fixture(params=["git", "fake"])
def world(request, tmp_path: Path) -> tuple[GitWorkspace | FolderWorkspace, Commit]:
    if request.param == "fake":
        fake = FolderWorkspace(tmp_path / "copies", BASE)
        return fake, fake.base
    root = tmp_path / "repository"
    for name, text in BASE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in ("init -q", "add -A", "-c user.name=u -c user.email=u@u commit -q -m base"):
        subprocess.run(["git", *words.split()], cwd=root, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return GitWorkspace(ProjectFolders(root, ensure_state(root), tmp_path / "copies")), Commit(
        head.stdout.strip()
    )


def content(path: Path) -> dict[str, str]:
    return {
        each.relative_to(path).as_posix(): each.read_text()
        for each in path.rglob("*")
        if each.is_file() and ".git" not in each.relative_to(path).parts
    }


def patched(target: Path, patch: str) -> dict[str, str]:
    for name, text in BASE.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=target, check=True)
    subprocess.run(["git", "apply", "-"], cwd=target, input=patch.encode(), check=True)
    return content(target)


async def test_a_work_copy_holds_the_base(world):
    workspace, base = world
    copy = await workspace.open(RUN, base)
    assert (copy.trace_id, copy.base) == (RUN, base)
    assert content(Path(copy.path)) == BASE


async def test_a_snapshot_takes_all_that_stands_there(world):
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


async def test_a_label_is_taken_once(world):
    workspace, base = world
    copy = await workspace.open(RUN, base)
    assert await workspace.find(copy, "implement-1") is None
    (Path(copy.path) / "calc.py").write_text("first\n")
    first = await workspace.snapshot(copy, "implement-1", attempt("first"))
    (Path(copy.path) / "calc.py").write_text("second\n")
    assert await workspace.snapshot(copy, "implement-1", attempt("second")) == first
    assert await workspace.find(copy, "implement-1") == first


async def test_a_commit_of_another_work_copy_is_brought_and_stays(world):
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


async def test_no_change_is_an_empty_snapshot(world):
    workspace, base = world
    copy = await workspace.open(RUN, base)
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.empty
    assert made.commit != base
    assert made.parent == base
    assert await workspace.diff(copy, base, made.commit) == ""


async def test_the_same_content_is_the_same_tree(world):
    workspace, base = world
    copy = await workspace.open(RUN, base)
    first = await workspace.snapshot(copy, "implement-1", attempt())
    (Path(copy.path) / "calc.py").write_text("other\n")
    second = await workspace.snapshot(copy, "implement-2", attempt())
    (Path(copy.path) / "calc.py").write_text(BASE["calc.py"])
    third = await workspace.snapshot(copy, "implement-3", attempt())
    assert first.tree == third.tree != second.tree
    assert third.parent == second.commit


async def test_restoring_goes_back_and_forth(world):
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


async def test_a_snapshot_after_a_restore_stands_on_what_was_restored(world):
    workspace, base = world
    copy = await workspace.open(RUN, base)
    (Path(copy.path) / "new.py").write_text("wrong way\n")
    await workspace.snapshot(copy, "implement-1", attempt())
    await workspace.restore(copy, base)
    (Path(copy.path) / "new.py").write_text("right way\n")
    assert (await workspace.snapshot(copy, "implement-2", attempt())).parent == base


async def test_opening_again_keeps_snapshots_and_clears_what_was_not_committed(world):
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


async def test_runs_do_not_see_each_other(world):
    workspace, base = world
    one, two = await workspace.open(RUN, base), await workspace.open(TraceId("run-2"), base)
    (Path(one.path) / "calc.py").write_text("one\n")
    await workspace.snapshot(one, "implement-1", attempt())
    assert content(Path(two.path)) == BASE
    assert await workspace.find(two, "implement-1") is None


async def test_a_diff_is_a_patch_that_git_can_apply(world, tmp_path: Path):
    workspace, base = world
    copy = await workspace.open(RUN, base)
    (Path(copy.path) / "calc.py").write_text("def add(a, b):\n    return a + b")
    (Path(copy.path) / "new.py").write_text("y = 2\n")
    (Path(copy.path) / "old.py").unlink()
    made = await workspace.snapshot(copy, "implement-1", attempt())
    patch = await workspace.diff(copy, base, made.commit)
    assert patched(tmp_path / "target", patch) == content(Path(copy.path))


async def test_a_commit_that_does_not_exist_is_an_error(world):
    workspace, base = world
    copy = await workspace.open(RUN, base)
    with pytest.raises(WorkspaceError):
        await workspace.restore(copy, Commit("0" * 40))
    with pytest.raises(WorkspaceError):
        await workspace.open(TraceId("run-3"), Commit("f" * 40))
