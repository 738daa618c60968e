"""A place for measuring: what tests do to the repository they find there reaches nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from checks.conftest import git, write
from setpoint.checks.trees.checkout import put_at, remove
from setpoint.model.ids import Commit, TraceId
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import files_at, head
from setpoint.system.git.git import git as asked
from setpoint.system.git.separate_repository import named, repository_apart


class User(NamedTuple):
    """A user's repository with two commits, and work that is in neither."""

    root: Path
    place: Path
    first: Commit
    second: Commit


@pytest.fixture
def user(tmp_path: Path) -> User:
    root = tmp_path / "user"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, {"a.txt": "one\n"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    git(root, "tag", "v1.0")
    first = Commit(git(root, "rev-parse", "HEAD"))
    write(root, {"a.txt": "two\n"})
    git(root, "commit", "-qam", "second")
    second = Commit(git(root, "rev-parse", "HEAD"))
    write(root, {"a.txt": "mine, not committed\n", "notes.txt": "untracked\n"})
    return User(root, root.with_name("copies") / "measured" / "run-1" / "user", first, second)


async def test_a_place_that_names_the_users_tree_writes_nothing_there(user: User):
    await put_at(user.place, user.root, user.first)
    git(user.place, "config", "core.worktree", str(user.root))

    await put_at(user.place, user.root, user.second)

    assert (user.root / "a.txt").read_text("utf-8") == "mine, not committed\n"
    assert (user.root / "notes.txt").is_file()
    assert (user.place / "a.txt").read_text("utf-8") == "two\n"


async def test_a_filter_that_tests_put_there_is_not_run(user: User, tmp_path: Path):
    await put_at(user.place, user.root, user.first)
    git(user.place, "config", "filter.x.smudge", f"touch {tmp_path / 'ran'}; cat")
    (user.place / ".git" / "info").mkdir(exist_ok=True)
    (user.place / ".git" / "info" / "attributes").write_text("* filter=x\n", "utf-8")

    await put_at(user.place, user.root, user.second)

    assert not (tmp_path / "ran").exists()
    assert not (user.place / ".git" / "info" / "attributes").exists()


async def test_no_object_that_tests_put_in_place_of_another_is_read(user: User):
    await put_at(user.place, user.root, user.first)
    git(user.place, "replace", user.second, user.first)

    await put_at(user.place, user.root, user.second)

    assert (user.place / "a.txt").read_text("utf-8") == "two\n"
    assert await head(user.place) == user.second


async def test_replacements_in_the_users_repository_are_left_aside(user: User):
    git(user.root, "replace", user.second, user.first)

    assert (await asked(user.root, "show", f"{user.second}:a.txt")).text == "two"


@pytest.mark.parametrize("left", ["link", "nothing", "file"])
async def test_a_place_that_tests_took_away_is_made_again(user: User, left: str):
    await put_at(user.place, user.root, user.first)
    if left == "file":
        shutil.rmtree(user.place / ".git")
        (user.place / ".git").write_text(f"gitdir: {user.root / '.git'}\n", "utf-8")
    else:
        shutil.rmtree(user.place)
    if left == "link":
        user.place.symlink_to(user.root)

    await put_at(user.place, user.root, user.second)

    assert (user.root / "a.txt").read_text("utf-8") == "mine, not committed\n"
    assert (user.root / "notes.txt").is_file()
    assert (user.place / "a.txt").read_text("utf-8") == "two\n"
    assert not user.place.is_symlink()


async def test_tests_find_a_repository_that_they_can_use(user: User):
    await put_at(user.place, user.root, user.second)

    assert git(user.place, "rev-parse", "HEAD") == user.second
    assert git(user.place, "status", "--porcelain") == ""
    assert git(user.place, "describe", "--tags").startswith("v1.0-1-g")
    write(user.place, {"new.txt": "by a test\n"})
    git(user.place, "add", "-A")
    git(user.place, "commit", "-qm", "a test's own")
    assert git(user.place, "fsck") == ""

    await put_at(user.place, user.root, user.first)

    assert git(user.place, "rev-parse", "HEAD") == user.first
    assert git(user.place, "status", "--porcelain") == ""
    assert not (user.place / "new.txt").exists()


async def test_questions_about_a_place_are_answered_by_the_repository_apart(user: User):
    await put_at(user.place, user.root, user.first)
    shutil.rmtree(user.place / ".git")

    assert await files_at(user.place, user.second) == ("a.txt",)
    assert await head(user.place) == user.first


async def test_with_the_place_its_repository_goes(user: User):
    await put_at(user.place, user.root, user.first)
    assert repository_apart(user.place).is_dir()

    remove(ProjectFolders(user.root, user.root, user.place.parents[2]), TraceId("run-1"))

    assert not user.place.exists()
    assert not repository_apart(user.place).exists()


@pytest.mark.parametrize("root", ["/", "/app", "/srv/app", "."])
def test_a_project_wherever_it_lies_is_no_place(root: str):
    assert named(root) == {}


async def test_a_place_in_a_shallow_clone(user: User, tmp_path: Path):
    git(tmp_path, "clone", "-q", "--depth", "1", user.root.as_uri(), "shallow")

    await put_at(user.place, tmp_path / "shallow", user.second)

    assert (user.place / "a.txt").read_text("utf-8") == "two\n"
    assert git(user.place, "log", "--format=%s") == "second"
    assert git(user.place, "status", "--porcelain") == ""


async def test_a_place_at_a_commit_whose_files_a_partial_clone_lacks(user: User, tmp_path: Path):
    git(user.root, "config", "uploadpack.allowFilter", "true")
    git(user.root, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", user.root.as_uri(), "partial")

    await put_at(user.place, tmp_path / "partial", user.first)

    assert (user.place / "a.txt").read_text("utf-8") == "one\n"
