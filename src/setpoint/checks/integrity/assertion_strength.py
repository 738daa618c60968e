"""Rule 4: how much each test demands, read from its syntax tree, before and after."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace

from setpoint.model import syntax

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_STRONG_METHODS = (
    "assertEqual", "assertIs", "assertRaises", "assertAlmostEqual", "assertDictEqual", "assertListEqual",
    "assertTupleEqual", "assertSetEqual", "assertSequenceEqual", "assertCountEqual", "assertMultiLineEqual",
    "assertWarns", "assert_called_with", "assert_called_once_with", "assert_has_calls", "assert_frame_equal",
    "assert_array_equal", "assert_equal",
)  # fmt: skip
_HELPERS = ("assert", "check", "verify", "expect", "ensure")
_RAISING = ("raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns")
_ANY_ERROR = frozenset({"Exception", "BaseException", "Warning", "object"})
_BUILT_IN = frozenset(dir(builtins))
_TELLING = frozenset({"__import__", "eval", "exec", "globals", "locals", "vars", "open", "getattr"})
"""Built-ins that reach what is not."""
_ALWAYS_TRUE = ("repr", "ascii", "type", "id")
"""Built-ins whose result is true whatever they were given."""
_TOLERANCES = ("rel", "abs", "delta", "rel_tol", "abs_tol", "rtol", "atol")


@dataclass(frozen=True, kw_only=True)
class Strength:
    """What one test demands; the first four make it stronger, the others weaker."""

    asserts: int = 0
    """Assertions of any kind, those of the helpers it calls included."""
    strong: int = 0
    """Of these: equality, identity, exceptions by type."""
    cases: int = 0
    """Values in its tables of cases; 0 where it has none."""
    matches: int = 0
    """Exceptions whose message is looked at."""
    constant: int = 0
    """Assertions that cannot fail."""
    swallowed: int = 0
    """Handlers that swallow a failure of the test."""
    wide: int = 0
    """Demands for any exception at all."""
    tolerance: float = 0.0
    """Sum of the tolerances of approximate comparisons."""
    places: int = 0
    """Sum of the decimal places that are compared; fewer is weaker."""
    skipped: int = 0
    """Marks and calls that leave it out, return early or expect it to fail."""

    def plus(self, other: Strength) -> Strength:
        """Add up what two pieces of code demand."""
        summed = {each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)}
        return replace(self, **summed)


def strengths(source: str) -> dict[str, Strength]:
    """Return the strength of each function in a file of tests, by qualified name (`TestA::test_b`).

    A helper of the same file counts with each test that calls it. A file that does not parse has none.
    """
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    functions = dict(_functions(module, ""))
    by_name = {name.rpartition("::")[2]: name for name in functions}
    tables = dict(_tables(module))
    own = {name: _own(node, by_name.keys(), tables) for name, node in functions.items()}
    return {name: _whole(name, functions, own, by_name) for name in functions}


def weaker(before: Strength, after: Strength) -> tuple[str, ...]:
    """Say in which ways a test demands less than it did, each with its figures."""
    lost = [
        f"{word} {getattr(before, name)} -> {getattr(after, name)}"
        for name, word in (
            ("asserts", "assertions"), ("strong", "exact assertions"), ("cases", "values in its tables"),
            ("matches", "messages looked at"), ("places", "decimal places compared"),
        )
        if getattr(after, name) < getattr(before, name)
    ]  # fmt: skip
    gained = [
        f"{word} {getattr(before, name):g} -> {getattr(after, name):g}"
        for name, word in (
            ("constant", "assertions that cannot fail"), ("swallowed", "swallowed failures"),
            ("wide", "any exception accepted"), ("tolerance", "tolerance"),
            ("skipped", "ways to be left out"),
        )
        if getattr(after, name) > getattr(before, name)
    ]  # fmt: skip
    return (*lost, *gained)


def hollow(strength: Strength) -> tuple[str, ...]:
    """Say why a new test proves nothing; empty where it may."""
    if strength.constant and strength.constant >= strength.asserts:
        return ("its only assertions cannot fail",)
    if strength.swallowed and strength.asserts:
        return ("it swallows its own failures",)
    return ()


def _functions(node: ast.AST, inside: str) -> Iterator[tuple[str, _Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function):
            yield f"{inside}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{inside}{child.name}::")
        elif isinstance(child, ast.stmt):  # tests below an `if` or a `try`
            yield from _functions(child, inside)


def _whole(
    name: str, functions: Mapping[str, _Function], own: Mapping[str, Strength], by_name: Mapping[str, str]
) -> Strength:
    """Add the strength of the helpers in reach, each once."""
    reached, waiting = {name}, [name]
    while waiting:
        for called in _called(functions[waiting.pop()]):
            other = by_name.get(called)
            if other is not None and other not in reached:
                reached.add(other)
                waiting.append(other)
    total = Strength()
    for each in reached:
        total = total.plus(own[each])
    return replace(total, cases=own[name].cases)


def _called(node: _Function) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            if isinstance(each.func, ast.Name):
                yield each.func.id
            elif isinstance(each.func, ast.Attribute):
                yield each.func.attr


def _tables(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield what names stand for that are bound at the top of the file."""
    for node in module.body:
        if isinstance(node, ast.Assign):
            yield from ((each.id, node.value) for each in node.targets if isinstance(each, ast.Name))


