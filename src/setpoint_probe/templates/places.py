"""Where statements stand: their whole lines and their indentation."""

from __future__ import annotations

import ast

from .scope import Scope


def whole_lines(scope: Scope, node: ast.stmt) -> tuple[int, int] | None:
    """Return the whole lines of a statement; none where it shares them or stands outside a block."""
    if node is scope.unit.node:
        return None
    start, end = scope.source.lines_span(node.lineno, node.end_lineno or node.lineno)
    before = scope.source.data[start : scope.source.span(node)[0]]
    after = scope.source.data[scope.source.span(node)[1] : end].strip()
    decorated = bool(getattr(node, "decorator_list", None))
    return None if before.strip() or (after and not after.startswith(b"#")) or decorated else (start, end)


def indent_of(scope: Scope, node: ast.stmt) -> str:
    """Return what stands before a statement in its line."""
    start = scope.source.offsets[node.lineno - 1]
    return scope.source.between(start, start + node.col_offset)


def is_docstring(node: ast.stmt) -> bool:
    """Return whether a statement is a plain value, as a docstring is."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
