"""Setpoint's repository for the commits of one run: made once, as a clone that borrows all objects."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.model.ids import Commit
from setpoint.system.files.agent_folder import IGNORED
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.git.clone import clone_shared, fetch_missing, git_directory
from setpoint.system.git.git import ask, git
from setpoint.system.git.history import BASE

CACHES = (
    "__pycache__/",
    "*.py[co]",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".coverage",
    ".coverage.*",
    ".hypothesis/",
    IGNORED,
)
"""Left by checks, or there for the agent, and never part of a change; `.coveragerc` is none of them."""

ATTRIBUTES = b"* !diff\n"
"""No attribute of the tree hides a file from a diff: the content decides what is text."""


def snapshot_repositories(state: Path) -> list[Path]:
    """Find the snapshot stores of all runs."""
    return [path for name in ("snapshots", "work") for path in (state / name).glob("*.git")]


def borrow_from(store: Path, objects: Path) -> None:
    """Have a snapshot store borrow the objects of the repository at its place now."""
    alternates = store / "objects" / "info" / "alternates"
    wanted = os.fsencode(f"{objects}\n")
    if not alternates.is_file() or alternates.read_bytes() != wanted:
        write_atomic_bytes(alternates, wanted)


async def make_snapshot_store(directory: Path, root: Path, base: Commit) -> None:
    """Clone the user's repository without its objects, under another name until it is complete."""
    source = git_directory(root)
    if (await ask(root, "cat-file", "-e", f"{base}^{{commit}}")).exit_code:
        raise WorkspaceError(
            f"{root}: there is no commit {base} to start from", hint="start the run on a commit that exists"
        )
    folder, name = directory.parent, f".{directory.name}."
    folder.mkdir(parents=True, exist_ok=True)
    for abandoned in folder.glob(f"{glob.escape(name)}*.part"):
        shutil.rmtree(abandoned, ignore_errors=True)  # a git that outlived its Setpoint may still write there
    unfinished = Path(tempfile.mkdtemp(prefix=name, suffix=".part", dir=folder))
    await fetch_missing(root, base)
    await clone_shared(source, unfinished, "--bare")
    own = source / "info" / "exclude"
    kept = own.read_bytes() if own.is_file() else b""
    write_atomic_bytes(
        unfinished / "info" / "exclude", kept.rstrip() + b"\n" + "\n".join((*CACHES, "")).encode()
    )
    write_atomic_bytes(unfinished / "info" / "attributes", ATTRIBUTES)
    await git(unfinished, "update-ref", BASE, base)
    unfinished.rename(directory)
