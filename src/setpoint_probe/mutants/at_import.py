"""What runs while tests are collected: a mutant of it shows in fresh processes, to tests that import it."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

from ..localise.ochiai import Line
from ..localise.spectra import Tracer
from .operators import Mutant
from .stable_tests import Judges


class AtImport:
    """Watches a collection: the lines inside functions that run, and then which file imports which."""

    def __init__(self, tree: str, wanted: Callable[[str], bool]) -> None:
        """Watch the files that `wanted` accepts; `tree` is the real path of the root."""
        self._tree = tree + os.sep
        self._tracer = Tracer(wanted, None, functions_only=True)
        self._imported: dict[str, set[str]] = {}
        """The files of the tree that a file imports."""
        self.lines: set[Line] = set()
        """Lines inside functions that ran, known after `stop`."""

    def start(self) -> None:
        """Begin to watch."""
        self._tracer.start()

    def stop(self) -> None:
        """End watching, before a test runs."""
        self._tracer.stop()
        self.lines = self._tracer.lines
        for module in list(sys.modules.values()):
            if own := self._file_of(module):
                named = _named(own, getattr(module, "__package__", None) or "")
                files = {self._file_of(sys.modules[name]) for name in named if name in sys.modules}
                self._imported[own] = files - {"", own}

    def runs(self, mutant: Mutant, judges: Judges) -> bool:
        """Whether a mutant changes what runs at import: statements outside functions, decorators, calls."""
        unit, path = mutant.unit, mutant.source.path
        if not unit.is_function or mutant.line < unit.node.lineno:
            return True
        return any((path, line) in self.lines for line in judges.span(mutant))

    def tests_of(self, path: str, tests: Mapping[str, str]) -> list[str]:
        """Return those of some tests, given with their files, whose files or conftests lead to a file.

        All of them where something else than an import statement may have imported it for them.
        """
        leading = {path} if path in self._imported else set()
        while more := {file for file, others in self._imported.items() if others & leading} - leading:
            leading |= more
        known = set().union(*self._imported.values(), tests.values())
        if any(file not in known and Path(file).name != "conftest.py" for file in leading):
            return list(tests)
        return [test for test, file in tests.items() if leading.intersection(_starts(file))]

    def _file_of(self, module: ModuleType) -> str:
        file = getattr(module, "__file__", None)
        return file if isinstance(file, str) and file.startswith(self._tree) else ""


def _named(path: str, package: str) -> Iterator[str]:
    """Yield the modules that the imports of a file may name, with the packages that hold them."""
    try:
        nodes = list(ast.walk(ast.parse(Path(path).read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            whole = "." * node.level + (node.module or "")
            try:
                whole = importlib.util.resolve_name(whole, package)
            except (ImportError, ValueError):
                continue
            names = [f"{whole}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _starts(file: str) -> Iterator[str]:
    """Yield a file of tests and the conftest files above it."""
    yield file
    yield from (str(folder / "conftest.py") for folder in Path(file).parents)
