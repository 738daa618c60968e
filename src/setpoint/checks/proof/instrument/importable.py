"""How the files of a change are named by those who import them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from setpoint.system.git.git import ask

_OF_FOLDER = frozenset(("__init__", "index", "mod"))
"""Names of files that are imported by the name of their folder."""
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


async def imported(place: str, commit: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return those of some files that another file of a commit imports by name.

    A script that nobody imports may do anything when it is imported.
    """
    found = []
    for path in paths:
        name = re.escape(_name_of(path))
        pattern = rf"(import|require|from).*(^|[^A-Za-z0-9_]){name}([^A-Za-z0-9_]|$)"
        answer = await ask(place, "grep", "-l", "-z", "-I", "-E", "-e", pattern, commit)
        users = [each.partition(b":")[2] for each in answer.stdout.split(b"\0") if each]
        if any(user != path.encode("utf-8", "surrogateescape") for user in users):
            found.append(path)
    return tuple(found)


def module_of(path: str, roots: Collection[str]) -> str:
    """Return the dotted name of a Python file; `roots` are the folders that imports begin at."""
    root = next(
        (each for each in sorted(roots, key=len, reverse=True) if each and path.startswith(f"{each}/")), ""
    )
    parts = PurePosixPath(path.removeprefix(f"{root}/" if root else "")).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of_go(tree: Path, modules: Collection[str], folder: str) -> str:
    """Return how `go test` names the package in a folder; empty where no module holds it."""
    holding = [each for each in modules if not each or folder == each or folder.startswith(f"{each}/")]
    for module in sorted(holding, key=len, reverse=True):
        try:
            found = _GO_MODULE.search((tree / module / "go.mod").read_text("utf-8", "replace"))
        except OSError:
            continue
        inner = folder.removeprefix(module).strip("/")
        if found is not None:
            return f"{found[1]}/{inner}" if inner else found[1]
    return ""


def target_of_rust(tree: Path, path: str) -> tuple[str, str] | None:
    """Return the root file of the program that a source file is built into, and its module there."""
    before, source, inner = path.rpartition("src/")
    if not source or (before and not before.endswith("/")):
        return None
    parts = PurePosixPath(inner).with_suffix("").parts
    if inner in ("lib.rs", "main.rs") or parts[0] == "bin":
        return path, ""
    root = next((each for each in ("lib.rs", "main.rs") if (tree / before / "src" / each).is_file()), "")
    if not root:
        return None
    return f"{before}src/{root}", "::".join(parts[:-1] if parts[-1] == "mod" else parts)


def _name_of(path: str) -> str:
    place = PurePosixPath(path)
    name = place.name.partition(".")[0]
    return place.parent.name if name in _OF_FOLDER and place.parent.name else name
