"""An agent's own commits are delivered as a series, whose last tree is the verified one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from setpoint.model.config.delivery import DeliverySettings
from setpoint.model.ids import TraceId
from setpoint.system.git.git import head
from setpoint.workspace.delivery import GitBranchForge
from workspace.repository import commit_all, git, repository, repository_of_ada, workspace_of
from workspace.test_users_repository import attempt

MESSAGE = "The price of 3 is wrong.\n\nGates: pass\n\nSetpoint-Run: run-1\nAssisted-by: bot (Setpoint 1)\n"
TRAILERS = "Setpoint-Run: run-1\nAssisted-by: bot (Setpoint 1)"


class Run:
    """One run whose agent works by git."""

    def __init__(self, root, workspace, copy):
        self.root, self.workspace, self.copy = root, workspace, copy
        self.place = Path(copy.path)

    def commits(self, message, **files):
        self.leaves(**files)
        return commit_all(self.place, message)

    def leaves(self, **files):
        for name, text in files.items():
            (self.place / f"{name}.py").write_text(text)

    async def ends(self, label="implement-1"):
        return await self.workspace.snapshot(self.copy, label, attempt())

    async def delivers(self, snapshot, commits="series"):
        forge = GitBranchForge(self.root, DeliverySettings(commits=commits))
        branch = await forge.deliver(self.copy, snapshot.commit, "setpoint/story", message=MESSAGE)
        assert git(self.root, "rev-parse", f"{branch}^{{tree}}") == snapshot.tree
        return branch

    def told(self, branch):
        said = git(self.root, "log", "--reverse", "--format=%s|%an|%B%x00", f"main..{branch}")
        return [each.strip().split("|", 2) for each in said.split("\0") if each.strip()]


@pytest.fixture
async def run(tmp_path, monkeypatch):
    root = repository_of_ada(tmp_path / "project", monkeypatch)
    workspace = workspace_of(root)
    return Run(root, workspace, await workspace.open(TraceId("run-1"), await head(root)))


async def test_the_agents_commits_are_delivered_as_the_users(run):
    run.commits("Add a price\n\nBecause.\n\nSetpoint-Run: forged", calc="a = 2\n")
    run.commits("Test it", test_calc="b = 1\n")

    snapshot = await run.ends()
    branch = await run.delivers(snapshot)

    first, second = run.told(branch)
    assert first[:2] == ["Add a price", "Ada"]
    assert first[2] == f"Add a price\n\nBecause.\n\n{TRAILERS}"
    assert second[2] == f"Test it\n\nGates: pass\n\n{TRAILERS}"
    assert branch.notes == ()
    assert await run.delivers(snapshot) == branch


async def test_what_is_left_uncommitted_is_one_more_commit(run):
    git(run.place, "checkout", "-qb", "work")
    run.commits("Add a price", calc="a = 2\n")
    run.leaves(calc="a = 3\n")

    branch = await run.delivers(await run.ends())

    assert [each[0] for each in run.told(branch)] == ["Add a price", "The price of 3 is wrong."]


async def test_the_commits_of_later_rounds_follow(run):
    run.commits("Add a price", calc="a = 2\n")
    await run.ends()
    run.commits("Mend the price", calc="a = 3\n")
    snapshot = await run.ends("fix-2")

    branch = await run.delivers(snapshot)

    assert [each[0] for each in run.told(branch)] == ["Add a price", "Mend the price"]


async def test_what_the_result_leaves_alone_is_in_no_commit(run):
    run.commits("Change what is protected", calc="a = 2\n", secret="KEY = 1\n")
    (run.place / "secret.py").unlink()
    git(run.place, "checkout", "-q", "HEAD~1", "--", "pkg")
    run.commits("Take it back", other="b = 1\n")

    branch = await run.delivers(await run.ends())

    assert "secret.py" not in git(run.root, "log", "--name-only", "--format=", f"main..{branch}")
    assert len(run.told(branch)) == 2


@pytest.mark.parametrize("commits", ["one", "series"])
async def test_without_own_commits_or_setting_it_is_one(run, commits):
    run.leaves(calc="a = 2\n")
    if commits == "one":
        run.commits("Mine", calc="a = 2\n")

    branch = await run.delivers(await run.ends(), commits)

    assert [each[2] for each in run.told(branch)] == [MESSAGE.strip()]


async def test_a_history_that_the_agent_wrote_anew_is_one_commit(run):
    run.commits("Add a price", calc="a = 2\n")
    git(run.place, "commit", "-q", "--amend", "-m", "Orphan", "--allow-empty")
    git(run.place, "checkout", "-q", "--orphan", "new")
    run.commits("Orphan", calc="a = 4\n")

    branch = await run.delivers(await run.ends())

    assert [each[0] for each in run.told(branch)] == ["The price of 3 is wrong."]


async def test_nothing_is_read_from_other_places_that_the_agent_names(run, tmp_path):
    other = repository(tmp_path / "other", {"calc.py": "hidden = 1\n"})
    run.commits("Add a price", calc="a = 2\n")
    lent = run.place / ".git/objects/info/alternates"
    lent.write_bytes(lent.read_bytes() + os.fsencode(f"{other}/.git/objects\n"))

    branch = await run.delivers(await run.ends())

    assert [each[0] for each in run.told(branch)] == ["The price of 3 is wrong."]
