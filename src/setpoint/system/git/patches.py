"""Changes between commits as patches, and the ids by which git tells patches apart."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from setpoint.model.ids import Commit
from setpoint.system.git.git import git

_FORMAT = ("--no-renames", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color")
_PLAIN = (*_FORMAT, "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=histogram")


async def diff_of(root: Path, base: str, tip: str, paths: Iterable[str] = (), *, context: int = 3) -> bytes:
    """Return the patch between two commits, limited to some paths if they are given."""
    words = ("diff-tree", "-r", "-p", f"-U{context}", *_PLAIN, base, tip, "--", *paths)
    return (await git(root, *words)).stdout


async def patch_id(root: Path, base: str, tip: str) -> str:
    """Return what `git patch-id --stable` calls the change without context; empty for no change."""
    patch = await diff_of(root, base, tip, context=0)
    return (await git(root, "patch-id", "--stable", stdin=patch)).text.partition(" ")[0] if patch else ""


async def patch_ids(root: Path, base: str, tip: str) -> dict[str, Commit]:
    """Return the commits of a range, without merges, by the patch id of each."""
    words = ("log", "-p", "-U0", "--no-merges", *_PLAIN, "--format=commit %H", f"{base}..{tip}")
    log = (await git(root, *words)).stdout
    ids = (await git(root, "patch-id", "--stable", stdin=log)).text if log else ""
    return {name: Commit(commit) for name, commit in (line.split() for line in ids.splitlines())}
