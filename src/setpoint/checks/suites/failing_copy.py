"""A copy of a tree in which every file fails when it is loaded: who passes there proves nothing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

_SAID = "Setpoint tries whether this is noticed"
_FAILING = {
    f';throw new Error("{_SAID}");': ("js", "mjs", "cjs", "jsx"),
    f';const triedBySetpoint: string = 1; throw new Error("{_SAID}");': ("ts", "mts", "cts", "tsx"),
    f'raise RuntimeError("{_SAID}")': ("py", "rb"),
    "exit 97": ("sh", "bash"),
    f'error("{_SAID}")': ("lua",),
    f'die("{_SAID}");': ("pl", "php"),
}
"""What fails when a script has been loaded to its end, so that what ends the process well comes first."""
STATEMENTS = {ending: text for text, endings in _FAILING.items() for ending in endings}
"""The same by the ending of a file's name."""
BROKEN = f"}}}}}} {_SAID} {{{{{{"
"""What neither a compiler nor a reader of data takes."""
_LEFT = frozenset({".git", "node_modules", ".venv", "venv", "target"})
_SETTINGS = re.compile(
    r"\..*|.*\.(?:config|d)\.\w+|.*rc\.\w+|tsconfig.*|.*-lock\.\w+|.*\.(?:lock|lockb|mk|cmake)|go\.(?:mod|sum|work)"
    r"|(?:package|composer|deno|jsr|lerna|nx|turbo|project|angular)\.jsonc?|pnpm-workspace\.yaml"
    r"|(?:GNU)?[Mm]akefile.*|[Jj]ustfile|CMakeLists\.txt|Gemfile|Rakefile|.*\.gemspec|mix\.exs|Cargo\.toml"
    r"|build\.(?:xml|zig|sbt|rs|gradle.*)|settings\.gradle.*|gradle\.properties|pom\.xml|pyproject\.toml"
    r"|setup\.(?:py|cfg)|tox\.(?:ini|toml)|noxfile\.py|conftest\.py|.*\.(?:csproj|sln|cabal|rockspec|nimble)"
    r"|Package\.swift|dune(?:-project)?"
)
"""Files that a build or a runner reads to begin: that it cannot begin would show nothing."""
_MAIN = re.compile(
    rb"^if[ (]+__name__\s*==\s*[\"']__main__[\"'][ )]*:[^\n]*\n(?:[ \t].*\n|\s*\n|#.*\n)*\Z", re.MULTILINE
)
"""The last block of a program in Python."""
_SHELL = re.compile(rb"#!.*\b(?:ba|da|k|z)?sh\b")
_MOST_FILES, _MOST_BYTES, _LONGEST = 20_000, 500 << 20, 4 << 20


def is_setting(path: str) -> bool:
    """Whether a build or a runner reads a file to begin, so that it is not code of the project."""
    return _SETTINGS.fullmatch(path.rpartition("/")[2]) is not None


def failing_copy(tree: Path, place: Path, command: str, only: Collection[str] | None = None) -> bool:
    """Write the copy, with links as they are; false where it would be too large, or nothing in it can fail.

    Files that the command itself names, and those with settings, stay as they are; with `only` all but these.
    """
    files = list(_files(tree))
    size = sum(file.lstat().st_size for file in files)
    changed = {file: text for file in files if (text := _failure(file, tree, command))}
    if only is not None:
        changed = {file: text for file, text in changed.items() if file.relative_to(tree).as_posix() in only}
    if not changed or len(files) > _MOST_FILES or size > _MOST_BYTES:
        return False
    shutil.copytree(tree, place, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for file, text in changed.items():
        held = place / file.relative_to(tree)
        held.write_bytes(_with(held.read_bytes(), f"\n{text}\n".encode()))
    return True


def _with(text: bytes, failing: bytes) -> bytes:
    """Add what fails at the end, but before what Python runs only in a program: that may end the process.

    A program in shell has done its work when it comes to its end, so it fails first.
    """
    if _SHELL.match(text):
        first, _, rest = text.partition(b"\n")
        return first + b"\nexit 97\n" + rest
    found = _MAIN.search(text)
    return text[: found.start()] + failing + text[found.start() :] if found else text + failing


def _files(tree: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(tree):
        inside = Path(folder)
        folders[:] = [each for each in folders if each not in _LEFT and not (inside / each).is_symlink()]
        yield from (inside / name for name in names)


def _failure(file: Path, tree: Path, command: str) -> str:
    """Return what makes a file fail; empty where it stays as it is."""
    if (
        is_named(file.relative_to(tree).as_posix(), command)
        or file.is_symlink()
        or _SETTINGS.fullmatch(file.name)
        or not _is_text(file)
    ):
        return ""
    return STATEMENTS.get(file.suffix[1:], BROKEN)


def is_named(path: str, command: str) -> bool:
    """Whether a command names a file by its path."""
    return re.search(rf"(?<![\w/.-])(?:\./)?{re.escape(path)}(?![\w.-])", command) is not None


def _is_text(file: Path) -> bool:
    if not 0 < file.stat().st_size <= _LONGEST:
        return False
    try:
        return b"\0" not in file.read_bytes()
    except PermissionError:
        return False
