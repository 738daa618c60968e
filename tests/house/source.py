"""The repository as the house tests read it: tracked files, their trees and their imports."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
SAMPLE = SRC / "setpoint" / "cli" / "sample"

FunctionTree = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(*folders: str) -> tuple[Path, ...]:
    """Give the Python files of these folders, without the sample project, which is broken on purpose."""
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(path for path in found if SAMPLE not in path.parents)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[tuple[str, FunctionTree]]:
    """Give every function of a file with its dotted name in it."""
    stack: list[tuple[str, ast.AST]] = [("", tree_of(path))]
    while stack:
        prefix, node = stack.pop()
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, FunctionTree | ast.ClassDef):
                name = f"{prefix}.{child.name}".lstrip(".")
                if isinstance(child, FunctionTree):
                    yield name, child
            stack.append((name, child))


def module_name(path: Path) -> str:
    parts = list(path.relative_to(SRC).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, known: frozenset[str]) -> frozenset[str]:
    """Give the modules of ours that a file imports, also inside functions, not under TYPE_CHECKING."""
    own = module_name(path)
    found: set[str] = set()
    for node in _executed(tree_of(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(node, own, package=path.name == "__init__.py")
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                found.add(inner if inner in known else source)
    return frozenset(found & known) - {own}


def _executed(tree: ast.Module) -> Iterator[ast.AST]:
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            stack.extend(node.orelse)
        else:
            stack.extend(ast.iter_child_nodes(node))


def _absolute(node: ast.ImportFrom, own: str, *, package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = own.split(".")
    kept = parts[: len(parts) - node.level + (1 if package else 0)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def tracked() -> tuple[Path, ...]:
    """Give the files that git tracks."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True, text=True
    ).stdout
    return tuple(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())
