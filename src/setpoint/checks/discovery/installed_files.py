"""What is installed for a project, as files that no check may change: compared by stat, then by content.

A test could change an installed package, the interpreter or the standard library, and so decide what every
later run says.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.discovery.linked_packages import FOLDER
from setpoint.checks.discovery.project import Project
from setpoint.system.processes.hold import Hold

_OF_PYTHON = re.compile(r"/(?:lib(?:64)?/python3|site-packages$|dist-packages$)")
_PACKAGES = ("site-packages", "dist-packages")
_BYTECODE = "__pycache__"

Stamp = tuple[int, int, int]
"""Size, time of the last change of the content, time of the last change of anything; nanoseconds."""
Stamps = Mapping[str, Stamp]
"""By path."""


@dataclass(frozen=True, kw_only=True)
class InstalledFiles:
    """The folders in which a project's interpreter and packages are installed."""

    folders: tuple[str, ...]

    def writable(self, hold: Hold | None) -> InstalledFiles:
        """Leave out the folders to which no command can write that is held so."""
        if hold is None:
            return self
        opened = [*map(Path, hold.opened), *hold.places]
        real = {folder: Path(folder).resolve() for folder in self.folders}
        kept = (
            folder
            for folder, path in real.items()
            if any(path.is_relative_to(each) or each.is_relative_to(path) for each in opened)
        )
        return InstalledFiles(folders=tuple(kept))

    def stamps(self) -> Stamps:
        """Look at every file, without reading any."""
        found: dict[str, Stamp] = {}
        for folder in self.folders:
            for entry in _files(folder, frozenset(self.folders)):
                seen = entry.stat(follow_symlinks=False)
                found[entry.path] = (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
        return found

    def changed(self, before: Stamps, after: Stamps) -> tuple[str, ...]:
        """Name the files whose content may differ, and remove compiled files that were not there.

        Compiled files that are gone do no harm: another measurement may have removed them. Another link to a
        file changes its stamp. What a package's list says of it is compared then.
        """
        found = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
        different: list[str] = []
        for path in found:
            compiled = Path(path).parent.name == _BYTECODE
            if compiled and path not in before:
                Path(path).unlink(missing_ok=True)
            elif not compiled or path in after:
                different.append(path)
        if not different:
            return ()
        lists = {path for path in different if path.endswith("/RECORD")}
        known = dict(self._listed(lists))
        return tuple(path for path in different if path not in known or known[path] != _digest(path))

    def _listed(self, doubted: set[str]) -> Iterator[tuple[str, str]]:
        """Yield files with the digest that the list of their package names; not of lists that changed."""
        for folder in self.folders:
            for record in Path(folder).glob("*.dist-info/RECORD"):
                if str(record) in doubted:
                    continue
                with record.open(encoding="utf-8", errors="replace", newline="") as file:
                    for row in csv.reader(file):
                        if len(row) > 1 and row[1].startswith("sha256="):
                            yield (
                                os.path.normpath(record.parent.parent / row[0]),
                                row[1].removeprefix("sha256="),
                            )


def installed_files(project: Project) -> InstalledFiles:
    """Say where the interpreter and the packages of a project are installed, also outside its tree."""
    interpreter = project.interpreter
    folders = [each for each in interpreter.folders if _OF_PYTHON.search(each)]
    if (Path(interpreter.prefix) / "pyvenv.cfg").is_file():
        folders.append(str(Path(interpreter.path).parent))
    packages = (project.root / each / FOLDER for each in project.layout.package_folders)
    folders += [str(each) for each in packages if each.is_dir()]
    inner = {each for each in folders if any(each.startswith(f"{other}/") for other in folders)}
    alone = [each for each in folders if each not in inner or Path(each).name in _PACKAGES]
    return InstalledFiles(folders=tuple(dict.fromkeys(alone)))


def _files(folder: str, others: frozenset[str]) -> Iterator[os.DirEntry[str]]:
    """Yield the files below a folder; folders of packages have their own turn, if they are looked at."""
    try:
        with os.scandir(folder) as entries:
            listed = [*entries]
    except OSError:
        return
    for entry in listed:
        if not entry.is_dir(follow_symlinks=False):
            yield entry
        elif entry.name not in _PACKAGES and entry.path not in others:
            yield from _files(entry.path, others)


def _digest(path: str) -> str:
    try:
        digest = hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:
        return ""
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
