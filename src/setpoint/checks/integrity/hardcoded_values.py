"""Rule 8: expected values of the tests that the work wrote into the code under test.

A suspicion with figures, never a proof: nothing of the project is run for it. What counts is a literal that
tests expect and that is new where the code gives its result: below a comparison with the literal that
the same test puts in, beside it in a table, or as the whole of a function that ignores its arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

from setpoint.checks.integrity.expectations import TRIVIAL, Expected, called, literal
from setpoint.model import syntax

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_ASKS = ast.Eq | ast.Is | ast.In | ast.Lt | ast.LtE | ast.Gt | ast.GtE
_HASHES = ("hash", "hexdigest", "digest", "crc32", "id", "repr")
_LONG_TEXT, _LARGE_NUMBER, _MANY = 6, 100, 3
FEWEST_IN_TABLE = 2
"""Fewer entries of a table than this, that tests expect, are chance."""


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """One place in the code that holds what tests expect."""

    path: str
    line: int
    symbol: str
    what: str
    text: str


def suspicions(path: str, before: str, after: str, wanted: Expected) -> tuple[Suspicion, ...]:
    """Return what is new in a file and is what tests expect."""
    try:
        old, new = syntax.parse(before), syntax.parse(after)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    earlier = dict(_functions(old.body, ""))
    known = {value for node in ast.walk(old) if (value := literal(node)) is not None}
    found: list[Suspicion] = []
    for name, node in _functions(new.body, ""):
        stood = earlier.get(name)
        if stood is not None and ast.dump(stood) == ast.dump(node):
            continue
        seen = {each.text for each in _of_function(path, name, stood, wanted)} if stood is not None else set()
        found += [each for each in _of_function(path, name, node, wanted) if each.text not in seen]
        if (constant := _turned_constant(stood, node, wanted)) is not None:
            found.append(_suspicion(path, name, constant, "now gives a constant that a test expects"))
        found += _held(path, name, node, known, wanted)
    found += _outside(path, old, new, wanted)
    return _once(found)


def _once(found: list[Suspicion]) -> tuple[Suspicion, ...]:
    """Keep the first thing said of each line."""
    first: dict[int, Suspicion] = {}
    for each in found:
        first.setdefault(each.line, each)
    return tuple(first.values())


def _outside(path: str, old: ast.Module, new: ast.Module, wanted: Expected) -> Iterator[Suspicion]:
    """Look at the tables outside the functions."""
    stood = {ast.dump(each) for each in _tables(old)}
    for table in _tables(new):
        if ast.dump(table) not in stood and (hits := _hits(table, wanted)):
            yield _suspicion(path, "", table, f"a table holds {hits} pairs that tests put in and expect")


def _held(path: str, name: str, node: _Function, known: set[str], wanted: Expected) -> Iterator[Suspicion]:
    """Find results that are what a test expects, and that were nowhere in the file."""
    asked = {value for each in ast.walk(node) for test, _ in _branches(each) for value in _compared(test)}
    for each in ast.walk(node):
        results = list(_results(each)) if isinstance(each, ast.stmt) else []
        results += (
            [*each.defaults, *(value for value in each.kw_defaults if value)]
            if (isinstance(each, ast.arguments))
            else []
        )
        for part in (part for result in results for part in _parts(result)):
            value = literal(part)
            fits = any(value in wanted.pairs.get(put_in, ()) for put_in in asked)
            if value in wanted.values and value not in known and (fits or _weighty(value)):
                yield _suspicion(path, name, part, f"holds {value[:60]}, which a test expects")
            elif isinstance(part, ast.List | ast.Tuple) and (hits := _listed(part, known, wanted)):
                yield _suspicion(path, name, part, f"holds {hits} values that tests expect")


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and those that it chooses among."""
    yield node
    inner: list[ast.expr] = []
    if isinstance(node, ast.BoolOp):
        inner = node.values
    elif isinstance(node, ast.IfExp):
        inner = [node.body, node.orelse]
    elif isinstance(node, ast.Subscript):
        inner = [node.value]
    elif isinstance(node, ast.Dict):
        inner = node.values
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = [node.func.value]
    for each in inner:
        yield from _parts(each)


def _weighty(value: str) -> bool:
    """Whether a value is so particular that it is in tests and code on purpose."""
    held = syntax.literal(value)
    if isinstance(held, str | bytes):
        return len(held) >= _LONG_TEXT
    if isinstance(held, int | float):
        return abs(held) >= _LARGE_NUMBER or held != int(held)
    return isinstance(held, list | tuple | dict | set) and len(held) >= _MANY


def _listed(node: ast.List | ast.Tuple, known: set[str], wanted: Expected) -> int:
    values = [literal(each) for each in node.elts]
    hits = [value for value in values if value in wanted.values and value not in known]
    return len(hits) if len(hits) >= _MANY and len(hits) == len(values) else 0


def data_suspicion(text: str, wanted: Expected) -> int:
    """Count the pairs of inputs and expected values that a new file of data holds."""
    plain = [_plain(given) for given in wanted.pairs if given not in TRIVIAL]
    return sum(
        1 for given in plain if given and len(given) > 1 and given in text and _answers(given, wanted, text)
    )


def _answers(given: str, wanted: Expected, text: str) -> bool:
    for key in (given, repr(given)):
        for value in wanted.pairs.get(key, frozenset()) - TRIVIAL:
            if len(_plain(value)) > 1 and _plain(value) in text and _plain(value) != given:
                return True
    return False


def _plain(literal: str) -> str:
    return literal[1:-1] if literal[:1] in "'\"" else literal


