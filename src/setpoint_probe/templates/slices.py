"""Edits of slices and indices."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..source.source import Splice
from .scope import Draft, Scope, Template


def bounds(scope: Scope, node: ast.Slice) -> Iterator[Draft]:
    """Move, drop, add or exchange the bounds of a slice."""
    low, high, step = (scope.text(part) if part else "" for part in (node.lower, node.upper, node.step))
    variants = [("", high, step), (low, "", step), (low, high, ""), (high, low, step), ("1", high, step)]
    variants += [(low, "-1", step), (low, high, "-1"), (low, high, "2")]
    variants += [(f"{part} + 1", high, step) for part in (low,) if part] + [
        (f"{part} - 1", high, step) for part in (low,) if part
    ]
    variants += [(low, f"{part} + 1", step) for part in (high,) if part] + [
        (low, f"{part} - 1", step) for part in (high,) if part
    ]
    for name in scope.values[:8]:
        if name not in scope.sequences:
            variants += [(name, high, step), (low, name, step)]
    for rank, (new_low, new_high, new_step) in enumerate(dict.fromkeys(variants)):
        if (new_low, new_high, new_step) != (low, high, step):
            text = f"{new_low}:{new_high}" + (f":{new_step}" if new_step else "")
            yield Draft((Splice(*scope.source.span(node), text),), 1.0 - 0.02 * rank)


def index(scope: Scope, node: ast.Subscript) -> Iterator[Draft]:
    """Take another element, or all of it."""
    if isinstance(node.slice, ast.Slice):
        return
    if isinstance(node.ctx, ast.Load):
        yield from scope.replace(node, scope.text(node.value), 0.7)
    inner = scope.operand(node.slice)
    yield from scope.replace(node.slice, f"-{inner}", 0.8)
    for rank, text in enumerate(("0", "-1", "1", *scope.values[:8])):
        yield from scope.replace(node.slice, text, 0.9 - 0.03 * rank)


def sliced(scope: Scope, node: ast.Name) -> Iterator[Draft]:
    """Take a part of a sequence where all of it was taken."""
    if (
        not isinstance(node.ctx, ast.Load)
        or isinstance(scope.parent(node), (ast.Attribute, ast.Subscript, ast.Call)) is False
    ):
        return
    if scope.is_called(node):
        return
    likely = 1.0 if node.id in scope.sequences else 0.5
    for part in ("[1:]", "[:-1]", "[::-1]", "[0]", "[-1]", "[:]"):
        yield from scope.replace(node, f"{node.id}{part}", likely)
    for rank, name in enumerate(scope.values[:6]):
        if name != node.id and name not in scope.sequences:
            yield from scope.replace(node, f"{node.id}[{name}]", 0.7 * likely - 0.02 * rank)
            yield from scope.replace(node, f"{node.id}[{name}:]", 0.6 * likely - 0.02 * rank)
            yield from scope.replace(node, f"{node.id}[:{name}]", 0.6 * likely - 0.02 * rank)


TEMPLATES = (
    Template("slice", 0.5, (ast.Slice,), bounds, "other bounds of a slice"),
    Template("index", 0.5, (ast.Subscript,), index, "another element"),
    Template("sliced", 0.25, (ast.Name,), sliced, "a part of a sequence", 2),
)
