"""Edits of conditions: negated, dropped, added, exchanged, fixed."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from ..source.source import Splice
from .scope import Draft, Scope, Template


def negate(scope: Scope, node: ast.If | ast.While | ast.IfExp | ast.Assert) -> Iterator[Draft]:
    """Test the opposite."""
    yield from _negated(scope, node.test)


def negate_part(scope: Scope, node: ast.BoolOp) -> Iterator[Draft]:
    """Test the opposite of one part of a condition."""
    for value in node.values:
        yield from _negated(scope, value)


def negate_filter(scope: Scope, node: ast.comprehension) -> Iterator[Draft]:
    """Keep what was left out, or leave a filter away."""
    for test in node.ifs:
        yield from _negated(scope, test)
        start = scope.source.data.rfind(b"if", 0, scope.source.span(test)[0])
        yield Draft((Splice(start, scope.source.span(test)[1], ""),), 0.7)


def negate_result(scope: Scope, node: ast.Return) -> Iterator[Draft]:
    """Yield back the opposite."""
    if node.value is not None:
        yield from _negated(scope, node.value)


def drop_part(scope: Scope, node: ast.BoolOp) -> Iterator[Draft]:
    """Leave one part of a condition away."""
    word = "and" if isinstance(node.op, ast.And) else "or"
    for left_out in range(len(node.values)):
        rest = [value for place, value in enumerate(node.values) if place != left_out]
        text = f" {word} ".join(
            scope.operand(value) if len(rest) > 1 else scope.text(value) for value in rest
        )
        yield from scope.replace(node, text)


def add_part(scope: Scope, node: ast.If | ast.While | ast.IfExp) -> Iterator[Draft]:
    """Ask for one thing more, or be content with one thing else."""
    own = scope.operand(node.test)
    for predicate, factor in _predicates(scope):
        if predicate == scope.text(node.test):
            continue
        narrow = predicate.startswith("not ") or predicate.endswith(" is None")
        widened = f"{predicate} or {own}" if narrow else f"{own} or {predicate}"
        yield from scope.replace(node.test, f"{predicate} and {own}", factor)
        yield from scope.replace(node.test, widened, factor)


def other_test(scope: Scope, node: ast.If | ast.While | ast.IfExp) -> Iterator[Draft]:
    """Test something else that the function tests, or nothing at all."""
    for predicate, factor in _predicates(scope):
        yield from scope.replace(node.test, predicate, factor)
    yield from scope.replace(node.test, "True", 0.6)
    yield from scope.replace(node.test, "False", 0.6)


def identity(scope: Scope, node: ast.If | ast.While | ast.IfExp) -> Iterator[Draft]:
    """Ask for None instead of for truth, and the other way round."""
    test = node.test
    inner = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    if isinstance(inner, (ast.Name, ast.Attribute)):
        text = scope.text(inner)
        yield from scope.replace(test, f"{text} is None" if inner is not test else f"{text} is not None")
    elif (
        isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)) and len(test.ops) == 1
    ):
        left = scope.text(test.left)
        yield from scope.replace(test, left if isinstance(test.ops[0], ast.IsNot) else f"not {left}")


def branches(scope: Scope, node: ast.IfExp) -> Iterator[Draft]:
    """Exchange the results of a conditional expression, or keep one."""
    yield from scope.exchange(node.body, node.orelse)
    yield from scope.replace(node, scope.text(node.body), 0.7)
    yield from scope.replace(node, scope.text(node.orelse), 0.7)


def short_circuit(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Fall back to another value where one is false: `x or y`, `x and y`."""
    parent = scope.parent(node)
    if isinstance(parent, (ast.Assign, ast.Return, ast.Call, ast.keyword)) and node is not getattr(
        parent, "func", None
    ):
        text = scope.operand(node)
        for rank, other in enumerate([*scope.parameters[:6], "None", "0", "''", "[]", "{}", "()"]):
            if other != text:
                yield from scope.replace(node, f"{text} or {other}", 1.0 - 0.04 * rank)
                yield from scope.replace(node, f"{text} and {other}", 0.6 - 0.03 * rank)


def _negated(scope: Scope, test: ast.expr) -> Iterator[Draft]:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return
    yield from scope.replace(test, f"not {scope.operand(test)}")


def _predicates(scope: Scope) -> Iterator[tuple[str, float]]:
    """Yield conditions on names that the function knows, likely ones first."""
    for rank, text in enumerate(scope.conditions):
        yield text, 1.0 - 0.03 * rank
        if not text.startswith("not "):
            yield f"not ({text})", 0.7 - 0.03 * rank
    for rank, name in enumerate(scope.values[:10]):
        weight = 0.9 - 0.05 * rank
        yield f"{name} is not None", weight
        yield f"{name} is None", weight
        yield name, weight * 0.9
        yield f"not {name}", weight * 0.9
        if name not in scope.sequences:
            for text in ("== 0", "> 0", "< 0", "== 1", "> 1"):
                yield f"{name} {text}", weight * 0.5
    for left, right in itertools.permutations(
        [name for name in scope.values if name in scope.numbers][:5], 2
    ):
        for op in ("<", "<=", "!=", "=="):
            yield f"{left} {op} {right}", 0.45


_TESTS = (ast.If, ast.While, ast.IfExp)
TEMPLATES = (
    Template("negate", 0.75, (*_TESTS, ast.Assert), negate, "the opposite condition"),
    Template("negate-part", 0.6, (ast.BoolOp,), negate_part, "the opposite of one part of a condition"),
    Template("negate-filter", 0.6, (ast.comprehension,), negate_filter, "the opposite filter, or none"),
    Template("negate-result", 0.6, (ast.Return,), negate_result, "the opposite result"),
    Template("drop-part", 0.6, (ast.BoolOp,), drop_part, "one part of a condition less", 2),
    Template("add-part", 0.28, _TESTS, add_part, "one part of a condition more", 2),
    Template("other-test", 0.35, _TESTS, other_test, "another condition", 2),
    Template("identity", 0.55, _TESTS, identity, "`is None` for truth, truth for `is None`"),
    Template("branches", 0.65, (ast.IfExp,), branches, "results of a conditional expression exchanged"),
    Template(
        "short-circuit",
        0.22,
        (ast.Name, ast.Call, ast.Attribute, ast.Subscript),
        short_circuit,
        "`or` another value",
        2,
    ),
)
