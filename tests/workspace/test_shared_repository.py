"""Snapshots and branches through a repository that several machines share, and what refuses late pushes."""

from pathlib import Path

import pytest

from setpoint.errors import RunInUse, WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import head
from setpoint.system.git.merge import newest_named
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.shared_repository import SharedForge, SharedRepository, SharedWorkspace
from workspace.repository import commit_all, git, repository

RUN = TraceId("run-1")


class Machine:
    """A clone of the shared repository on one machine."""

    def __init__(self, shared: Path, root: Path) -> None:
        git(shared.parent, "clone", "--quiet", str(shared), str(root))
        self.root, self.address = root, "origin"
        self.folders = ProjectFolders(
            root, root.with_name(f"{root.name}-state"), root.with_name(f"{root.name}-copies")
        )

    def shared(self, epoch: int) -> SharedRepository:
        return SharedRepository(self.root, self.address, RUN, epoch)

    def workspace(self, epoch: int) -> SharedWorkspace:
        return SharedWorkspace(self.folders, self.shared(epoch))

    def forge(self, epoch: int) -> SharedForge:
        return SharedForge(GitBranchForge(self.root), self.shared(epoch), "setpoint/")


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository(tmp_path / "project")), "shared.git")
    return Machine(tmp_path / "shared.git", tmp_path / "a"), Machine(tmp_path / "shared.git", tmp_path / "b")


async def test_another_machine_goes_on_from_the_newest_snapshot(machines):
    here, there = machines
    base = await head(here.root)
    workspace = here.workspace(1)
    copy = await workspace.open(RUN, base)
    (Path(copy.path) / "new.py").write_text("x = 1\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())

    taken = there.workspace(2)
    other = await taken.open(RUN, base)
    assert (Path(other.path) / "new.py").read_text() == "x = 1\n"
    assert await taken.find(other, "implement-1") == made
    assert await taken.diff(other, base, made.commit) == await workspace.diff(copy, base, made.commit)


async def test_a_base_that_only_the_other_machine_made_is_brought_with_the_run(machines):
    here, there = machines
    (here.root / "merged.py").write_text("y = 2\n")
    base = commit_all(here.root, "work of two stories, merged")
    copy = await here.workspace(1).open(RUN, base)
    await here.shared(1).send(Path(copy.repository), RUN)
    shared = there.shared(2)
    await shared.bring(there.folders, RUN, base)
    assert git(there.root, "cat-file", "-t", base) == "commit"
    other = await there.workspace(2).open(RUN, base)
    assert (Path(other.path) / "merged.py").read_text() == "y = 2\n"


async def test_who_lost_the_run_pushes_nothing_more(machines):
    here, there = machines
    base = await head(here.root)
    late = here.workspace(1)
    copy = await late.open(RUN, base)
    (Path(copy.path) / "new.py").write_text("x = 1\n")
    first = await late.snapshot(copy, "implement-1", attempt())
    taken = there.workspace(2)
    other = await taken.open(RUN, base)
    (Path(other.path) / "new.py").write_text("x = 2\n")
    await taken.snapshot(other, "implement-2", attempt())

    (Path(copy.path) / "new.py").write_text("x = 3\n")
    with pytest.raises(RunInUse, match="run-1 was taken over by another worker: nothing more"):
        await late.snapshot(copy, "implement-2", attempt())
    with pytest.raises(RunInUse):
        await here.forge(1).deliver(copy, first.commit, "setpoint/late", message="Late")
    names = git(there.root, "ls-remote", "origin")
    assert "setpoint/late" not in names
    assert names.count("refs/setpoint-leases/run-1/") == 1
    assert "refs/setpoint-leases/run-1/00000002" in names


async def test_a_holder_that_does_not_know_what_became_of_its_last_push_goes_on(machines):
    here, _ = machines
    copy = await here.workspace(1).open(RUN, await head(here.root))
    await here.shared(1).send(Path(copy.repository), RUN)
    await here.shared(1).send(Path(copy.repository), RUN)  # a new process in the same epoch
    shared = here.shared(1)
    await shared.send(Path(copy.repository), RUN)
    await here.shared(1).send(Path(copy.repository), RUN)  # its answer never reached `shared`
    await shared.send(Path(copy.repository), RUN)


async def test_two_machines_deliver_under_one_name(machines):
    here, there = machines
    base = await head(here.root)
    names = []
    for machine, epoch, text in ((here, 1, "x = 1\n"), (there, 2, "x = 2\n")):
        copy = await machine.workspace(epoch).open(TraceId(f"run-1-c{epoch}"), base)
        (Path(copy.path) / "new.py").write_text(text)
        made = await machine.workspace(epoch).snapshot(copy, "implement-1", attempt())
        names.append(await machine.forge(epoch).deliver(copy, made.commit, "setpoint/x", message="Add x"))
    assert names == ["setpoint/x", "setpoint/x-2"]
    await here.shared(3).refresh("setpoint/")
    assert git(here.root, "show", "setpoint/x-2:new.py") == "x = 2"


async def test_the_newest_commit_of_a_base_is_that_of_the_shared_repository(machines):
    here, there = machines
    (there.root / "later.py").write_text("z = 3\n")
    later = commit_all(there.root, "later")
    git(there.root, "push", "--quiet", "origin", "HEAD")
    await here.shared(0).refresh("setpoint/")
    assert newest_named(here.root, "HEAD") == later
    (here.root / "own.py").write_text("own = 4\n")
    own = commit_all(here.root, "own")
    assert newest_named(here.root, "HEAD") == own  # nobody's work is left out


async def test_a_repository_that_cannot_be_reached_is_named(machines, tmp_path):
    here, _ = machines
    copy = await here.workspace(1).open(RUN, await head(here.root))
    (tmp_path / "shared.git").rename(tmp_path / "gone.git")
    with pytest.raises(WorkspaceError, match=r"shared\.git"):
        await here.shared(1).send(Path(copy.repository), RUN)
