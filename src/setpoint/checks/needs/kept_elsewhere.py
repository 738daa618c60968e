"""What of a project git keeps elsewhere: submodules, and files of git LFS. What nobody fetched is named."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from setpoint.errors import WorkspaceError
from setpoint.model.ids import Commit
from setpoint.model.wording import counted
from setpoint.system.git.clone import git_directory
from setpoint.system.git.git import ask, contents, git
from setpoint.system.git.submodules import fill, submodules_of

SUBMODULES, LARGE = "submodules", "git-lfs"
"""What such parts are called among the checks."""
MENDS = {
    SUBMODULES: "tests and tools cannot see them; fetch them: git submodule update --init --recursive",
    LARGE: "what reads them finds a few lines of text; fetch them: git lfs fetch",
}
_LINK = b"160000"
_CONTENT = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)
_MOST_NAMED = 3
_POINTER = "^version https://git-lfs.github.com/spec/v1$"


class Beside(NamedTuple):
    """Which parts of a commit git holds elsewhere, and which of them no repository of the user has."""

    submodules: bool
    pointers: bool
    """Whether files are kept by git LFS."""
    missing: dict[str, str]
    """A sentence for each kind of which something is missing."""


async def beside(root: Path, repository: Path | str, commit: Commit) -> Beside:
    """Find submodules and files of git LFS in a commit; the user's tree at `root` may have their content."""
    links, attributes = False, False
    for entry in (await git(repository, "ls-tree", "-r", "-z", "--full-tree", commit)).stdout.split(b"\0"):
        facts, tab, name = entry.partition(b"\t")
        links = links or bool(tab and facts.startswith(_LINK))
        attributes = attributes or name.rpartition(b"/")[2] == b".gitattributes"
    missing = {}
    found = await submodules_of(root, repository, commit) if links else []
    if lost := [each.path for each in found if each.store is None]:
        missing[SUBMODULES] = f"the measured tree is without the files of {_named('submodule', lost)}"
    pointers = await large_files(root, repository, commit) if attributes else {}
    if lost := [path for path, content in pointers.items() if not content.is_file()]:
        missing[LARGE] = f"the measured tree holds pointers of git LFS for {_named('file', lost)}"
    return Beside(bool(found), bool(pointers), missing)


async def large_files(root: Path, repository: Path | str, commit: Commit) -> dict[str, Path]:
    """Return the files that git LFS keeps, each with where the user's repository has its content."""
    store = git_directory(root) / "lfs" / "objects"
    paths = await _pointers(repository, commit)
    texts = await contents(repository, commit, paths)
    found = {}
    for path, text in texts.items():
        if named := _CONTENT.search(text):
            name = named[1].decode()
            found[path] = store / name[:2] / name[2:4] / name
    return found


async def with_parts(root: Path, place: Path, repository: Path, commit: str, apart: Beside) -> None:
    """Bring to a tree the content of its submodules and of its files of git LFS.

    Args:
        root: The user's own tree.
        place: The tree in which a commit is checked out.
        repository: Holds the commit, and keeps what is known of the submodules.
        commit: What is checked out.
        apart: What of the project git holds elsewhere.

    """
    if apart.submodules:
        await fill(place, repository, await submodules_of(root, repository, commit))
    for path, content in (
        (await large_files(root, repository, Commit(commit))).items() if apart.pointers else ()
    ):
        target = place / path
        if content.is_file() and not target.is_symlink():
            await asyncio.to_thread(shutil.copyfile, content, target)


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
