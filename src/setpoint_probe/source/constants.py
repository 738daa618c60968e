"""The constants of a piece of code, from which values for its calls are made."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def constants(function: ast.AST) -> Iterable[str]:
    """Return the constants of a function, and numbers next to them, as expressions."""
    found: dict[str, None] = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or node.value is None:
            continue
        if isinstance(node.value, (int, float, str, bytes)) and len(repr(node.value)) < 30:  # noqa: PLR2004 - no docstrings
            found[repr(node.value)] = None
            if isinstance(node.value, int) and abs(node.value) < 1 << 20:
                found.update({repr(node.value + 1): None, repr(node.value - 1): None})
    return found
