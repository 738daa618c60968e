"""What of a project git does not hold itself: it is missing where a tree is measured, which must be said."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.model.ids import Commit
from setpoint.model.wording import counted
from setpoint.system.git.git import ask, git

SUBMODULES, LARGE = "submodules", "git-lfs"
"""What such parts are called among the checks."""
MENDS = {
    SUBMODULES: "tests and tools cannot see them; keep what they need in the repository, or install it",
    LARGE: "what reads them finds a few lines of text; keep small samples in git, or have tests make them",
}
_LINK = b"160000"
_MOST_NAMED = 3
_POINTER = "^version https://git-lfs.github.com/spec/v1$"


async def unseen(root: Path | str, commit: Commit) -> dict[str, str]:
    """Name submodules and files of git LFS in a commit, with a sentence for each kind that there is."""
    links, attributes = [], False
    for entry in (await git(root, "ls-tree", "-r", "-z", "--full-tree", commit)).stdout.split(b"\0"):
        facts, tab, name = entry.partition(b"\t")
        if tab and facts.startswith(_LINK):
            links.append(os.fsdecode(name))
        attributes = attributes or name.rpartition(b"/")[2] == b".gitattributes"
    found = {}
    if links:
        found[SUBMODULES] = f"the measured tree is without the files of {_named('submodule', links)}"
    pointers = await _pointers(root, commit) if attributes else []
    if pointers:
        found[LARGE] = f"the measured tree holds pointers of git LFS for {_named('file', pointers)}"
    return found


async def _pointers(root: Path | str, commit: Commit) -> list[str]:
    """Find the files that hold a pointer, where any file is to be kept so."""
    if not await _holding(root, commit, "-F", "filter=lfs", "--", ".gitattributes", "**/.gitattributes"):
        return []
    return await _holding(root, commit, "-E", _POINTER, "--", ":(exclude,glob)**/*.md")


async def _holding(root: Path | str, commit: Commit, kind: str, text: str, *paths: str) -> list[str]:
    words = ("grep", "-l", "-z", "-I", "--no-color", "--full-name", kind, "-e", text, commit, *paths)
    answer = await ask(root, *words)
    if answer.exit_code not in (0, 1):  # 1: there is none
        said = answer.stderr.decode("utf-8", "replace").strip()
        raise WorkspaceError(f"{root}: git grep failed ({answer.exit_code}): {said}")
    named = (os.fsdecode(name) for name in answer.stdout.split(b"\0") if name)
    return sorted(name.removeprefix(f"{commit}:") for name in named)


def _named(what: str, names: Collection[str]) -> str:
    shown = ", ".join(sorted(names)[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{counted(len(names), what)} ({shown}{more})"
