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
    """Return what a file does; its docstrings are left in where its code, or a doctest, may read them."""
    module = syntax.parse(source.decode("utf-8"))
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(module)}
    if "__doc__" in names or b">>>" in source:
        return ast.dump(module)
    for node in ast.walk(module):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(module)
