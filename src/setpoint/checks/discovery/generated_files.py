"""Which changed files nobody wrote by hand: lock files, and what a generator made at the base already.

The base alone decides: a file that the work adds, or one in which it writes such a header, is judged like
any other, and so is one from which the work takes the header away.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.ids import Commit
from setpoint.system.git.git import changed_files, contents

LOCK_FILES = frozenset(
    {
        "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb",
        "Cargo.lock", "go.sum", "go.work.sum", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock",
        "gradle.lockfile", "buildscript-gradle.lockfile", "composer.lock", "Gemfile.lock",
    }
)  # fmt: skip
_NAMES = (
    "*.pb.go", "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.pb.cc", "*.pb.h", "*.min.js", "*.min.css",
    "*.js.map", "*.css.map",
)  # fmt: skip
"""Names that only generators give."""
_ATTRIBUTES = ".gitattributes"
_HEADER = re.compile(
    r"^\s*(?://|#|/\*+|\*|--|;|<!--)\s*(?:.*\bcode generated\b.*\bdo not edit\b|.*(?<![\w`'\"])@generated\b)",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD_LINES = 12
"""A generator says so at the top."""


async def generated_among(
    root: Path | str, base: Commit, before: Mapping[str, str], after: Mapping[str, str]
) -> frozenset[str]:
    """Return the changed files that were generated at the base and still are; tests are never among them."""
    changed = {*before, *after}
    folders = {_folder(path) for path in changed} | {
        above for path in changed for above in _above(_folder(path))
    }
    wanted = sorted(f"{folder}/{_ATTRIBUTES}".lstrip("/") for folder in folders)
    held = {
        path: text.decode("utf-8", "replace") for path, text in (await contents(root, base, wanted)).items()
    }
    return frozenset(path for path in changed if _generated(path, before, after, held))


async def generated_since(root: Path | str, base: Commit, commit: Commit) -> frozenset[str]:
    """Return the files that changed between two commits and that were generated at the first already."""
    changed = await changed_files(root, base, commit)
    before, after = await contents(root, base, changed), await contents(root, commit, changed)
    return await generated_among(root, base, _texts(before), _texts(after))


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: text.decode("utf-8", "replace") for path, text in files.items()}


def _generated(
    path: str, before: Mapping[str, str], after: Mapping[str, str], attributes: Mapping[str, str]
) -> bool:
    if path.rpartition("/")[2] in LOCK_FILES:
        return True
    if is_test_path(path):
        return False
    said = _said(path, attributes)
    if said is not None:
        return said
    if path not in before:
        return False
    name = path.rpartition("/")[2]
    if any(fnmatchcase(name, each) for each in _NAMES):
        return True
    return _marked(before[path]) and (path not in after or _marked(after[path]))


def _marked(text: str) -> bool:
    return _HEADER.search("\n".join(text.splitlines()[:_HEAD_LINES])) is not None


def _said(path: str, attributes: Mapping[str, str]) -> bool | None:
    """Return what the base's attributes say of a file: the last line of the innermost that names it."""
    for folder in (_folder(path), *_above(_folder(path))):
        text = attributes.get(f"{folder}/{_ATTRIBUTES}".lstrip("/"), "")
        inner = path[len(folder) + 1 :] if folder else path
        found = [value for pattern, value in _lines(text) if _fits(inner, pattern)]
        if found:
            return found[-1]
    return None


def _lines(text: str) -> Iterable[tuple[str, bool]]:
    for line in text.splitlines():
        pattern, *words = line.split()[:20] or ["#"]
        for word in () if pattern.startswith("#") else words:
            name, _, value = word.lstrip("-!").partition("=")
            if name == "linguist-generated":
                yield pattern, not word.startswith(("-", "!")) and value.lower() != "false"


def _fits(path: str, pattern: str) -> bool:
    """Whether a pattern of git names a file: without a slash in any folder, else from its own."""
    if "/" not in pattern.rstrip("/"):
        return fnmatchcase(path.rpartition("/")[2], pattern)
    parts = (
        re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
        for part in pattern.strip("/").split("**")
    )
    return re.fullmatch(".*".join(parts).replace("/.*/", "/(?:.*/)?"), path) is not None


def _folder(path: str) -> str:
    return posixpath.dirname(path)


def _above(folder: str) -> Iterable[str]:
    while folder:
        folder = posixpath.dirname(folder)
        yield folder
