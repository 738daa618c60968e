"""Find the statements outside functions that a change of a Python file added or changed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from setpoint.checks.languages.language import Statement
from setpoint.checks.languages.python.functions import without_functions

_NO_EFFECT = (ast.Import, ast.ImportFrom, ast.Pass)
_SHOWN = 60
"""Characters of a statement that are shown."""


def changed_statements(
    path: str, before: ast.Module, after: ast.Module, source: bytes
) -> tuple[Statement, ...]:
    """Return statements outside functions that differ from all of the base.

    Imports, documentation, annotations, names like `__all__`, and what only the type checker or the main
    program sees are left out.
    """
    known = Counter(_does(node) for _, node in _statements(before.body))
    names = {(owner, name) for owner, node in _statements(before.body) for name in _bound(node)}
    lines = source.decode("utf-8", "replace").splitlines()
    found: list[Statement] = []
    for owner, node in _statements(after.body):
        does = _does(node)
        if known[does]:
            known[does] -= 1
        else:
            text = " ".join(lines[node.lineno - 1].split())[:_SHOWN] if node.lineno <= len(lines) else ""
            there = any((owner, name) in names for name in _bound(node))
            found.append(Statement(path, node.lineno, _last_line(node), text, there))
    return tuple(found)


def _statements(body: Iterable[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the statements that run at import and may matter, each with the class that it is in."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield owner, node
            yield from _statements(node.body, f"{owner}{node.name}.")
        elif not (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, *_NO_EFFECT)) or _is_aside(node)):
            yield owner, node


def _is_aside(node: ast.stmt) -> bool:
    """Whether no test can notice a statement: documentation, a type, or what only the main program runs."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        names = {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node.test)}
        return bool(names & {"TYPE_CHECKING", "__name__"})
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return True
    return bool(names := set(_bound(node))) and all(_is_dunder(name) for name in names)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def _does(node: ast.stmt) -> str:
    """Return what a statement does, without the functions in it; of a class only its head."""
    if isinstance(node, ast.ClassDef):
        parts = [*node.decorator_list, *node.bases, *node.keywords]
        return f"class {node.name} {' '.join(map(ast.dump, parts))}"
    return ast.dump(without_functions(node))


def _last_line(node: ast.stmt) -> int:
    return node.lineno if isinstance(node, ast.ClassDef) else node.end_lineno or node.lineno
