"""Recording all files of a work tree in an index, except environments and what git ignores."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from setpoint.system.git.git import Answer, ask, git, names_of
from setpoint.system.git.ignore_rules import is_environment, take, visible_at

_ADDED = ("diff-index", "--cached", "--no-renames", "--diff-filter=A", "--name-only", "-z")


class Staged(NamedTuple):
    """What came of recording files in an index."""

    answer: Answer
    """What `git add` said."""
    unhidden: tuple[str, ...] = ()
    """Recorded files that only ignore rules hide which the start does not hold."""


async def stage(root: Path, start: str, environment: Mapping[str, str], *, old_rules: bool = False) -> Staged:
    """Bring the index that `environment` names up to date with the files.

    Installed packages and files that git ignores are left out, also where the index holds them from an
    earlier call. What the commit `start` holds is always recorded. With `old_rules` a file is left out only
    if the ignore rules of `start` hide it too: who adds a rule must not hide its own work by it.
    """
    added, others, ignored, visible = await asyncio.gather(
        _names(root, environment, *_ADDED, start),
        _names(root, environment, "ls-files", "-z", "--others", "--exclude-standard"),
        _names(root, environment, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard"),
        _visible(root, start, environment, old_rules=old_rules),
    )
    shown = (*others, *await _names(root, environment, "ls-files", "-z")) if visible else ()
    apart = await _environments(root, start, {*added, *others}, environment)
    unseen = set(ignored)
    gone = [name for name in added if (name in unseen and name not in visible) or _within(name, apart)]
    if gone:
        words = ("update-index", "--force-remove", "-z", "--stdin")
        await git(root, *words, stdin=_listed(gone), environment=environment)
    paths = _listed([".", *(f":(exclude,literal){folder}" for folder in sorted(apart))])
    words = ("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
    answer = await ask(root, *words, stdin=paths, environment=environment)
    new = await take(root, visible.difference(shown), environment)
    kept = [name for name in added if name in unseen and name in visible and not _within(name, apart)]
    return Staged(answer, (*new, *kept))


async def _visible(root: Path, start: str, environment: Mapping[str, str], *, old_rules: bool) -> set[str]:
    return await visible_at(root, start, environment) if old_rules else set()


async def _names(root: Path, environment: Mapping[str, str], *words: str) -> list[str]:
    listing = (await git(root, *words, environment=environment)).stdout
    return [name.rstrip("/") for name in names_of(listing)]


async def _environments(
    root: Path, start: str, new: Iterable[str], environment: Mapping[str, str]
) -> set[str]:
    """Find the outermost environments among new files; a folder that `start` holds is part of the project."""
    folders = {str(each) for name in new for each in (PurePosixPath(name), *PurePosixPath(name).parents)}
    found = {folder for folder in folders - {"."} if is_environment(root / folder)}
    outermost = {folder for folder in found if not _within(str(PurePosixPath(folder).parent), found)}
    if not outermost:
        return outermost
    words = ("ls-tree", "-z", "--full-tree", "--name-only", start, "--", *sorted(outermost))
    return outermost.difference(await _names(root, environment, *words))


def _within(name: str, folders: set[str]) -> bool:
    path = PurePosixPath(name)
    return bool(folders) and any(str(each) in folders for each in (path, *path.parents))


def _listed(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)