def _own(node: _Function, here: Collection[str], tables: Mapping[str, ast.expr]) -> Strength:
    total = Strength(cases=_cases(node, tables), skipped=sum(map(_leaves_out, node.decorator_list)))
    dead = _after_return(node)
    for each in ast.walk(node):
        if id(each) in dead:
            total = total.plus(Strength(skipped=isinstance(each, ast.Assert)))
        elif isinstance(each, ast.Assert):
            total = total.plus(_of_assert(each))
        elif isinstance(each, ast.Call):
            total = total.plus(_of_call(each, here))
        elif isinstance(each, ast.ExceptHandler):
            total = total.plus(Strength(swallowed=_swallows(each)))
        elif isinstance(each, ast.withitem):
            total = total.plus(Strength(swallowed=_suppresses(each.context_expr)))
    return total


def _after_return(node: _Function) -> set[int]:
    """Find statements that are never reached because a bare `return` comes before them."""
    for place, statement in enumerate(node.body):
        if isinstance(statement, ast.Return):
            return {id(each) for later in node.body[place + 1 :] for each in ast.walk(later)}
    return set()


def _of_assert(node: ast.Assert) -> Strength:
    if cannot_fail(node.test):
        return Strength(constant=1)
    return Strength(asserts=1, strong=_exact(node.test))


def _exact(test: ast.expr) -> bool:
    """Whether an assertion compares for equality or identity; one that is wrapped in a value does not."""
    if isinstance(test, ast.Compare):
        exact = any(isinstance(each, ast.Eq | ast.Is) for each in test.ops)
        return exact and not all(
            isinstance(each, ast.Constant) and each.value is None for each in test.comparators
        )
    if isinstance(test, ast.BoolOp):
        return any(map(_exact, test.values))
    if isinstance(test, ast.UnaryOp | ast.NamedExpr):
        return _exact(test.operand if isinstance(test, ast.UnaryOp) else test.value)
    inside = isinstance(test, ast.Call) and _name(test.func) in ("all", "any", "bool")
    return inside and any(_exact(each) for each in ast.walk(test) if isinstance(each, ast.Compare))


