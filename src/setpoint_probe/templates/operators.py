"""Edits of operators: comparisons, arithmetic, boolean operators, signs and operands."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .scope import Draft, Scope, Template

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_NEAR_COMPARISONS = {
    "<": ("<=", ">", ">=", "==", "!="),
    "<=": ("<", ">=", ">", "==", "!="),
    ">": (">=", "<", "<=", "!=", "=="),
    ">=": (">", "<=", "<", "==", "!="),
    "==": ("!=", "<=", ">=", "<", ">", "is", "in"),
    "!=": ("==", "<", ">", "<=", ">=", "is not"),
    "is": ("is not", "==", "in"),
    "is not": ("is", "!="),
    "in": ("not in", "=="),
    "not in": ("in", "!="),
}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_OPERATORS = {sign: kind for kind, sign in ARITHMETIC.items()}
_NEAR_ARITHMETIC = {
    "+": ("-", "*", "|"),
    "-": ("+", "*", "//"),
    "*": ("/", "**", "+", "//"),
    "/": ("*", "//", "%"),
    "//": ("/", "%", "*"),
    "%": ("//", "/", "*"),
    "**": ("*", "//"),
    "&": ("|", "^", "-"),
    "|": ("&", "^", "+"),
    "^": ("|", "&"),
    "<<": (">>",),
    ">>": ("<<",),
}


def comparison(scope: Scope, node: ast.Compare) -> Iterator[Draft]:
    """Take another comparison operator."""
    parts = [node.left, *node.comparators]
    for place, op in enumerate(node.ops):
        old = COMPARISONS[type(op)]
        for rank, new in enumerate(_NEAR_COMPARISONS[old]):
            yield from scope.gap(parts[place], parts[place + 1], old, new, 1.0 - 0.08 * rank)


def arithmetic(scope: Scope, node: ast.BinOp) -> Iterator[Draft]:
    """Take another arithmetic or bit operator."""
    old = ARITHMETIC.get(type(node.op), "")
    number = node.right.value if isinstance(node.right, ast.Constant) else None
    for rank, new in enumerate(_NEAR_ARITHMETIC.get(old, ())):
        if number not in neutral(_OPERATORS[new]):
            yield from scope.gap(node.left, node.right, old, new, 1.0 - 0.1 * rank)


def neutral(op: ast.operator | type[ast.operator]) -> set[int]:
    """Return the numbers that change nothing on the right of an operator."""
    kind = op if isinstance(op, type) else type(op)
    if kind in (ast.Add, ast.Sub, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift):
        return {0}
    return {1} if kind in (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow) else set()


def augmented(scope: Scope, node: ast.AugAssign) -> Iterator[Draft]:
    """Take another operator in an assignment like `+=`, or a plain one."""
    old = ARITHMETIC.get(type(node.op), "")
    for rank, new in enumerate(_NEAR_ARITHMETIC.get(old, ())):
        yield from scope.gap(node.target, node.value, f"{old}=", f"{new}=", 1.0 - 0.1 * rank)
    yield from scope.gap(node.target, node.value, f"{old}=", "=", 0.75)


def to_augmented(scope: Scope, node: ast.Assign) -> Iterator[Draft]:
    """Add to or take from what a name held instead of binding it anew."""
    if len(node.targets) == 1 and isinstance(node.targets[0], (ast.Name, ast.Attribute, ast.Subscript)):
        for new in ("+=", "-=", "|="):
            yield from scope.gap(node.targets[0], node.value, "=", new)


def boolean(scope: Scope, node: ast.BoolOp) -> Iterator[Draft]:
    """Turn `and` into `or` and the other way round: all of a chain, or one of it."""
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    steps = [
        list(scope.gap(left, node.values[place + 1], old, new)) for place, left in enumerate(node.values[:-1])
    ]
    if all(steps):
        yield Draft(tuple(edit for step in steps for draft in step for edit in draft.edits))
        if len(steps) > 1:
            for step in steps:
                yield Draft(step[0].edits, 0.6)


def sign(scope: Scope, node: ast.UnaryOp) -> Iterator[Draft]:
    """Take away a `not`, a minus or another sign."""
    yield from scope.replace(node, scope.text(node.operand))


def add_sign(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Put a minus before an operand, a returned value or an argument."""
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and _is_value_place(scope, node):
        yield from scope.replace(node, f"-{scope.operand(node)}")


def _is_value_place(scope: Scope, node: ast.expr) -> bool:
    parent = scope.parent(node)
    if isinstance(parent, ast.Call):
        return node is not parent.func
    if isinstance(parent, ast.Subscript):
        return node is parent.slice
    return isinstance(parent, (ast.BinOp, ast.Return, ast.Assign, ast.Compare, ast.Slice))


def swap_operands(scope: Scope, node: ast.BinOp) -> Iterator[Draft]:
    """Write the operands of an operator the other way round."""
    if not isinstance(node.op, (ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)):
        yield from scope.exchange(node.left, node.right)


def swap_compared(scope: Scope, node: ast.Compare) -> Iterator[Draft]:
    """Write the sides of a comparison the other way round."""
    if len(node.ops) == 1 and not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
        yield from scope.exchange(node.left, node.comparators[0])


def drop_operand(scope: Scope, node: ast.BinOp) -> Iterator[Draft]:
    """Keep one operand only."""
    yield from scope.replace(node, scope.text(node.left))
    yield from scope.replace(node, scope.text(node.right), 0.9)


TEMPLATES = (
    Template("comparison", 1.0, (ast.Compare,), comparison, "another comparison operator"),
    Template("arithmetic", 0.9, (ast.BinOp,), arithmetic, "another arithmetic operator"),
    Template("augmented", 0.85, (ast.AugAssign,), augmented, "another operator in `+=` and its like"),
    Template("to-augmented", 0.4, (ast.Assign,), to_augmented, "`=` becomes `+=` or its like"),
    Template("boolean", 0.9, (ast.BoolOp,), boolean, "`and` for `or`, `or` for `and`"),
    Template("drop-sign", 0.7, (ast.UnaryOp,), sign, "no `not`, no minus"),
    Template(
        "add-sign",
        0.3,
        (ast.Name, ast.Call, ast.Attribute, ast.Constant, ast.Subscript),
        add_sign,
        "a minus before a value",
    ),
    Template("swap-operands", 0.5, (ast.BinOp,), swap_operands, "operands the other way round"),
    Template(
        "swap-compared", 0.5, (ast.Compare,), swap_compared, "sides of a comparison the other way round"
    ),
    Template("drop-operand", 0.45, (ast.BinOp,), drop_operand, "one operand only", 2),
)
