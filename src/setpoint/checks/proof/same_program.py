"""Whether a changed source is the same program: comments, docstrings and layout are not what runs."""

from __future__ import annotations

import ast

from setpoint.model import syntax

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def same_program(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether two states of a Python file do the same, whatever their docstrings and comments say."""
    if not path.endswith(".py") or before is None or after is None:
        return False
    try:
        return _without_docstrings(before) == _without_docstrings(after)
    except (SyntaxError, ValueError, RecursionError):
        return False


def _without_docstrings(source: bytes) -> str:
    module = syntax.parse(source.decode("utf-8"))
    for node in ast.walk(module):
        if isinstance(node, _DOCUMENTED) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value = ast.Constant(value=isinstance(first.value.value, str))
    return ast.dump(module)
