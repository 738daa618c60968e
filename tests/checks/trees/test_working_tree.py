"""Trees as they stand that git cannot record: the path is named, with what to do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from setpoint.checks.trees.working_tree import TreeRecorder
from setpoint.errors import WorkspaceError
from setpoint.system.git import stage
from setpoint.system.git.git import Answer, git

UNREADABLE = b"""error: open("keys/secret.pem"): Permission denied
error: unable to index file 'keys/secret.pem'
fatal: adding files failed
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    words = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost")
    for more in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "base")):
        subprocess.run([*words, *more], cwd=root, check=True)
    return root


def commit(root: Path) -> None:
    words = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost")
    for more in (("add", "-A"), ("commit", "-q", "-m", "more")):
        subprocess.run([*words, *more], cwd=root, check=True)


def inside(place: Path) -> None:
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    (place / "a.txt").write_text("a")


async def record(root: Path) -> list[str]:
    made = TreeRecorder(root, root.parent / "standing")
    with made.opened() as folder:
        _, tree = await made.record(folder)
        objects = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(folder / "objects")}
        return (await git(root, "ls-tree", "-r", "--name-only", tree, environment=objects)).text.split("\n")


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")


async def test_a_repository_inside_without_a_commit_is_named(root: Path) -> None:
    inside(root / "parts" / "inner")

    with pytest.raises(WorkspaceError, match=r"parts/inner: a repository without a commit") as raised:
        await record(root)
    assert ".gitignore" in raised.value.hint

    (root / ".gitignore").write_text("parts/\n")
    await record(root)


async def test_a_file_that_cannot_be_read_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stage.ask

    async def denied(place, *argv, **more):
        if argv[0] == "add":  # as git answers a user who is not root
            return Answer(argv=argv, exit_code=128, stdout=b"", stderr=UNREADABLE)
        return await asked(place, *argv, **more)

    monkeypatch.setattr(stage, "ask", denied)
    with pytest.raises(WorkspaceError, match=r"keys/secret.pem: cannot be read: Permission denied"):
        await record(root)


ENVIRONMENTS = (
    "venv/pyvenv.cfg",
    "venv/lib/site.py",
    "api/web/node_modules/left/index.js",
    ".tox/py/a.py",
    "api/.nox/py/a.py",
    "conda/conda-meta/history",
    "conda/lib/a.py",
)


async def test_environments_are_left_out(root: Path) -> None:
    write(root, "app.py", "api/app.py", "api/web/app.js", *ENVIRONMENTS)

    assert await record(root) == ["api/app.py", "api/web/app.js", "app.py"]
    write(root, "venv/lib/later.py", "app2.py")
    assert await record(root) == ["api/app.py", "api/web/app.js", "app.py", "app2.py"]


async def test_an_environment_made_around_recorded_files_takes_them_out(root: Path) -> None:
    write(root, "app.py", "venv/lib/site.py")
    assert await record(root) == ["app.py", "venv/lib/site.py"]

    write(root, "venv/pyvenv.cfg")
    assert await record(root) == ["app.py"]


async def test_a_folder_with_committed_files_is_part_of_the_project(root: Path) -> None:
    write(root, "node_modules/own/index.js", "env/pyvenv.cfg")
    commit(root)
    write(root, "node_modules/own/more.js", "env/lib.py", "pyvenv.cfg")
    (root / "node_modules/own/index.js").write_text("changed")

    more = ["env/lib.py", "env/pyvenv.cfg", "node_modules/own/index.js", "node_modules/own/more.js"]
    assert await record(root) == [*more, "pyvenv.cfg"]


@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude", "global"])
async def test_a_file_that_is_ignored_later_leaves_unless_it_is_committed(
    root: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "old.log")
    commit(root)
    write(root, "app.py", "new.log", "logs/a.txt")
    assert await record(root) == ["app.py", "logs/a.txt", "new.log", "old.log"]

    if place == "global":
        monkeypatch.setenv("XDG_CONFIG_HOME", str(root.parent / "config"))
    rules = root.parent / "config/git/ignore" if place == "global" else root / place
    rules.parent.mkdir(parents=True, exist_ok=True)
    rules.write_text("*.log\nlogs/\n.gitignore\n")
    assert await record(root) == ["app.py", "old.log"]
    rules.unlink()
    assert await record(root) == ["app.py", "logs/a.txt", "new.log", "old.log"]
