"""How the tests of one file are named to their runner."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from setpoint.checks.suites.package_suite import owner

_GO_TEST = re.compile(r"^func ((?:Test|Example|Fuzz)\w*)\(", re.MULTILINE)
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)


def tests_of_file(path: str, text: str, tree: Path) -> tuple[str, ...]:
    """Return the identifiers by which a runner runs the tests of a file: for most runners its path."""
    if not path.endswith(".go"):
        return (path,)
    folder = PurePosixPath(path).parent
    for above in (folder, *folder.parents):
        file = tree / above / "go.mod"
        if file.is_file() and (found := _GO_MODULE.search(file.read_text("utf-8", "replace"))):
            inner = folder.relative_to(above).as_posix()
            package = found[1] if inner == "." else f"{found[1]}/{inner}"
            return tuple(f"{package}::{name}" for name in _GO_TEST.findall(text)) or (package,)
    return (path,)


def is_run(path: str, chosen: Collection[str]) -> bool:
    """Whether one of the chosen runners runs the tests of such a file."""
    return path.endswith(".py") or bool(owner(path, chosen))
