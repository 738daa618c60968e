"""Find the statements outside functions that a change of a Python file added or changed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from setpoint.model import syntax

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NO_EFFECT = (ast.Import, ast.ImportFrom, ast.Pass)
_SHOWN = 60


class Statement(NamedTuple):
    """One statement that runs when its module is imported."""

    path: str
    line: int
    """Its first line, 1-based."""
    last: int
    text: str
    """How it begins, on one line."""
    stood: bool
    """Whether the base binds the same names there, so that their values are changed and not new."""

    def __str__(self) -> str:
        """Return it as people name it."""
        return f"{self.path}:{self.line} ({self.text})"


def changed_outside(path: str, old: bytes | None, new: bytes) -> tuple[Statement, ...]:
    """Return statements outside functions that differ from all of the base; functions inside do not count.

    Imports, documentation, annotations, names like `__all__`, and what only the type checker or the main
    program sees are left out. A file that cannot be parsed has none.
    """
    try:
        now, before = syntax.parse(new), syntax.parse(old or b"")
    except (SyntaxError, ValueError, RecursionError):
        return ()
    known = Counter(_dumped(node) for _, node in _statements(before.body))
    names = {(owner, name) for owner, node in _statements(before.body) for name in _bound(node)}
    found: list[Statement] = []
    lines = new.decode("utf-8", "replace").splitlines()
    for owner, node in _statements(now.body):
        text = _dumped(node)
        if known[text]:
            known[text] -= 1
        else:
            bound = {(owner, name) for name in _bound(node)}
            begins = " ".join(lines[node.lineno - 1].split())[:_SHOWN] if node.lineno <= len(lines) else ""
            stood = bool(bound & names)
            found.append(Statement(path, node.lineno, _last_line(node), begins, stood))
    return tuple(found)


def _statements(body: Iterable[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the statements that run at import and may matter, with the class that they are in."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield owner, node
            yield from _statements(node.body, f"{owner}{node.name}.")
        elif not (isinstance(node, (*_FUNCTIONS, *_NO_EFFECT)) or _is_aside(node)):
            yield owner, node


def _is_aside(node: ast.stmt) -> bool:
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


def _dumped(node: ast.stmt) -> str:
    """Return what a statement does, without the functions in it; of a class only its head."""
    if isinstance(node, ast.ClassDef):
        parts = [*node.decorator_list, *node.bases, *node.keywords]
        return f"class {node.name} {' '.join(map(ast.dump, parts))}"
    return ast.dump(_hollow(node))


def _hollow(node: ast.AST) -> ast.AST:
    copied = type(node)()
    for name, value in ast.iter_fields(node):
        if name == "annotation" or isinstance(value, _FUNCTIONS):
            continue
        if isinstance(value, list):
            kept = [each for each in value if not isinstance(each, _FUNCTIONS)]
            setattr(copied, name, [_hollow(each) if isinstance(each, ast.AST) else each for each in kept])
        else:
            setattr(copied, name, _hollow(value) if isinstance(value, ast.AST) else value)
    return copied


def _last_line(node: ast.stmt) -> int:
    return node.lineno if isinstance(node, ast.ClassDef) else node.end_lineno or node.lineno
