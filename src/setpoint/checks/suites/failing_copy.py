"""A copy of a tree in which all code fails when it is loaded: who does not notice proves nothing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

_FAILURES = {
    "throw": ("js", "mjs", "cjs", "jsx"),
    "typed": ("ts", "mts", "cts", "tsx"),
    "raise": ("py", "rb"),
    "exit 97": ("sh", "bash"),
    "error": ("lua",),
    "#error": ("c", "h", "cc", "cpp", "cxx", "hpp"),
    "die": ("pl", "php"),
}
_WRITTEN = {
    "throw": ';throw new Error("Setpoint tries whether this is noticed");',
    "typed": ";const triedBySetpoint: string = 1; throw new Error(triedBySetpoint);",
    "raise": 'raise RuntimeError("Setpoint tries whether this is noticed")',
    "exit 97": "exit 97",
    "error": 'error("Setpoint tries whether this is noticed")',
    "#error": "#error Setpoint tries whether this is noticed",
    "die": 'die("Setpoint tries whether this is noticed");',
}
_BY_ENDING = {ending: _WRITTEN[kind] for kind, endings in _FAILURES.items() for ending in endings}
_LEFT = frozenset({".git", "node_modules", ".venv", "venv", "target"})
_SETTINGS = re.compile(r"^\.|\.config\.|rc\.|\.d\.[cm]?ts$|\.min\.")
_MOST_FILES, _MOST_BYTES = 20_000, 500 << 20


def failing_copy(tree: Path, place: Path, command: str) -> bool:
    """Write the copy, with links as they are; false where it would be too large, or nothing in it can fail.

    Files that the command itself names stay as they are: that the runner fails would show nothing.
    """
    files = list(_files(tree))
    code = [file for file in files if _can_fail(file, tree, command)]
    size = sum(file.lstat().st_size for file in files)
    if not code or len(files) > _MOST_FILES or size > _MOST_BYTES:
        return False
    shutil.copytree(tree, place, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for file in code:
        with (place / file.relative_to(tree)).open("a", encoding="utf-8") as held:
            held.write(f"\n{_BY_ENDING[file.suffix[1:]]}\n")
    return True


def _files(tree: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(tree):
        inside = Path(folder)
        folders[:] = [each for each in folders if each not in _LEFT and not (inside / each).is_symlink()]
        yield from (inside / name for name in names)


def _can_fail(file: Path, tree: Path, command: str) -> bool:
    if file.suffix[1:] not in _BY_ENDING or file.is_symlink() or _SETTINGS.search(file.name):
        return False
    path = re.escape(file.relative_to(tree).as_posix())
    return re.search(rf"(?<![\w/.-])(?:\./)?{path}(?![\w.-])", command) is None
