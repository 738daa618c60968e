"""Repositories made with the real git, and a fingerprint of everything in one."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from setpoint.model.ids import Commit
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace.state_folder import ensure_state
from setpoint.workspace.work_copy import GitWorkspace

IDENTITY = {
    **os.environ,
    "GIT_AUTHOR_NAME": "User",
    "GIT_AUTHOR_EMAIL": "user@example.org",
    "GIT_COMMITTER_NAME": "User",
    "GIT_COMMITTER_EMAIL": "user@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "protocol.file.allow",
    "GIT_CONFIG_VALUE_0": "always",
}


def git(root: Path, *argv: str, check: bool = True) -> str:
    done = subprocess.run(["git", *argv], cwd=root, env=IDENTITY, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"git {argv}: {done.stderr}")
    return done.stdout.rstrip("\n")


def commit_all(root: Path, message: str = "change") -> Commit:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return Commit(git(root, "rev-parse", "HEAD"))


def repository(root: Path, files: dict[str, str] | None = None) -> Path:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for name, text in (
        files or {"calc.py": "a = 1\n", "pkg/mod.py": "b = 2\n", ".gitignore": "*.log\nbuild/\n"}
    ).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    commit_all(root, "base")
    return root


def workspace_of(root: Path) -> GitWorkspace:
    """Give the workspace of a repository, with the copies in a folder beside it."""
    return GitWorkspace(ProjectFolders(root, ensure_state(root), root.with_name(f"{root.name}.copies")))


def fingerprint(root: Path, *, without: tuple[str, ...] = ()) -> dict[str, str]:
    """Hash every file, link and mode of a repository; objects may be added, the state directory is ours."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith((".git/objects/", ".setpoint", *without)):
            continue
        state = path.lstat()
        data = (
            os.fsencode(path.readlink()) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
        )
        found[name] = f"{state.st_mode:o} {hashlib.sha256(data).hexdigest()}"
    return found


def repository_of_ada(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository in which git knows its user by the repository's configuration alone."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(root.parent / "gitconfig"))
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    repository(root)
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    return root
