"""Files of tests that the generator wrote: where they lie, in which style, and taking tests out of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from setpoint import syntax
from setpoint.mutation.cover import module_of
from setpoint.mutation.engine.roots import import_root

MARK = "Written by `setpoint cover`"
"""Stands in each file of tests that the generator wrote."""
HONEST = (
    "These tests pin how the code behaves at present. They notice when it changes; they cannot know what was "
    "meant, so a fault that is there now is pinned with the rest. Read them before you trust them."
)
_TEST_FOLDERS = ("tests", "test")
_SKIPPED = frozenset(
    (".git", ".venv", "venv", "node_modules", ".setpoint", "build", "dist", ".tox", "__pycache__")
)
_PYTEST = re.compile(r"^\s*(import|from) pytest\b", re.MULTILINE)


def test_files(tree: Path) -> list[Path]:
    """Give the files that hold tests in Python."""
    return [
        path
        for path in _python(tree)
        if path.name.startswith("test_") or path.name.endswith("_test.py") or path.name == "tests.py"
    ]


def _python(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in _SKIPPED:
            continue
        if path.is_dir():
            yield from _python(path)
        elif path.suffix == ".py":
            yield path


def style_of(tests: list[Path]) -> str:
    """Say in which style the project's tests are written: `unittest` where some are and none needs pytest."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in tests[:200]]
    own = [text for text in texts if MARK not in text]
    classes = any("unittest.TestCase" in text or "(TestCase)" in text for text in own)
    return "unittest" if classes and not any(_PYTEST.search(text) for text in own) else "pytest"


def place_for(tree: Path, file: str, tests: list[Path]) -> str:
    """Give a new file for tests of a source: beside the tests of its own project, else those of the tree."""
    root = import_root(tree, file)
    own = root.parent if root.name == "src" and root != tree else root
    found = (home / name for home in (own, tree) for name in _TEST_FOLDERS)
    place = next((folder for folder in found if folder.is_dir()), None)
    if place is None:
        near = [each.parent for each in tests if each.is_relative_to(own)]
        place = near[0] if near else own / _TEST_FOLDERS[0]
    folder, name = place.relative_to(tree).as_posix(), module_of(tree, file).replace(".", "_")
    number = 1
    while True:
        test = f"test_{name}_pinned{f'_{number}' if number > 1 else ''}.py"
        path = f"{folder}/{test}" if folder != "." else test
        if not (tree / path).exists() and not any(each.name == test for each in tests):
            return path
        number += 1


def without(text: str, names: Collection[str]) -> str:
    """Take tests out of a file, named as pytest does behind the file's name; empty where none is left."""
    lines = text.splitlines(keepends=True)
    left = 0
    gone: list[ast.stmt] = []
    try:
        tree = syntax.parse(text)
    except SyntaxError:
        return ""
    for node in tree.body:
        inside = list(_tests_in(node, ""))
        if inside and isinstance(node, ast.ClassDef) and all(name in names for name, _ in inside):
            gone.append(node)
            continue
        gone += [each for name, each in inside if name in names]
        left += sum(name not in names for name, _ in inside)
    for each in sorted(gone, key=lambda node: -node.lineno):
        decorators = getattr(each, "decorator_list", [])
        first = min([each.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        last = each.end_lineno or each.lineno
        while last < len(lines) and not lines[last].strip():
            last += 1
        del lines[first:last]
    return "".join(lines).rstrip() + "\n" if left else ""


def _tests_in(node: ast.stmt, prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    """Give the tests of a statement by name: a function, or the methods of a class."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
        yield f"{prefix}{node.name}", node
    elif isinstance(node, ast.ClassDef):
        for inner in node.body:
            yield from _tests_in(inner, f"{prefix}{node.name}::")
