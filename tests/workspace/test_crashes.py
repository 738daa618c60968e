"""Setpoint killed at any moment: the next `open` goes on from what is there."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from setpoint.model.ids import TraceId
from setpoint.system.git.git import head
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.state_folder import ensure_state
from workspace.repository import git, repository, workspace_of

RUN = TraceId("run-1")
WORK = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from setpoint.model.attempt import Attempt, Stop
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace.work_copy import GitWorkspace
from setpoint.workspace.state_folder import ensure_state

async def main():
    root, base = Path(sys.argv[1]), sys.argv[2]
    done = Attempt(agent="a", stop=Stop.END_TURN, started_at=datetime(2026, 1, 1, tzinfo=UTC), duration_s=1.0)
    workspace = GitWorkspace(ProjectFolders(root, ensure_state(root), root.with_name(f"{root.name}.copies")))
    print("go", flush=True)
    copy = await workspace.open("run-1", base)
    for number in range(1, 100):
        label = f"implement-{number}"
        if await workspace.find(copy, label) is None:
            (Path(copy.path) / "calc.py").write_text(f"a = {number}\\n")
            await workspace.snapshot(copy, label, done)
            print(label, flush=True)
        await workspace.restore(copy, base)

asyncio.run(main())
"""


async def test_killed_again_and_again_it_loses_no_snapshot(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = await head(root)
    seen: list[str] = []
    for labels, delay_s in ((0, 0.005), (0, 0.04), (1, 0.015), (2, 0.03)):
        child = subprocess.Popen(  # noqa: ASYNC220 - it is watched from outside, as a dying process is
            [sys.executable, "-c", WORK, str(root), base], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "go\n"
        seen += [child.stdout.readline().strip() for _ in range(labels)]
        time.sleep(delay_s)  # noqa: ASYNC251 - the moment of death
        os.kill(child.pid, signal.SIGKILL)
        seen += child.stdout.read().split()
        child.stdout.close()
        child.wait()
    assert len(seen) >= 3, "the last two were killed after they had told of a snapshot"
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, base)
    assert len(seen) == len(set(seen)), "a snapshot was made twice"
    for label in seen:
        found = await workspace.find(copy, label)
        assert found is not None
        assert (
            git(Path(copy.repository), "show", f"{found.commit}:calc.py")
            == f"a = {label.removeprefix('implement-')}"
        )
    await workspace.restore(copy, base)
    assert git(Path(copy.path), "status", "--porcelain") == ""
    assert git(root, "status", "--porcelain") == ""


async def test_an_unfinished_clone_is_made_anew(tmp_path: Path):
    root = repository(tmp_path / "project")
    state = ensure_state(root)
    rubbish = state / "snapshots" / ".run-1.git.x1y2.part"
    (rubbish / "objects").mkdir(parents=True)
    (rubbish / "HEAD").write_text("half")
    copy = await workspace_of(root).open(RUN, await head(root))
    assert not rubbish.exists()
    assert (Path(copy.path) / "calc.py").read_text() == "a = 1\n"


@pytest.mark.parametrize("lost", ["the marker", "the files", "the index"])
async def test_a_checkout_that_was_interrupted_is_finished(tmp_path: Path, lost: str):
    import shutil

    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    path = Path(copy.path)
    vault = Path(copy.repository)
    if lost == "the marker":
        git(vault, "update-ref", "-d", "refs/setpoint-state/current")
        (path / "calc.py").unlink()
    elif lost == "the files":
        shutil.rmtree(path)
    else:
        (vault / "index").unlink()
    assert await workspace.open(RUN, copy.base) == copy
    assert (path / "calc.py").read_text() == "a = 1\n"
    assert (await workspace.snapshot(copy, "implement-1", attempt())).empty


async def test_locks_left_behind_are_removed(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    vault = Path(copy.repository)
    for lock in (vault / "index.lock", vault / "packed-refs.lock", Path(copy.path) / ".git" / "index.lock"):
        lock.touch()
    (vault / "refs" / "setpoint-state" / "current.lock").touch()
    (Path(copy.path) / "calc.py").write_text("a = 9\n")
    await workspace.open(RUN, copy.base)
    (Path(copy.path) / "calc.py").write_text("a = 9\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == ("calc.py",)
    assert git(Path(copy.path), "status", "--porcelain") == ""


async def test_what_open_salvaged_is_recalled_once_and_uncommitted(tmp_path):
    root = repository(tmp_path / "project")
    copy = await workspace_of(root).open(RUN, await head(root))
    place = Path(copy.path)
    (place / "new.txt").write_text("half\n")
    again = workspace_of(root)
    assert await again.open(RUN, copy.base) == copy
    again = workspace_of(root)  # ended once more before it recalled anything
    await again.open(RUN, copy.base)
    assert not (place / "new.txt").exists()
    assert (await again.recall(copy), await again.recall(copy)) == (True, False)
    assert (place / "new.txt").read_text() == "half\n"
    kept = await again.snapshot(copy, "implement-1", attempt())
    assert (kept.parent, kept.files) == (copy.base, ("new.txt",))
