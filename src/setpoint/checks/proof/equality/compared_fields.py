"""Find fields of Python's data classes that a change removes from the comparison, and compare them again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion
from setpoint.model import syntax

_NAMES = ("compare", "eq")
"""How `dataclasses.field`, `attrs.field` and `attr.ib` call it."""


def compared_fields(path: str, old: bytes | None, new: bytes) -> list[ChangedFunction]:
    """Return the fields of a file that the base has and compares."""
    try:
        before = dict(_fields(syntax.parse(old or b"")))
        now = list(_fields(syntax.parse(new)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    starts = [0, *(at + 1 for at, byte in enumerate(new) if byte == ord("\n"))]
    return [
        ChangedFunction(path=path, name=name, sabotages={"is compared": (_compared(left_out, starts),)})
        for name, left_out in now
        if left_out is not None and name in before and before[name] is None
    ]


def _fields(module: ast.Module) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the fields of classes, with what takes them out of the comparison."""
    for node in (each for each in ast.walk(module) if isinstance(each, ast.ClassDef)):
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                yield f"{node.name}.{field.target.id}", _left_out(field.value)


def _left_out(value: ast.expr | None) -> ast.expr | None:
    keywords = value.keywords if isinstance(value, ast.Call) else []
    return next(
        (
            each.value
            for each in keywords
            if each.arg in _NAMES and isinstance(each.value, ast.Constant) and each.value.value is False
        ),
        None,
    )


def _compared(value: ast.expr, starts: list[int]) -> Insertion:
    return Insertion(starts[(value.end_lineno or 1) - 1] + (value.end_col_offset or 0), " or True")