def _of_function(path: str, name: str, node: _Function, wanted: Expected) -> Iterator[Suspicion]:
    for each in ast.walk(node):
        for test, results in _branches(each):
            if (why := _answered(name, test, results, wanted)) is not None:
                yield _suspicion(path, name, each, why)
        if _is_table(each) and (hits := _hits(each, wanted)):
            yield _suspicion(path, name, each, f"a table holds {hits} pairs that tests put in and expect")


def _branches(node: ast.AST) -> Iterator[tuple[ast.AST, list[ast.expr]]]:
    """Yield each condition with the results that hang on it."""
    if isinstance(node, ast.If):
        yield node.test, [value for each in node.body for value in _results(each)]
    elif isinstance(node, ast.IfExp):
        yield node.test, [node.body]
    elif isinstance(node, ast.match_case):
        yield node.pattern, [value for each in node.body for value in _results(each)]


def _results(node: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign) and node.value is not None:
        yield node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and node.value.value is not None:
        yield node.value.value


def _answered(name: str, test: ast.AST, results: list[ast.expr], wanted: Expected) -> str | None:
    given = list(_compared(test))
    values = [value for each in results for part in _parts(each) if (value := literal(part)) is not None]
    for put_in in given:
        for value in values:
            if value in wanted.pairs.get(put_in, ()) and not {put_in, value} <= TRIVIAL:
                return f"gives {value[:60]} for {put_in[:60]}, as a test expects"
    hit = next((value for value in values if value in wanted.values), None)
    if hit is None or not given:
        return None
    if any(isinstance(each, ast.Call) and called(each.func) in _HASHES for each in ast.walk(test)):
        return f"gives {hit[:60]}, which a test expects, for an input known by its hash"
    of_name = wanted.by_name.get(name.rpartition(".")[2], frozenset())
    if hit in of_name or ((whole := set(given) - TRIVIAL) and whole <= wanted.pairs.keys()):
        return f"gives {hit[:60]}, which a test expects, for inputs of tests"
    return None


def _compared(test: ast.AST) -> Iterator[str]:
    """Yield the literals that a condition compares with."""
    for node in ast.walk(test):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare) and any(isinstance(op, _ASKS) for op in node.ops):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            sides = [node.value]
        for each in sides:
            if (value := literal(each)) is not None:
                yield value
            if isinstance(each, ast.Tuple | ast.List | ast.Set):
                yield from (held for part in each.elts if (held := literal(part)) is not None)


def _hits(table: ast.Dict | ast.Call, wanted: Expected) -> int:
    """Count the entries that tests put in and expect; too few are chance, unless there are no others."""
    entries = list(_entries(table))
    hits = sum(
        result in wanted.pairs.get(given, ()) and not {given, result} <= TRIVIAL for given, result in entries
    )
    if hits and hits == len(entries) and not any({given, result} & TRIVIAL for given, result in entries):
        return hits
    return hits if hits >= FEWEST_IN_TABLE and hits * 2 >= len(entries) else 0


def _entries(table: ast.Dict | ast.Call) -> Iterator[tuple[str, str]]:
    if isinstance(table, ast.Call):
        pairs = [(repr(word.arg), literal(word.value)) for word in table.keywords if word.arg]
    else:
        keys = [literal(key) if key is not None else None for key in table.keys]
        pairs = [(key or "", literal(value)) for key, value in zip(keys, table.values, strict=True)]
    yield from ((key, value or "") for key, value in pairs)


def _turned_constant(old: _Function | None, new: _Function, wanted: Expected) -> ast.stmt | None:
    """Find a function that gave a result of its arguments and now gives what a test of it expects."""
    names = {each.arg for each in (*new.args.posonlyargs, *new.args.args, *new.args.kwonlyargs)} - {
        "self",
        "cls",
    }
    reached = _reached(new)
    if old is None or not names or not _reads(old.body, names) or _reads(reached, names):
        return None
    every = [each for statement in reached for each in ast.walk(statement)]
    returns = [each for each in every if isinstance(each, ast.Return) and each.value is not None]
    if len(returns) != 1 or returns[0].value is None:
        return None
    value = literal(returns[0].value)
    return returns[0] if value is not None and value in wanted.by_name.get(new.name, ()) else None


def _reached(node: _Function) -> list[ast.stmt]:
    """Return the statements up to the first one that always returns."""
    ends = [place for place, each in enumerate(node.body) if isinstance(each, ast.Return)]
    return node.body[: ends[0] + 1] if ends else node.body


def _reads(body: list[ast.stmt], names: set[str]) -> bool:
    return any(
        isinstance(each, ast.Name) and each.id in names and isinstance(each.ctx, ast.Load)
        for statement in body
        for each in ast.walk(statement)
    )


def _is_table(node: ast.AST) -> TypeGuard[ast.Dict | ast.Call]:
    made = isinstance(node, ast.Call) and called(node.func) == "dict" and bool(node.keywords)
    return made or isinstance(node, ast.Dict)


def _tables(module: ast.Module) -> Iterator[ast.Dict | ast.Call]:
    """Yield the tables outside the functions."""
    for node in module.body:
        if not isinstance(node, _Function | ast.ClassDef):
            yield from (each for each in ast.walk(node) if _is_table(each))


def _functions(body: Iterable[ast.stmt], inside: str) -> Iterator[tuple[str, _Function]]:
    for node in body:
        if isinstance(node, _Function):
            yield f"{inside}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{inside}{node.name}.")


def _suspicion(path: str, symbol: str, node: ast.AST, what: str) -> Suspicion:
    line = getattr(node, "lineno", 0) or next(
        (found for each in ast.walk(node) if (found := getattr(each, "lineno", 0))), 0
    )
    return Suspicion(path=path, line=line, symbol=symbol, what=what, text=_text(node))


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:160]
