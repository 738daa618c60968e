"""The state of a working tree as one short text, from a single look of git: for answers within 0.3 seconds.

Two equal signatures mean an equal tree; a tree that was changed and changed back has another one.
"""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from setpoint.errors import WorkspaceError

_LIMIT_S = 30.0
_FIELDS = {b"1": 8, b"u": 10, b"?": 1, b"!": 1}
"""Fields before the path in a line of `git status --porcelain=v2`, by its first field."""


@dataclass(frozen=True, kw_only=True)
class TreeLook:
    """A working tree at one moment."""

    root: Path
    """Its top folder."""
    git_dir: Path
    """Where git keeps what belongs to this work tree alone."""
    head: str
    """The commit that is checked out."""
    signature: str
    """Differs whenever a file of the tree was written."""


def look(where: Path) -> TreeLook:
    """Look at the working tree that a folder lies in.

    Raises `WorkspaceError` where there is none, or no commit.
    """
    named = _git(where, "rev-parse", "--show-toplevel", "--absolute-git-dir", "HEAD").decode(
        "utf-8", "surrogateescape"
    )
    root, git_dir, head = named.splitlines()
    words = (
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=none",
    )
    listed = _git(Path(root), *words)
    digest = hashlib.sha256(head.encode() + b"\0" + listed)
    for line in listed.split(b"\0"):
        kind = line[:1]
        if kind in _FIELDS:
            path = line.split(b" ", _FIELDS[kind])[-1].decode("utf-8", "surrogateescape")
            digest.update(_stat(Path(root) / path))
    return TreeLook(root=Path(root), git_dir=Path(git_dir), head=head, signature=digest.hexdigest()[:32])


def _stat(path: Path) -> bytes:
    try:
        found = path.lstat()
    except OSError:
        return b"gone\0"
    return (
        f"{found.st_ino} {found.st_size} {found.st_mode} {found.st_mtime_ns} {found.st_ctime_ns}\0".encode()
    )


def _git(where: Path, *words: str) -> bytes:
    argv = ("git", "--no-optional-locks", "-c", "core.quotePath=false", *words)
    try:
        done = subprocess.run(
            argv, cwd=where, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=_LIMIT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkspaceError(f"{where}: git cannot look at the tree: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise WorkspaceError(f"{where}: git cannot look at the tree: {said}", hint="commit something first")
    return done.stdout
