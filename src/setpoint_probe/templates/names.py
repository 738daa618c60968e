"""Edits of names: other variables, other attributes, other targets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..source.source import Splice
from .scope import Draft, Scope, Template


def variable(scope: Scope, node: ast.Name) -> Iterator[Draft]:
    """Read another name that the function binds."""
    if not isinstance(node.ctx, ast.Load) or scope.is_called(node):
        return
    alike = _alike(scope, node.id)
    for name in scope.names:
        if name != node.id:
            yield from scope.replace(node, name, 1.0 if name in alike else 0.6)
    for name in scope.passed:
        if name != node.id:
            yield from scope.replace(node, name, 0.35)
    likely = 0.7 if node.id in scope.globals else 0.45
    for rank, name in enumerate(scope.globals):
        yield from scope.replace(node, name, likely - 0.01 * rank)


def parameter(scope: Scope, node: ast.Lambda) -> Iterator[Draft]:
    """Name a parameter of a lambda as it is read."""
    for argument in node.args.args:
        for name in scope.unbound:
            yield from scope.replace(argument, name)


def target(scope: Scope, node: ast.Name) -> Iterator[Draft]:
    """Bind another name, above all one that is read and never bound."""
    if isinstance(node.ctx, ast.Store):
        for name in scope.unbound:
            yield from scope.replace(node, name, 1.2)
        for name in scope.values:
            yield from scope.replace(node, name, 0.5)


def attribute(scope: Scope, node: ast.Attribute) -> Iterator[Draft]:
    """Take another attribute of the same object, as the class around uses them."""
    if scope.is_called(node):
        return
    start = scope.source.span(node)[1] - len(node.attr.encode())
    for rank, name in enumerate(scope.attributes):
        if name != node.attr:
            yield Draft((_tail(start, node.attr, name),), 1.0 - 0.015 * rank)
    for rank, name in enumerate(scope.values):
        yield from scope.replace(node, name, 0.5 - 0.01 * rank)


def expression_to_name(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Use a plain name where an expression stands."""
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not scope.is_called(node):
        for name in scope.values:
            yield from scope.replace(node, name)


def name_to_attribute(scope: Scope, node: ast.Name) -> Iterator[Draft]:
    """Use an attribute of `self` where a name stands."""
    if (
        isinstance(node.ctx, ast.Load)
        and "self" in scope.names
        and node.id != "self"
        and not scope.is_called(node)
    ):
        for rank, name in enumerate(scope.attributes[:16]):
            yield from scope.replace(
                node, f"self.{name}", 1.0 if name.lstrip("_") == node.id else 0.5 - 0.01 * rank
            )


def _tail(start: int, old: str, new: str) -> Splice:
    return Splice(start, start + len(old.encode()), new)


def _alike(scope: Scope, name: str) -> frozenset[str]:
    for kind in (scope.sequences, scope.numbers):
        if name in kind:
            return kind
    return frozenset(scope.parameters)


TEMPLATES = (
    Template("variable", 0.7, (ast.Name,), variable, "another name that the function binds"),
    Template("target", 0.6, (ast.Name,), target, "bind another name"),
    Template("parameter", 0.6, (ast.Lambda,), parameter, "a parameter of a lambda named as it is read"),
    Template("attribute", 0.6, (ast.Attribute,), attribute, "another attribute"),
    Template(
        "to-name",
        0.33,
        (ast.Subscript, ast.Call, ast.BinOp, ast.Compare, ast.BoolOp),
        expression_to_name,
        "a name where an expression stands",
        2,
    ),
    Template("to-attribute", 0.3, (ast.Name,), name_to_attribute, "an attribute of self where a name stands"),
)
