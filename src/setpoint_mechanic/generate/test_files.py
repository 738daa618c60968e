"""Files of tests that the generator wrote: where they lie, in which style, and taking tests out of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from setpoint.model import syntax
from setpoint_probe.source.import_roots import import_root, module_of

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
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PYTEST = re.compile(r"^\s*(import|from) pytest\b", re.MULTILINE)


def test_files(tree: Path) -> list[Path]:
    """Return the files that hold tests in Python."""
    return [path for path in _python(tree) if is_test_name(path.name)]


def is_test_name(name: str) -> bool:
    """Return whether a file is called as files of tests usually are."""
    return name.startswith("test_") or name.endswith("_test.py") or name == "tests.py"


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
    """Return new file for tests of a source: beside the tests of its own project, else those of the tree."""
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


def without(data: bytes, names: Collection[str]) -> bytes | None:
    """Take tests out of a file, named as pytest does behind the file's name; all else stays byte for byte.

    None where the file is no Python, or none of the tests stands in it as itself: what a class takes from
    another class cannot be taken out of it.
    """
    tree = _parsed(data)
    gone = list(_gone(tree.body, "", names)) if tree else []
    if not gone or data.count(b"\r") != data.count(b"\r\n"):  # Python ends a line there, and we do not
        return None
    lines = data.split(b"\n")
    for node, alone in sorted(gone, key=lambda each: -each[0].lineno):
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]) - 1
        last = node.end_lineno or node.lineno
        indent, end = lines[first][: node.col_offset], b"\r" if lines[first].endswith(b"\r") else b""
        while last < len(lines) - 1 and not lines[last].strip():
            last += 1
        lines[first:last] = [indent + b"pass" + end] if alone else []
        if not alone and not b"".join(lines[first:]).strip():  # blank lines at the end go too
            lines[len(b"\n".join(lines).rstrip().split(b"\n")) :] = [b""]
    left = b"\n".join(lines)
    return left if _parsed(left) else None


def has_tests(data: bytes) -> bool:
    """Return whether any test may be left: one anywhere, or a class that takes some from another."""
    tree = _parsed(data)
    return tree is not None and any(
        (isinstance(each, _FUNCTIONS) and each.name.startswith("test"))
        or (isinstance(each, ast.ClassDef) and bool(each.bases))
        for each in ast.walk(tree)
    )


def _parsed(data: bytes) -> ast.Module | None:
    try:
        return syntax.parse(data)
    except (SyntaxError, ValueError):
        return None


def _gone(body: list[ast.stmt], prefix: str, names: Collection[str]) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield what has to go, and whether a `pass` takes its place, for its block would be empty.

    A class goes whole where it holds and takes over nothing but such tests.
    """
    whole: list[ast.stmt] = []
    for node in body:
        if isinstance(node, _FUNCTIONS) and f"{prefix}{node.name}" in names:
            whole.append(node)
        elif isinstance(node, ast.ClassDef):
            inside = list(_gone(node.body, f"{prefix}{node.name}::", names))
            goes = {id(each) for each, _ in inside}
            if inside and not node.bases and all(id(each) in goes or _is_idle(each) for each in node.body):
                whole.append(node)
            else:
                yield from inside
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for name in ("body", "orelse", "finalbody"):
                yield from _gone(getattr(node, name, []), prefix, names)
    for node in whole:
        yield node, len(whole) == len(body) and node is whole[0]


def _is_idle(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
