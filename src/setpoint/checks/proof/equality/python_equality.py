"""Find classes of Python that say themselves what they equal, and compare them plainly."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion
from setpoint.model import syntax

_METHODS = {"__eq__": "", "__ne__": "not "}
"""Methods of an equality, with what is put before a plain comparison."""
_MADE_OF = (
    "[vars({0}) if hasattr({0}, '__dict__') else 0, [getattr({0}, s, None) for k in type({0}).__mro__ "
    "for s in vars(k).get('__slots__', ())]]"
)
_PLAIN = (
    "(lambda a, b: (lambda kind: kind.__eq__(a, b) is True if kind is not object else type(a) is type(b) and "
    f"{_MADE_OF.format('a')} == {_MADE_OF.format('b')})"
    "(next(k for k in type(a).__mro__ if k.__module__ == 'builtins')))({0}, {1})"
)
"""By the equality of the builtin type that a class extends, else by its type and attributes."""


def python_equality(path: str, old: bytes | None, new: bytes) -> list[ChangedFunction]:
    """Return the classes of a file whose own equality the change adds or changes."""
    try:
        before = {name: ast.dump(node) for name, node in _equalities(syntax.parse(old or b""), "")}
        now = list(_equalities(syntax.parse(new), ""))
    except (SyntaxError, ValueError, RecursionError):
        return []
    starts = [0, *(at + 1 for at, byte in enumerate(new) if byte == ord("\n"))]
    return [
        ChangedFunction(path=path, name=name, sabotages={"compares plainly": (_plain(node, name, starts),)})
        for name, node in now
        if before.get(name) != ast.dump(node)
    ]


def _equalities(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.stmt]]:
    for child in ast.iter_child_nodes(node):
        name = f"{owner}{getattr(child, 'name', '')}"
        if isinstance(node, ast.ClassDef) and isinstance(child, ast.FunctionDef) and child.name in _METHODS:
            if len(child.args.posonlyargs + child.args.args) == len(("self", "other")):
                yield name, child
        elif isinstance(node, ast.ClassDef) and isinstance(child, ast.Assign):
            names = (each.id for each in child.targets if isinstance(each, ast.Name))
            yield from ((f"{owner}{each}", child) for each in names if each in _METHODS)
        elif isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _equalities(child, f"{name}.")
        else:
            yield from _equalities(child, owner)


def _plain(node: ast.stmt, name: str, starts: list[int]) -> Insertion:
    does = _METHODS[name.rpartition(".")[2]]
    if not isinstance(node, ast.FunctionDef):
        method = name.rpartition(".")[2]
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return Insertion(end, f"; {method} = lambda _a, _b: {does}{_PLAIN.format('_a', '_b')}")
    own, other = (each.arg for each in (*node.args.posonlyargs, *node.args.args))
    first = node.body[0]
    between = "; " if first.lineno == node.lineno else "\n" + " " * first.col_offset
    return Insertion(
        starts[first.lineno - 1] + first.col_offset, f"return {does}{_PLAIN.format(own, other)}{between}"
    )
