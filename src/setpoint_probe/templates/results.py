"""Edits of what a function gives back, raises or catches, and expressions donated by its neighbours."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..source.source import Splice
from .scope import Draft, Scope, Template

_EMPTY = ("None", "True", "False", "0", "1", "-1", "''", "[]", "()", "{}")


def returned(scope: Scope, node: ast.Return | ast.Yield) -> Iterator[Draft]:
    """Yield back a name that the function binds, or a plain value."""
    if node.value is None:
        return
    for rank, name in enumerate([*scope.values[:12], *(each for each in ("self",) if each in scope.names)]):
        yield from scope.replace(node.value, name, 1.0 - 0.02 * rank)
    for rank, text in enumerate(_EMPTY):
        yield from scope.replace(node.value, text, 1.0 - 0.03 * rank)
    text = scope.text(node.value)
    if "\n" not in text:
        yield from scope.replace(node.value, f"[{text}]", 0.5)
        yield from scope.replace(node.value, f"({text},)", 0.4)


def nothing_returned(scope: Scope, node: ast.Return) -> Iterator[Draft]:
    """Yield back something where nothing was given."""
    if node.value is None:
        at = scope.source.span(node)[1]
        for rank, text in enumerate([*scope.values[:8], "True", "False", "0", "[]", "''"]):
            yield Draft((_insert(at, f" {text}"),), 1.0 - 0.04 * rank)


def raised(scope: Scope, node: ast.Raise) -> Iterator[Draft]:
    """Raise another exception."""
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if isinstance(kind, ast.Name):
        for rank, name in enumerate(scope.exceptions):
            yield from scope.replace(kind, name, 1.0 - 0.02 * rank)


def caught(scope: Scope, node: ast.ExceptHandler) -> Iterator[Draft]:
    """Catch another exception, one more, or more broadly."""
    if node.type is None:
        return
    own = scope.text(node.type)
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    for rank, name in enumerate([*scope.exceptions, "Exception"]):
        if name == own:
            continue
        if len(kinds) == 1:
            yield from scope.replace(node.type, name, 1.0 - 0.02 * rank)
        joined = ", ".join([*(scope.text(kind) for kind in kinds), name])
        yield from scope.replace(node.type, f"({joined})", 0.8 - 0.02 * rank)


def donated(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Use an expression that stands elsewhere in the function."""
    if not scope.is_value(node):
        return
    own = scope.text(node)
    for text, kind in scope.donors.items():
        if text != own and own not in text:
            yield from scope.replace(node, text, 1.0 if kind is type(node) else 0.6)


def combined(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Add another value of the function to a value, take it away, or multiply by it."""
    parent = scope.parent(node)
    places = (
        ast.BinOp,
        ast.Compare,
        ast.Return,
        ast.Assign,
        ast.AugAssign,
        ast.Slice,
        ast.Call,
        ast.Tuple,
        ast.keyword,
    )
    if not isinstance(parent, places) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    if node is getattr(parent, "func", None) or (isinstance(node, ast.Name) and node.id in ("self", "cls")):
        return
    text = scope.operand(node)
    for rank, name in enumerate(scope.values[:8]):
        if name != text:
            for op, factor in (("+", 1.0), ("-", 0.9), ("*", 0.6), ("%", 0.4)):
                yield from scope.replace(node, f"{text} {op} {name}", factor - 0.03 * rank)
            yield from scope.replace(node, f"{name} + {text}", 0.6 - 0.03 * rank)
    for op, factor in (("* 2", 0.6), ("// 2", 0.6), ("/ 2", 0.4)):
        yield from scope.replace(node, f"{text} {op}", factor)


def extreme(scope: Scope, node: ast.Assign) -> Iterator[Draft]:
    """Keep the greater or smaller of what a name held and what it gets."""
    if len(node.targets) == 1 and isinstance(node.targets[0], (ast.Name, ast.Subscript, ast.Attribute)):
        held, new = scope.text(node.targets[0]), scope.text(node.value)
        if "\n" not in new:
            for name in ("max", "min"):
                yield from scope.replace(node.value, f"{name}({held}, {new})")


def _insert(at: int, text: str) -> Splice:
    return Splice(at, at, text)


TEMPLATES = (
    Template("returned", 0.45, (ast.Return, ast.Yield), returned, "another result", 2),
    Template("nothing-returned", 0.4, (ast.Return,), nothing_returned, "a result where there was none"),
    Template("raised", 0.6, (ast.Raise,), raised, "another exception raised"),
    Template("caught", 0.5, (ast.ExceptHandler,), caught, "another exception caught"),
    Template(
        "donated",
        0.28,
        (ast.Subscript, ast.Call, ast.BinOp, ast.Compare, ast.Name, ast.Constant, ast.Attribute),
        donated,
        "an expression from elsewhere in the function",
        2,
    ),
    Template(
        "combined",
        0.25,
        (ast.Name, ast.Subscript, ast.Call, ast.Attribute, ast.BinOp),
        combined,
        "a value added, taken away or multiplied",
        2,
    ),
    Template("extreme", 0.3, (ast.Assign,), extreme, "the greater or smaller of old and new", 2),
)
