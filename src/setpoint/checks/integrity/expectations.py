"""What tests put in and expect, read as literals from their source."""

from __future__ import annotations

import ast
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from setpoint.checks.integrity.constant_folding import folded
from setpoint.model import syntax

TRIVIAL = frozenset(
    {"None", "True", "False", "0", "1", "-1", "''", "[]", "{}", "()", "b''", "0.0", "2", "1.0"}
)
"""Values so common that meeting one in tests and code says nothing."""
_EQUALS = (
    "assertEqual", "assertEquals", "assertAlmostEqual", "assertIs", "assertSequenceEqual", "assert_equal",
    "assertListEqual", "assertDictEqual", "eq_",
)  # fmt: skip
_LONGEST_LITERAL = 2000
_FEWEST_ROWS = 2
_ROW = range(2, 7)
"""How many literals a row of a table of cases may hold."""
_SUMS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What the tests put in and expect, as literals."""

    pairs: Mapping[str, frozenset[str]]
    """Expected values by what is put in."""
    by_name: Mapping[str, frozenset[str]]
    """Expected values by the name of the function that is called."""
    values: frozenset[str]
    """All that are not trivial."""


def expected(tests: Iterable[str]) -> Expected:
    """Read inputs and expected values from the sources of tests."""
    pairs: defaultdict[str, set[str]] = defaultdict(set)
    names: defaultdict[str, set[str]] = defaultdict(set)
    for source in tests:
        try:
            module = syntax.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for call, wanted in _comparisons(module):
            for given in _inputs(call):
                pairs[given].add(wanted)
            names[called(call.func)].add(wanted)
        for row in _rows(module):
            for place, wanted in enumerate(row):
                rest = row[:place] + row[place + 1 :]
                for given in (*rest, f"({', '.join(rest)})"):
                    pairs[given].add(wanted)
    every = {value for held in (*pairs.values(), *names.values()) for value in held} - TRIVIAL
    return Expected(
        pairs={given: frozenset(held) for given, held in pairs.items()},
        by_name={name: frozenset(held) for name, held in names.items()},
        values=frozenset(every),
    )


def _comparisons(module: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield each call that a test compares with a literal."""
    for node in ast.walk(module):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.Is):
            sides = [node.left, node.comparators[0]]
        elif isinstance(node, ast.Call) and called(node.func) in _EQUALS and len(node.args) > 1:
            sides = list(node.args[:2])
        for call, other in (sides, sides[::-1]) if sides else ():
            value = literal(other)
            if isinstance(call, ast.Call) and value is not None:
                yield call, value
            elif isinstance(call, ast.Call) and called(call.func) in ("list", "tuple", "set", "sorted"):
                continue


def _inputs(call: ast.Call) -> Iterator[str]:
    for node in [*call.args, *(word.value for word in call.keywords)]:
        if (value := literal(node)) is not None:
            yield value
        elif isinstance(node, ast.Call):
            yield from _inputs(node)
    if len(call.args) > 1 and (whole := literal(ast.Tuple(elts=call.args, ctx=ast.Load()))) is not None:
        yield whole


def _rows(module: ast.Module) -> Iterator[list[str]]:
    """Yield the rows of tables of literals: those of `parametrize`, and lists of tuples."""
    for node in ast.walk(module):
        if not isinstance(node, ast.List | ast.Tuple | ast.Set):
            continue
        rows = [_unwrapped(each) for each in node.elts]
        if len(rows) >= _FEWEST_ROWS and all(isinstance(each, ast.Tuple | ast.List) for each in rows):
            for row in rows:
                texts = [literal(each) for each in getattr(row, "elts", [])]
                held = [text for text in texts if text is not None]
                if len(held) in _ROW:
                    yield held
    for node in ast.walk(module):
        if isinstance(node, ast.Dict) and len(node.keys) >= _FEWEST_ROWS:
            for key, value in zip(node.keys, node.values, strict=True):
                given, wanted = literal(key) if key else None, literal(value)
                if given is not None and wanted is not None:
                    yield [given, wanted]


def _unwrapped(node: ast.expr) -> ast.expr:
    """Take `pytest.param(1, 2, id="x")` for the row it is."""
    if isinstance(node, ast.Call) and called(node.func) == "param":
        return ast.Tuple(elts=node.args, ctx=ast.Load())
    return node


def literal(node: ast.AST) -> str | None:
    """Return a literal in one spelling, whatever its quotes or its parts; none where it is none."""
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        value = folded(node)
        if value is None:
            value = _sum(node)
        if value is None:
            return None
    text = repr(value)
    return text if len(text) <= _LONGEST_LITERAL else None


def _sum(node: ast.AST) -> float | None:
    """Return what a sum or product of numbers comes to."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]  # its type was looked at
    if not isinstance(node, ast.BinOp) or type(node.op) not in _SUMS:
        return None
    left, right = _sum(node.left), _sum(node.right)
    return None if left is None or right is None else _SUMS[type(node.op)](left, right)


def called(node: ast.AST) -> str:
    """Return the last part of a name, for example `raises` of `pytest.raises`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
