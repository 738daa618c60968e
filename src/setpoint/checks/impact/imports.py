"""Which files of a tree import which, read from their sources without running them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from setpoint.model import syntax

_DYNAMIC = (b"import_module", b"__import__", b"spec_from_file_location", b"run_path", b"run_module")


def importers(targets: Collection[str], sources: Mapping[str, bytes], roots: Collection[str]) -> set[str]:
    """Return the targets and all files that import any of them, also by way of others.

    `sources` holds the Python files by path, targets that are gone with an empty text; `roots` are the
    folders that imports begin at. A file that imports by computed names counts as importing every file.
    """
    users: dict[str, set[str]] = defaultdict(set)
    dynamic: set[str] = set()
    for path, source in sources.items():
        if any(word in source for word in _DYNAMIC):
            dynamic.add(path)
        for imported in _imported(path, source, sources.keys(), roots):
            users[imported].add(path)
    found, waiting = set(targets), [*targets, *dynamic]
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting += users[path] - found
    return found


def _imported(path: str, source: bytes, known: Collection[str], roots: Collection[str]) -> Iterator[str]:
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    folder = path.rpartition("/")[0]
    starts = {*roots, folder}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(alias.name.split("."), starts, known)
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            above = {_up(folder, node.level - 1)} if node.level else starts
            for alias in node.names:
                yield from _files([*parts, alias.name], above, known)
            if node.level and not parts:
                yield from (place for start in above if (place := _joined(start, "__init__.py")) in known)


def _files(parts: list[str], starts: Collection[str], known: Collection[str]) -> Iterator[str]:
    """Yield each file on the way to a module: its packages and itself."""
    for start in starts:
        place = start
        for part in parts:
            place = _joined(place, part)
            yield from (
                file for file in (f"{place}.py", f"{place}.pyi", f"{place}/__init__.py") if file in known
            )


def _up(folder: str, levels: int) -> str:
    for _ in range(levels):
        folder = folder.rpartition("/")[0]
    return folder


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
