"""From which folder of a tree a file is imported, also where several projects lie in one tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_MARKS = ("pyproject.toml", "setup.py", "setup.cfg")
"""Files that say that a project of its own lies in their folder."""


def import_root(tree: Path, file: str) -> Path:
    """Return the folder that a file's module is named from.

    Above the packages, which are folders with an `__init__.py`, that is the next folder that is called `src`
    or holds a project's own file; else the tree: a folder without `__init__.py` is a package all the same.
    """
    folder = (tree / file).parent
    while folder != tree and (folder / "__init__.py").is_file():
        folder = folder.parent
    while folder != tree and folder.name != "src" and not any((folder / name).is_file() for name in _MARKS):
        folder = folder.parent
    return folder


def import_roots(tree: str, files: Iterable[str]) -> tuple[str, ...]:
    """Return the folders that some files are imported from, without the tree itself."""
    found = dict.fromkeys(import_root(Path(tree), file) for file in files)
    return tuple(str(folder) for folder in found if folder != Path(tree))


def module_of(tree: Path, file: str) -> str:
    """Return the name that a file is imported by."""
    path = tree / file
    own = [] if path.stem == "__init__" else [path.stem]
    return ".".join([*path.parent.relative_to(import_root(tree, file)).parts, *own])
