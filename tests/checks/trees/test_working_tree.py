"""Trees as they stand that git cannot record: the path is named, with what to do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from setpoint.checks.trees import working_tree
from setpoint.checks.trees.working_tree import Standing
from setpoint.errors import WorkspaceError
from setpoint.system.git.git import Answer

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


def inside(place: Path) -> None:
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    (place / "a.txt").write_text("a")


async def record(root: Path) -> None:
    made = Standing(root, root.parent / "standing")
    with made.opened() as folder:
        await made.record(folder)


async def test_a_repository_inside_without_a_commit_is_named(root: Path) -> None:
    inside(root / "parts" / "inner")

    with pytest.raises(WorkspaceError, match=r"parts/inner: a repository without a commit") as raised:
        await record(root)
    assert ".gitignore" in raised.value.hint

    (root / ".gitignore").write_text("parts/\n")
    await record(root)


async def test_a_file_that_cannot_be_read_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = working_tree.ask

    async def denied(place, *argv, **more):
        if argv[0] == "add":  # as git answers a user who is not root
            return Answer(argv=argv, exit_code=128, stdout=b"", stderr=UNREADABLE)
        return await asked(place, *argv, **more)

    async def failed(place, *argv, **more):
        answer = await denied(place, *argv, **more)
        if not answer.ok:
            raise WorkspaceError("git add failed")
        return answer

    monkeypatch.setattr(working_tree, "ask", denied)
    monkeypatch.setattr(working_tree, "git", failed)
    with pytest.raises(WorkspaceError, match=r"keys/secret.pem: cannot be read: Permission denied"):
        await record(root)