def cannot_fail(test: ast.expr) -> bool:
    """Whether an expression is true whatever the code under test does."""
    if isinstance(test, ast.Constant | ast.Tuple | ast.List | ast.Set):  # a tuple is the classic slip
        return bool(test.value if isinstance(test, ast.Constant) else test.elts)
    if isinstance(test, ast.Lambda) or (isinstance(test, ast.Call) and _name(test.func) in _ALWAYS_TRUE):
        return True
    if isinstance(test, ast.BoolOp):
        some, every = map(cannot_fail, test.values), all(map(cannot_fail, test.values))
        return any(some) if isinstance(test.op, ast.Or) else every
    if not isinstance(test, ast.UnaryOp) and _of_python_alone(test):
        return True
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = ast.dump(test.left), ast.dump(test.comparators[0])
        return left == right and isinstance(test.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and _empty(test.operand)


def _of_python_alone(test: ast.expr) -> bool:
    """Whether an expression looks at nothing but literals and what is built in."""
    bound = {each.arg for each in ast.walk(test) if isinstance(each, ast.arg)}
    names = {each.id for each in ast.walk(test) if isinstance(each, ast.Name)}
    return names - bound <= _BUILT_IN - _TELLING


def _empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _of_call(node: ast.Call, here: Collection[str]) -> Strength:
    name = _name(node.func)
    total = Strength(tolerance=_tolerance(node) if "approx" in name.lower() or "close" in name else 0.0)
    if name in _RAISING or name.startswith("assert"):
        total = total.plus(_of_demand(node, name))
    elif name.startswith(_HELPERS) and name not in here:
        total = total.plus(Strength(asserts=1))
    if name in ("skip", "skipTest", "xfail", "importorskip", "exit"):
        total = total.plus(Strength(skipped=1))
    return total


def _of_demand(node: ast.Call, name: str) -> Strength:
    wide = bool(node.args) and name in _RAISING and _name(node.args[0]) in _ANY_ERROR
    if name in ("assertTrue", "assertFalse", "assert_") and node.args:
        test = ast.UnaryOp(op=ast.Not(), operand=node.args[0]) if name == "assertFalse" else node.args[0]
        return Strength(constant=1) if cannot_fail(test) else Strength(asserts=1)
    if (
        len(node.args) > 1
        and name.startswith("assertEqual")
        and ast.dump(node.args[0]) == ast.dump(node.args[1])
    ):
        return Strength(constant=1)
    matches = "Regex" in name or any(word.arg == "match" for word in node.keywords)
    strong = name in _RAISING or name.startswith(_STRONG_METHODS)
    return Strength(
        asserts=1, strong=strong and not wide, wide=wide, matches=matches,
        tolerance=_tolerance(node), places=_places(node),
    )  # fmt: skip


def _tolerance(node: ast.Call) -> float:
    return sum(_number(word.value) for word in node.keywords if word.arg in _TOLERANCES)


def _places(node: ast.Call) -> int:
    return sum(int(_number(word.value)) for word in node.keywords if word.arg == "places")


def _number(node: ast.expr) -> float:
    held = node.value if isinstance(node, ast.Constant) else None
    return float(held) if isinstance(held, int | float) else 0.0


def _cases(node: _Function, tables: Mapping[str, ast.expr]) -> int:
    """Count the values in the tables of `parametrize`; fewer rows have fewer of them."""
    found = 0
    for mark in node.decorator_list:
        if isinstance(mark, ast.Call) and _name(mark.func) == "parametrize" and len(mark.args) > 1:
            table = mark.args[1]
            if isinstance(table, ast.Name):
                table = tables.get(table.id, table)
            leaves = ast.Constant | ast.Name | ast.Attribute | ast.Call
            found += sum(isinstance(each, leaves) for each in ast.walk(table))
    return found


def _leaves_out(mark: ast.expr) -> int:
    name = _name(mark.func if isinstance(mark, ast.Call) else mark)
    return int(name in ("skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure"))


def _swallows(handler: ast.ExceptHandler) -> int:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    catches = any(kind is None or _name(kind) in (*_ANY_ERROR, "AssertionError") for kind in kinds)
    quiet = all(isinstance(each, ast.Pass | ast.Continue | ast.Return | ast.Expr) for each in handler.body)
    loud = any(
        isinstance(each, ast.Call) and _name(each.func) in ("fail", "raises") for each in ast.walk(handler)
    )
    return int(catches and quiet and not loud)


def _suppresses(node: ast.expr) -> int:
    if not (isinstance(node, ast.Call) and _name(node.func) == "suppress"):
        return 0
    return int(any(_name(kind) in (*_ANY_ERROR, "AssertionError") for kind in node.args))


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
