"""Fixes are delivered as a commit each, on one branch of their run."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.model.ids import TraceId
from setpoint.system.git.git import head
from setpoint.workspace.delivery import GitBranchForge
from workspace.repository import commit_all, git, repository_of_ada, workspace_of
from workspace.test_users_repository import attempt


@pytest.fixture
async def states(tmp_path, monkeypatch):
    """Give the user's root, a work copy, and the commits of a result and of two fixes on top of it."""
    root = repository_of_ada(tmp_path / "project", monkeypatch)
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), await head(root))
    made = []
    for name in ("result", "one", "two"):
        (Path(copy.path) / f"{name}.py").write_text(f"{name} = 1\n")
        made.append((await workspace.snapshot(copy, name, attempt())).commit)
    await GitBranchForge(root).deliver(copy, made[0], "a", message="The wish\n\nSetpoint-Run: run-1\n")
    return root, copy, made


async def add(states, number):
    root, copy, made = states
    titles = ("The wish", f"Fix: {number}\nof many")
    return await GitBranchForge(root).add_commit(
        copy, (made[number - 1], made[number]), titles, "a-fixes", "a"
    )


def subjects(root, *commits):
    return git(root, "log", "--format=%s", *commits).splitlines()


async def test_each_fix_is_a_commit_on_top_of_those_before_it_once(states):
    root, *_ = states
    assert [await add(states, number) for number in (1, 1, 2, 2)] == ["a-fixes"] * 4
    assert subjects(root, "a..a-fixes") == ["Fix: 2 of many", "Fix: 1 of many"]
    assert git(root, "rev-parse", "a-fixes~2") == git(root, "rev-parse", "a")
    assert git(root, "show", "a-fixes:two.py") == "two = 1"
    assert (
        git(root, "log", "-1", "--format=%(trailers:key=Setpoint-Run)", "a-fixes").strip()
        == "Setpoint-Run: run-1"
    )


async def test_without_the_branch_before_it_a_fix_comes_with_all_that_it_rests_on(states):
    root, *_ = states
    git(root, "branch", "-D", "a")
    assert await add(states, 2) == "a-fixes"
    assert subjects(root, "main..a-fixes") == ["Fix: 2 of many", "The wish"]
    assert git(root, "show", "a-fixes:one.py") == "one = 1"


async def test_what_a_person_committed_is_left_alone(states):
    root, *_ = states
    await add(states, 1)
    git(root, "switch", "-q", "a-fixes")
    (root / "own.py").write_text("own = 1\n")
    own = commit_all(root, "Mine")
    git(root, "switch", "-q", "main")
    assert await add(states, 2) == "a-fixes-2"
    assert git(root, "rev-parse", "a-fixes") == own
    assert git(root, "show", "a-fixes-2:one.py") == "one = 1"
