"""A package cache of a command's own, in which everything that the user's cache holds is seen through links.

A tool reads the user's packages there and adds others beside them. What it would change in a package of the
user leads through a link to where nothing may be written. Copies would cost gigabytes; hard links would be
the same files.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from setpoint.model.value import Value

_DEPTH = 2
"""How many folders deep a manifest is looked for below the folder in which a command runs."""
_MOST_FOLDERS = 300


class LinkedCache(Value):
    """A cache that a command gets in this way."""

    variable: str
    """The variable that names it; its value comes from the table of places that are read."""
    manifest: str
    """A file of projects whose tools use the cache: without one the cache is read where it is."""
    whole: str
    """Folders that are linked as a whole, by their path in the cache: a package, an index."""
    left: str
    """Files that are left out, by their path in the cache: locks, which tools open for writing."""
    most: int = 6000
    """Links at most; a larger cache is read where it is."""

    def wanted(self, cwd: Path) -> bool:
        """Whether a project that uses the cache lies around a folder, or below one that is not the root."""
        if any(self._holds(each) for each in (cwd, *cwd.parents)):
            return True
        return cwd != cwd.parent and any(self._holds(each) for each in _below(cwd))

    def made(self, users: Path, own: Path) -> bool:
        """Make the cache in a folder, or add what is missing; false where it would need too many links."""
        found: list[tuple[str, bool]] = []
        self._listed(users, "", found)
        if len(found) > self.most:
            return False
        own.mkdir(parents=True, exist_ok=True)
        self._without_settings(own)
        for path, linked in found:
            with contextlib.suppress(FileExistsError):  # from before, or a package that a tool added
                if linked:
                    (own / path).symlink_to(users / path)
                else:
                    (own / path).mkdir()
        return True

    def _holds(self, folder: Path) -> bool:
        return os.path.isfile(folder / self.manifest)  # noqa: PTH113 -- a folder that is gone by now holds none

    def _without_settings(self, own: Path) -> None:
        """Remove files at the top, where tools keep settings: code under test may have left them."""
        for entry in _entries(own):
            folder = entry.is_dir(follow_symlinks=False)
            if not folder and not re.fullmatch(self.left, entry.name):
                with contextlib.suppress(FileNotFoundError):
                    Path(entry.path).unlink()

    def _listed(self, users: Path, inside: str, found: list[tuple[str, bool]]) -> None:
        """List what is linked and what becomes a folder, the outer ones first."""
        for entry in sorted(_entries(users / inside), key=lambda each: each.name):
            path = f"{inside}/{entry.name}" if inside else entry.name
            if re.fullmatch(self.left, path):
                continue
            folder = entry.is_dir() and not re.fullmatch(self.whole, path)
            found.append((path, not folder))
            if folder and len(found) <= self.most:
                self._listed(users, path, found)


def _entries(folder: Path) -> Iterable[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # it may not be read, or is gone by now
        return []


def _below(folder: Path) -> Iterable[Path]:
    """Return folders below one, the nearest first, without hidden ones and installed packages."""
    found: list[Path] = []
    level = [folder]
    for _ in range(_DEPTH):
        inside = [Path(entry.path) for each in level for entry in _entries(each) if _is_source(entry)]
        level = inside[: _MOST_FOLDERS - len(found)]
        found += level
    return found


def _is_source(entry: os.DirEntry[str]) -> bool:
    hidden = entry.name.startswith(".") or entry.name in ("node_modules", "target")
    return not hidden and entry.is_dir(follow_symlinks=False)
