"""A change of source that changes nothing that it does: a test that fails on it reads the code itself."""

from __future__ import annotations

import ast

from setpoint.model import syntax

_NEUTRAL = "_neutral = None"


def neutrally_changed(source: str) -> str:
    """Put a statement without effect at the top of every function that has a body of its own lines."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError):
        return source
    lines = source.splitlines(keepends=True)
    places = set[tuple[int, int]]()
    for node in ast.walk(module):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if _is_docstring(node.body[0]) else node.body
        if body and body[0].lineno > node.lineno:
            first = body[0]
            marks = getattr(first, "decorator_list", [])
            places.add((min([first.lineno, *(mark.lineno for mark in marks)]), first.col_offset))
    for line, column in sorted(places, reverse=True):
        before = lines[line - 1][:column] if line <= len(lines) else ""
        if not before.strip():
            lines.insert(line - 1, f"{before or ' ' * column}{_NEUTRAL}\n")
    return "".join(lines)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
