"""Which files of a tree may be changed: sources, never tests, settings of tests or foreign code."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePath

_FOREIGN = frozenset(
    (
        "site-packages",
        "dist-packages",
        ".git",
        ".tox",
        ".nox",
        ".eggs",
        "node_modules",
        "__pycache__",
        "build",
    )
)
_TEST_FOLDERS = frozenset(("tests", "test", "testing", "__tests__", "__snapshots__", "testdata"))
"""With the names below, the rule of `setpoint.model.changes.test_paths`, which the engine cannot import."""
_TESTS_IN = re.compile(r"^\s*(async\s+)?def test|^\s*class\s+\w*Test|\bTestCase\b", re.MULTILINE)
_NOT_SOURCES = frozenset(("conftest.py", "setup.py", "noxfile.py", "tasks.py"))


@contextlib.contextmanager
def scratch_folder(given: str, prefix: str) -> Iterator[str]:
    """Yield the folder for temporary files: the one that is given, else one that is taken away again."""
    if given:
        yield given
        return
    own = tempfile.mkdtemp(prefix=prefix)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)


class SourceFiles:
    """Decides, by path, what is a source of the project."""

    def __init__(self, tree: str, only: Collection[str], tests: Collection[str]) -> None:
        """Take the tree's real path, the files that may be changed (empty: any) and the files with tests."""
        self._tree = tree.rstrip(os.sep) + os.sep
        self._only = frozenset(os.path.realpath(self._tree + path) for path in only)
        self._tests = frozenset(tests)
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Return whether a file may be changed."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._decide(path)
        return known

    def relative(self, path: str) -> str:
        """Return the path from the tree's root, with `/`."""
        return path[len(self._tree) :].replace(os.sep, "/")

    def _decide(self, path: str) -> bool:
        if not path.startswith(self._tree) or not path.endswith(".py") or path in self._tests:
            return False
        if self._only:
            return os.path.realpath(path) in self._only
        *folders, name = PurePath(path[len(self._tree) :]).parts
        if _FOREIGN & set(folders) or any(folder.startswith((".venv", "venv")) for folder in folders):
            return False
        is_test = bool(_TEST_FOLDERS & set(folders)) or name.startswith("test_") or name.endswith("_test.py")
        return not is_test and name != "tests.py" and name not in _NOT_SOURCES


def files_of_tests(tree: str, tests: Iterable[str]) -> frozenset[str]:
    """Return the real paths of the files that failing tests stand in, by the ids of the tests.

    A source that holds its tests as examples in its documentation is none of them, nor is one that is named
    because it could not be read for such examples.
    """
    found = set()
    for test in tests:
        file, _, name = test.partition("::")
        path = os.path.realpath(os.path.join(tree, file))  # noqa: PTH118 - plain strings, as code objects have
        if "." in name.partition("[")[0] or (not name and not _holds_tests(path)):
            continue
        found.add(path)
    return frozenset(found)


def _holds_tests(path: str) -> bool:
    try:
        return _TESTS_IN.search(Path(path).read_text(encoding="utf-8", errors="replace")) is not None
    except OSError:
        return False
