"""Edits of constants: numbers, booleans, strings, None, and values off by one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .operators import neutral
from .scope import Draft, Scope, Template


def number(scope: Scope, node: ast.Constant) -> Iterator[Draft]:
    """Take a near number: one more or less, 0, 1, 2, the other sign, double, half, ten times."""
    value = node.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    near = [value + 1, value - 1, 0, 1, -1, 2, -value, value * 2, value * 10]
    near += [value // 2, value // 10] if isinstance(value, int) else [value / 2, value / 10]
    parent = scope.parent(node)
    seen = {value}
    if isinstance(parent, ast.BinOp) and node is parent.right:
        seen |= neutral(parent.op)  # to leave the operand away says the same plainly
    for rank, new in enumerate(near):
        if new not in seen:
            seen.add(new)
            yield from scope.replace(node, repr(new), 1.0 - 0.06 * rank)
    for rank, text in enumerate(_numbers(scope)):
        yield from scope.replace(node, text, 0.5 - 0.02 * rank)
    yield from scope.replace(node, "None", 0.35)


def truth(scope: Scope, node: ast.Constant) -> Iterator[Draft]:
    """Turn True into False, False into True, None into either."""
    if isinstance(node.value, bool):
        yield from scope.replace(node, str(not node.value))
        yield from scope.replace(node, "None", 0.5)
    elif node.value is None:
        for rank, text in enumerate(("False", "True", "0", "1", "''", "[]", "()", "{}")):
            yield from scope.replace(node, text, 0.6 - 0.04 * rank)


def string(scope: Scope, node: ast.Constant) -> Iterator[Draft]:
    """Take another string of the file, the empty one, or one with a blank or case changed."""
    value = node.value
    if not isinstance(value, (str, bytes)) or isinstance(scope.parent(node), ast.Expr):
        return
    near: list[str | bytes] = [value.strip(), value.lower(), value.upper(), value[:-1], value[1:]]
    if isinstance(value, str):
        near += ["", value + " ", " " + value, " "]
    for rank, new in enumerate(dict.fromkeys(near)):
        if new != value:
            yield from scope.replace(node, repr(new), 0.8 - 0.05 * rank)
    if isinstance(value, str):
        for rank, text in enumerate(scope.strings):
            yield from scope.replace(node, text, 0.7 - 0.012 * rank)


def named(scope: Scope, node: ast.Constant) -> Iterator[Draft]:
    """Use a parameter or a constant of the module where a literal stands."""
    if isinstance(scope.parent(node), ast.Expr):
        return
    for rank, name in enumerate(dict.fromkeys([*scope.parameters, *scope.values])):
        yield from scope.replace(node, name, 1.0 - 0.03 * rank)
    for rank, name in enumerate(scope.globals[:12]):
        yield from scope.replace(node, name, 0.4 - 0.02 * rank)


def off_by_one(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Add one to a value or take one from it, where values are counted, indexed or returned."""
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or not _counts(scope, node):
        return
    parent = scope.parent(node)
    is_sum = isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Sub))
    if is_sum and isinstance(getattr(parent, "right", None), ast.Constant):
        return  # another number there says the same plainly
    text = scope.text(node)
    if "\n" not in text:
        yield from scope.replace(node, f"{text} + 1")
        yield from scope.replace(node, f"{text} - 1")


def _counts(scope: Scope, node: ast.expr) -> bool:
    parent = scope.parent(node)
    if isinstance(node, ast.Name) and (node.id in scope.sequences or node.id in ("self", "cls")):
        return False
    if isinstance(parent, ast.Call):
        return node is not parent.func
    if isinstance(parent, ast.Subscript):
        return node is parent.slice
    return isinstance(
        parent,
        (ast.BinOp, ast.Compare, ast.Slice, ast.Return, ast.Assign, ast.AugAssign, ast.Tuple, ast.keyword),
    )


def _numbers(scope: Scope) -> list[str]:
    found = [
        scope.text(node)
        for node in scope.nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    ]
    return list(dict.fromkeys(found))[:8]


TEMPLATES = (
    Template("number", 0.9, (ast.Constant,), number, "a near number"),
    Template("truth", 0.9, (ast.Constant,), truth, "True for False, False for True, either for None"),
    Template("string", 0.6, (ast.Constant,), string, "another string of the file, or a near one"),
    Template("named", 0.35, (ast.Constant,), named, "a name where a literal stands"),
    Template(
        "off-by-one",
        0.6,
        (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.BinOp),
        off_by_one,
        "one more or one less",
    ),
)
