"""Bringing the packages that a person has installed to the measured tree, which has none: git ignores them.

The measured tree gets a folder `node_modules` of its own, in which each package is a link to the installed
one of the user's tree. So what tests write there stays in the measured tree, a package of the same repository
is the measured one and not the user's, and nothing of it can become part of a commit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from setpoint.system.files.untrusted_folder import below, entered, remove

FOLDER = "node_modules"
LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb")
"""Files that say exactly which packages are to be installed."""
_NEEDED = (".bin", ".pnpm", ".store", ".package-lock.json", ".modules.yaml", ".yarn-state.yml")
"""Names that begin with a dot and are not caches."""


def link_packages(root: Path, place: Path, folders: Iterable[str], committed: frozenset[str]) -> None:
    """Link the packages installed in some folders of the user's tree at `root` into the tree at `place`.

    `committed` are folders of packages that the base itself holds; they are left as they are. One that the
    work brought in is taken away: it would take the place of what is installed.
    """
    for folder in folders:
        if f"{folder}/{FOLDER}".lstrip("/") in committed:
            continue
        # The work may have put a link there, or an agent may do so just now: it is not followed.
        with contextlib.suppress(OSError), entered(place, PurePosixPath(folder).parts) as there:
            remove(there, FOLDER)
            source = root / folder / FOLDER
            if source.is_dir():
                _link_all(source, there, FOLDER, Ends(root, place))


def fingerprint(root: Path, folders: Iterable[str]) -> str:
    """Return a text that changes whenever a package is installed or removed."""
    seen = hashlib.sha256()
    for folder in folders:
        source = root / folder / FOLDER
        for entry in sorted(source.iterdir()) if source.is_dir() else ():
            inner = sorted(entry.iterdir()) if entry.name.startswith("@") and entry.is_dir() else [entry]
            for each in inner:
                stamp = each.lstat()
                seen.update(
                    f"{each}\0{stamp.st_mtime_ns}\0{stamp.st_ino}\n".encode("utf-8", "surrogateescape")
                )
    return seen.hexdigest()


def lock_note(root: Path, place: Path, folders: Iterable[str]) -> str:
    """Say from which lock file the linked packages come, and whether the measured tree has the same."""
    for folder in ("", *folders):
        for name in LOCKS:
            mine, measured = root / folder / name, place / folder / name
            if not mine.is_file() and not measured.is_file():
                continue
            same = mine.is_file() and measured.is_file() and mine.read_bytes() == measured.read_bytes()
            how = "the same" if same else "another than the measured"
            return f"; installed packages of your own {FOLDER}, {how} {name}"
    return f"; installed packages of your own {FOLDER}, no lock file"


class Ends(NamedTuple):
    """The two trees that are linked."""

    root: Path
    place: Path


def _link_all(source: Path, there: int, name: str, ends: Ends) -> None:
    os.mkdir(name, dir_fd=there)
    with below(there, name) as inner:
        for entry in source.iterdir():
            if entry.name.startswith("@") and not entry.is_symlink():
                _link_all(entry, inner, entry.name, ends)
            elif not entry.name.startswith(".") or entry.name in _NEEDED:
                os.symlink(_meant(entry, ends), entry.name, dir_fd=inner)


def _meant(entry: Path, ends: Ends) -> Path:
    """Return what a package of the measured tree is: one of the same repository is measured, too."""
    if not entry.is_symlink():
        return entry
    real, top = entry.resolve(), ends.root.resolve()
    inside = real.is_relative_to(top) and FOLDER not in real.relative_to(top).parts
    return ends.place / real.relative_to(top) if inside else real
