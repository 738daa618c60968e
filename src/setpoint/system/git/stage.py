"""Recording all files of a work tree in an index, except environments and what git ignores."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from setpoint.system.git.git import Answer, ask, git

_NAMES = frozenset({"node_modules", ".tox", ".nox"})
_MARKS = ("pyvenv.cfg", "conda-meta")
_ADDED = ("diff-index", "--cached", "--no-renames", "--diff-filter=A", "--name-only", "-z")


async def stage(root: Path, start: str, environment: Mapping[str, str]) -> Answer:
    """Bring the index that `environment` names up to date with the files; gives the answer of `git add`.

    Installed packages and files that git ignores are left out, also where the index holds them from an
    earlier call. What the commit `start` holds is always recorded.
    """
    added, others, ignored = await asyncio.gather(
        _names(root, environment, *_ADDED, start),
        _names(root, environment, "ls-files", "-z", "--others", "--exclude-standard"),
        _names(root, environment, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard"),
    )
    apart = await _environments(root, start, {*added, *others}, environment)
    hidden = set(ignored)
    gone = [name for name in added if name in hidden or _within(name, apart)]
    if gone:
        words = ("update-index", "--force-remove", "-z", "--stdin")
        await git(root, *words, stdin=_listed(gone), environment=environment)
    paths = _listed([".", *(f":(exclude,literal){folder}" for folder in sorted(apart))])
    words = ("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
    return await ask(root, *words, stdin=paths, environment=environment)


async def _names(root: Path, environment: Mapping[str, str], *words: str) -> list[str]:
    listing = (await git(root, *words, environment=environment)).stdout
    return [os.fsdecode(name).rstrip("/") for name in listing.split(b"\0") if name]


async def _environments(
    root: Path, start: str, new: Iterable[str], environment: Mapping[str, str]
) -> set[str]:
    """Find the outermost environments among new files; a folder that `start` holds is part of the project."""
    folders = {str(each) for name in new for each in (PurePosixPath(name), *PurePosixPath(name).parents)}
    found = {folder for folder in folders - {"."} if _is_environment(root, folder)}
    outermost = {folder for folder in found if not _within(str(PurePosixPath(folder).parent), found)}
    if not outermost:
        return outermost
    words = ("ls-tree", "-z", "--full-tree", "--name-only", start, "--", *sorted(outermost))
    return outermost.difference(await _names(root, environment, *words))


def _is_environment(root: Path, folder: str) -> bool:
    return PurePosixPath(folder).name in _NAMES or any((root / folder / mark).exists() for mark in _MARKS)


def _within(name: str, folders: set[str]) -> bool:
    path = PurePosixPath(name)
    return bool(folders) and any(str(each) in folders for each in (path, *path.parents))


def _listed(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)
