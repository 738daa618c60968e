"""Make plausible wrong patches of a function, and take the tests that name it out of a file."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Div: ast.Mult,
}  # fmt: skip


def mutants(source: str, name: str) -> list[str]:
    """Return the file with one part of a function changed, once for each part."""
    tree = ast.parse(source)
    at = next(number for number, each in enumerate(tree.body) if getattr(each, "name", "") == name)
    lines = source.splitlines()
    node = tree.body[at]
    start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    made = []
    for number, _ in enumerate(ast.walk(node)):
        for changed in _changed(node, number):
            text = ast.unparse(changed)
            made.append("\n".join([*lines[: start - 1], text, *lines[node.end_lineno :]]) + "\n")
    return list(dict.fromkeys(made))


def _changed(function: ast.stmt, number: int) -> Iterator[ast.stmt]:
    """Yield a function with its n-th part changed in each way that fits."""
    for way in range(2):
        whole = copy.deepcopy(function)
        part = list(ast.walk(whole))[number]
        if _change(part, way):
            yield ast.fix_missing_locations(whole)


def _change(part: ast.AST, way: int) -> bool:  # noqa: C901 - one case for each kind of fault
    if way:
        if isinstance(part, ast.Constant) and type(part.value) is int:
            part.value -= 1
            return True
        return False
    match part:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
            part.ops = [_COMPARED[type(operator)]()]
        case ast.BinOp(op=operator) if type(operator) in _COMPUTED:
            part.op = _COMPUTED[type(operator)]()
        case ast.BoolOp(op=ast.And()):
            part.op = ast.Or()
        case ast.BoolOp(op=ast.Or()):
            part.op = ast.And()
        case ast.Constant(value=bool(value)):
            part.value = not value
        case ast.Constant(value=int(value)):
            part.value = value + 1
        case ast.If() | ast.IfExp() | ast.While():
            part.test = ast.UnaryOp(op=ast.Not(), operand=part.test)
        case ast.Slice(lower=ast.expr()):
            part.lower = None
        case ast.Slice(upper=ast.expr()):
            part.upper = None
        case _:
            return False
    return True


def without(source: str, name: str) -> tuple[str, str]:
    """Return a file of tests without those that name a function, and one with these alone; empty for none."""
    tree, lines = ast.parse(source), source.splitlines()
    tests = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test")]
    word = re.compile(rf"\b{name}\b")
    spans = {each: _span(each) for each in tests}
    own = [
        each
        for each in tests
        if any(word.search(line) for line in lines[spans[each].start : spans[each].stop])
    ]
    others = [each for each in tests if each not in own]
    if not own or not others:
        return "", ""
    return _left(lines, [spans[each] for each in own]), _left(lines, [spans[each] for each in others])


def _span(node: ast.FunctionDef) -> range:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return range(first - 1, node.end_lineno or first)


def _left(lines: list[str], gone: list[range]) -> str:
    return (
        "\n".join(line for number, line in enumerate(lines) if not any(number in span for span in gone))
        + "\n"
    )
