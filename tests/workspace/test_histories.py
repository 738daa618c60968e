"""What can be read of the user's repository with git from a work copy, and from a place for measuring."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from setpoint.checks.trees.checkout import put_at, repository_of
from setpoint.model.ids import Commit, TraceId
from setpoint.system.git import history
from setpoint.system.git.git import head
from setpoint.system.git.history import FOLDER, LENDERS, UNUSED_S
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.work_copy import GitWorkspace
from workspace.repository import commit_all, git, repository, workspace_of

RUN, OTHER = TraceId("run-1"), TraceId("run-2")
ALL_OBJECTS = ("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")


def readable(place: Path) -> set[str]:
    """List every object that git can read there, reachable or not."""
    return set(git(place, *ALL_OBJECTS).split())


def reachable(root: Path, *commits: str) -> set[str]:
    return {line.split()[0] for line in git(root, "rev-list", "--objects", *commits).splitlines()}


def blob(root: Path, text: str) -> str:
    (root.parent / "asked").write_text(text)
    return git(root, "hash-object", str(root.parent / "asked"))


def complaints(place: Path) -> str:
    done = subprocess.run(["git", "fsck", "--full"], cwd=place, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def lent(place: Path) -> list[Path]:
    """Follow the chain of repositories whose objects git reads there."""
    found, left = [], [place / ".git" / "objects"]
    while left:
        file = left.pop() / "info" / "alternates"
        named = [Path(line) for line in file.read_text().splitlines()] if file.is_file() else []
        found += named
        left += named
    return found


def with_secrets(root: Path) -> Commit:
    """Put what must not be read into a repository, everywhere git keeps it; gives the base."""
    base = Commit(git(root, "rev-parse", "HEAD"))
    git(root, "tag", "-a", "-m", "first", "v1.0")
    git(root, "branch", "older")
    for name, words in (("solution", ("branch", "solution")), ("tagged", ("tag", "v2.0"))):
        (root / "calc.py").write_text(f"a = {name!r}\n")
        commit_all(root, name)
        git(root, *words)
        git(root, "reset", "-q", "--hard", base)
    (root / "calc.py").write_text("a = 'stashed'\n")
    git(root, "stash")
    (root / "calc.py").write_text("a = 'staged'\n")
    git(root, "add", "-A")
    git(root, "reset", "-q", "--hard", base)
    return base


SECRETS = ("solution", "tagged", "stashed", "staged")


def assert_only(place: Path, root: Path, allowed: Iterable[str], known: Iterable[str] = SECRETS) -> None:
    secrets = {blob(root, f"a = {name!r}\n") for name in known}
    assert secrets <= readable(root), "the repository holds what is looked for"
    assert readable(place) == set(allowed)
    assert set(git(place, "rev-list", "--all", "--objects", "--format=").split("\n")) & secrets == set()
    assert complaints(place) == ""
    for objects in lent(place):
        assert objects.parent.parent.name == FOLDER, "nothing is borrowed but histories"


async def test_a_work_copy_holds_the_history_of_its_base_and_nothing_else(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = with_secrets(root)
    workspace = workspace_of(root)

    copy = await workspace.open(RUN, base)
    place = Path(copy.path)

    tag = git(root, "rev-parse", "v1.0")
    assert_only(place, root, {*reachable(root, base), tag})
    assert git(place, "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/main",
        "refs/heads/older",
        "refs/tags/v1.0",
    ]
    assert git(place, "describe") == "v1.0"

    (place / "calc.py").write_text("a = 'mine'\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())

    own = reachable(Path(copy.repository), made.commit)
    assert_only(place, root, {*own, tag})
    assert git(place, "show", "HEAD:calc.py") == "a = 'mine'"
    assert git(place, "diff", "--name-only", base, "HEAD") == "calc.py"
    name = await GitBranchForge(root).deliver(copy, made.commit, "setpoint/story", message="m")
    assert git(root, "show", f"{name}:calc.py") == "a = 'mine'"


async def test_a_place_for_measuring_holds_its_commit_and_the_history_of_the_base(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = with_secrets(root)
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, base)
    made = []
    for number in (1, 2):
        (Path(copy.path) / "calc.py").write_text(f"a = {number + 10}\n")
        made.append(await workspace.snapshot(copy, f"implement-{number}", attempt()))
        await workspace.restore(copy, base)
    place = tmp_path / "project.copies" / "measured" / RUN / "project"

    for each in (made[0].commit, made[1].commit, base):
        await put_at(place, repository_of(copy), each)

        allowed = reachable(Path(copy.repository), each)
        assert_only(place, root, {*allowed, git(root, "rev-parse", "v1.0")})
        assert git(place, "status", "--porcelain") == ""


async def test_what_other_candidates_made_cannot_be_read(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = await head(root)
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, base)
    made = []
    for number in (1, 2):
        apart = await workspace.open(TraceId(f"run-1-candidate-{number}"), base)
        (Path(apart.path) / "calc.py").write_text(f"a = 'candidate {number}'\n")
        made.append(await workspace.snapshot(apart, "implement-1", attempt()))
        await workspace.restore(copy, made[-1].commit, of=apart)  # as in a contest: all are measured here

    await workspace.restore(copy, made[0].commit)

    place, store = Path(copy.path), Path(copy.repository)
    assert readable(place) == reachable(store, made[0].commit)
    assert blob(root, "a = 'candidate 2'\n") in readable(store)
    assert git(place, "log", "--format=%s", "-1") == "setpoint: implement-1"


async def test_who_begins_at_the_base_cannot_read_who_was_there_before(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    place = Path(copy.path)
    for words in (("stash",), ("commit", "-qam", "hidden")):
        (place / "calc.py").write_text(f"a = 'designed, {words[0]}'\n")
        git(place, *words)
    git(place, "reset", "-q", "--hard", copy.base)
    assert len(readable(place)) > len(reachable(root, copy.base))

    await workspace.restore(copy, copy.base)

    assert readable(place) == reachable(root, copy.base)
    assert git(place, "stash", "list") == git(place, "reflog") == ""


async def test_work_from_an_older_base_cannot_read_what_came_later(tmp_path: Path):
    root = repository(tmp_path / "project")
    older = await head(root)
    (root / "calc.py").write_text("a = 'solved'\n")
    newer = commit_all(root, "the solution, delivered and merged")
    workspace = workspace_of(root)

    later = await workspace.open(RUN, newer)
    copy = await workspace.open(OTHER, older)

    assert readable(Path(copy.path)) == reachable(root, older)
    assert_only(Path(copy.path), root, reachable(root, older), ["solved"])
    assert readable(Path(later.path)) == reachable(root, newer)


async def test_a_newer_history_borrows_from_an_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(history, "MOST_LENDERS", 7)  # git follows a chain of five
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    for number in range(10):
        (root / "calc.py").write_text(f"a = {number}\n")
        base = commit_all(root)
        git(root, "tag", "-a", "-m", "note", f"v{number}")
        copy = await workspace.open(TraceId(f"run-{number}"), base)

        assert readable(Path(copy.path)) == reachable(root, base, "--tags")
        assert complaints(Path(copy.path)) == ""
        assert len(lent(Path(copy.path))) == len(set(lent(Path(copy.path)))) <= 7

    first, *others = (tmp_path / "project.copies" / FOLDER).glob("*.git")
    assert len([each for each in (first, *others) if not (each / LENDERS).read_bytes()]) == 1


async def test_a_history_whose_lender_was_deleted_is_made_again(tmp_path: Path):
    root = repository(tmp_path / "project")
    older, workspace = await head(root), workspace_of(root)
    await workspace.open(OTHER, older)
    (root / "calc.py").write_text("a = 2\n")
    base = commit_all(root)
    copy = await workspace.open(RUN, base)
    shutil.rmtree(tmp_path / "project.copies" / FOLDER / f"{older}.git")

    assert await workspace.open(RUN, base) == copy

    assert readable(Path(copy.path)) == reachable(root, base)
    assert complaints(Path(copy.path)) == ""


async def test_tags_made_later_at_a_known_commit_are_found(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = await head(root)
    workspace = workspace_of(root)
    first = await workspace.open(RUN, base)
    git(root, "tag", "-a", "-m", "release", "v3.0")

    copy = await workspace.open(OTHER, base)

    assert git(Path(copy.path), "describe") == "v3.0"
    assert git(Path(first.path), "tag") == "", "a run keeps the names it began with"


async def test_a_work_copy_that_borrowed_everything_does_so_no_more_when_it_is_resumed(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = with_secrets(root)
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, base)
    place, store = Path(copy.path), Path(copy.repository)
    (place / "calc.py").write_text("a = 'mine'\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    # As earlier versions laid it out.
    (place / ".git" / "objects" / "info" / "alternates").write_text(f"{store / 'objects'}\n")
    shutil.copyfile(store / "packed-refs", place / ".git" / "packed-refs")
    for file in (place / ".git" / "objects" / "pack").iterdir():
        file.unlink()
    for noted in store.glob("setpoint-*"):
        noted.unlink()
    git(store, "update-ref", "-d", "refs/setpoint-state/base")
    assert blob(root, "a = 'solution'\n") in readable(place)

    again = await workspace_of(root).open(RUN, base)

    assert again == copy
    assert_only(place, root, {*reachable(store, made.commit), git(root, "rev-parse", "v1.0")})


async def test_many_runs_that_begin_at_once_make_one_history(tmp_path: Path):
    root = repository(tmp_path / "project")
    base = with_secrets(root)

    copies = await asyncio.gather(
        *(GitWorkspace(workspace_of(root)._folders).open(TraceId(f"run-{n}"), base) for n in range(4))
    )

    for copy in copies:
        assert complaints(Path(copy.path)) == ""
    assert len(list((tmp_path / "project.copies" / FOLDER).iterdir())) == 1


async def test_a_shallow_clone_that_gets_its_whole_history_between_two_runs(tmp_path: Path):
    origin = repository(tmp_path / "origin")
    for number in range(3):
        (origin / "calc.py").write_text(f"a = {number}\n")
        commit_all(origin, f"change {number}")
    git(tmp_path, "clone", "-q", "--depth", "2", origin.as_uri(), "shallow")
    root = tmp_path / "shallow"
    workspace = workspace_of(root)
    first = await workspace.open(RUN, await head(root))
    assert len(git(Path(first.path), "log", "--format=%h").splitlines()) == 2

    git(root, "fetch", "-q", "--unshallow")
    (root / "calc.py").write_text("a = 9\n")
    base = commit_all(root, "one more")
    second = await workspace.open(OTHER, base)

    for copy, count in ((first, 2), (second, 3)):
        assert complaints(Path(copy.path)) == ""
        assert len(git(Path(copy.path), "log", "--format=%h").splitlines()) == count


async def test_histories_go_when_nobody_asked_for_them_in_a_long_time(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    bases = [await head(root)]
    for number in range(2):
        (root / "calc.py").write_text(f"a = {number + 5}\n")
        bases.append(commit_all(root))
    git(root, "checkout", "-q", "--orphan", "apart")
    bases.append(commit_all(root, "another root"))
    for number, base in enumerate(bases[:2]):
        await workspace.open(TraceId(f"run-{number}"), base)
    await workspace.open(TraceId("run-apart"), bases[3])
    folder = tmp_path / "project.copies" / FOLDER
    for path in (*folder.glob("*.git/setpoint-ready"), *folder.glob("*.git")):
        os.utime(path, (path.stat().st_mtime - UNUSED_S - 9,) * 2)
    os.utime(folder / f"{bases[1]}.git" / "setpoint-ready")

    await workspace.open(TraceId("run-2"), bases[2])

    left = {path.name.removesuffix(".git") for path in folder.iterdir()}
    assert left == {*bases[:3]}, "the first lends to the second, which is in use"


@pytest.mark.parametrize("name", ["pro:ject", 'pro"ject'])
async def test_paths_that_git_reads_otherwise(tmp_path: Path, name: str):
    root = repository(tmp_path / name)
    copy = await workspace_of(root).open(RUN, await head(root))

    assert git(Path(copy.path), "log", "--format=%s") == "base"
