"""Find Python functions that say whether two values agree, and tests that measure other code with them.

A product compares as well, and its tests call what compares with values that they write out, or want both
answers from it. Tests that measure with it give it what other code returned, and want it to be true.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from setpoint.model import syntax

_TRUTHS = frozenset({"all", "any", "bool", "isinstance", "issubclass", "hasattr", "callable"})
_ROUNDS = 5
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, kw_only=True)
class Use:
    """What a source of the tests does with functions that compare."""

    measures: bool = False
    """Whether it gives them what other code returned beside another value, and wants them to be true."""
    tests: bool = False
    """Whether it seems to test them: it wants them to be false, writes both values out, or calls more."""


@dataclass(frozen=True, kw_only=True)
class Imports:
    """By which names a source of the tests may hold what it imports."""

    own: Callable[[str], bool]
    """Whether a dotted module is the one that compares."""
    other: Callable[[str], bool]
    """Whether a dotted module is other code of the product."""
    program: Callable[[str], bool]
    """Whether a text is the path of other code of the product."""


def comparers(text: str) -> frozenset[str]:
    """Return the functions of a source that return nothing but whether two of their parameters agree."""
    functions = dict(_functions(text))
    return frozenset(name for name, each in functions.items() if _says_whether(each, functions))


def use_of(text: str, names: Collection[str], imports: Imports) -> Use:
    """Return what a source of the tests does with functions of a module that it imports."""
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return Use()
    held, product = _bound(module, imports)
    product = _spread(module, product, imports)
    above = {child: node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
    measures = tests = False
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not (called := _called(node, held)):
            continue
        values = [*node.args, *(each.value for each in node.keywords)]
        wanted = _wanted(node, above)
        written = all(map(_is_written, values))
        tests = tests or called not in names or written or wanted is False
        given = [_holds(each, product, imports) for each in values[:2]]
        measures = measures or (wanted is True and any(given) and not all(given))
    return Use(measures=measures, tests=tests)


def _functions(text: str) -> Iterator[tuple[str, _Function]]:
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            yield from ((each.id, node.value) for each in node.targets if isinstance(each, ast.Name))


def _says_whether(function: _Function, functions: Collection[str]) -> bool:
    given = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    if isinstance(function, ast.Lambda):
        values, inside = [function.body], [function.body, *ast.walk(function.body)]
    else:
        inside = list(_own(function))
        values = [node.value for node in inside if isinstance(node, ast.Return) and node.value is not None]
    origin = _origins(given, inside)
    truths = bool(values) and all(_is_truth(each, functions, origin) for each in values)
    return truths and any(_of_two(node, origin) for node in inside)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in a function, but not what is in functions inside it."""
    for node in ast.iter_child_nodes(function):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own(node)


def _origins(given: list[str], inside: list[ast.AST]) -> dict[str, set[str]]:
    """Return from which parameters each name in a function gets its value."""
    origin = {name: {name} for name in given}
    for _ in range(_ROUNDS):
        for node in inside:
            for target, value in _assigned(node):
                for name in _names(target):
                    origin[name] = origin.get(name, set()) | _from(value, origin)
    return origin


def _assigned(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _from(node: ast.AST, origin: Mapping[str, set[str]]) -> set[str]:
    return {each for name in _names(node) for each in origin.get(name, ())}


def _of_two(node: ast.AST, origin: Mapping[str, set[str]]) -> bool:
    """Whether an expression sets values of two parameters against each other."""
    if isinstance(node, ast.Compare):
        sides = [_from(each, origin) for each in (node.left, *node.comparators)]
        return len(set().union(*sides)) > 1
    if isinstance(node, ast.Call):
        return len({frozenset(_from(each, origin)) for each in node.args if _from(each, origin)}) > 1
    return False


def _is_truth(node: ast.expr, functions: Collection[str], origin: Mapping[str, set[str]]) -> bool:
    if isinstance(node, ast.BoolOp):
        return all(_is_truth(each, functions, origin) for each in node.values)
    if isinstance(node, ast.IfExp):
        return all(_is_truth(each, functions, origin) for each in (node.body, node.orelse))
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        named = node.func.id if isinstance(node.func, ast.Name) else ""
        return named in _TRUTHS or named in functions or _of_two(node, origin)
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _bound(module: ast.Module, imports: Imports) -> tuple[dict[str, str], set[str]]:
    """Return names that are bound to what compares, each with its function (`*`: the module), and to code."""
    held, product = dict[str, str](), set[str]()
    for name, module_name, called in _imports(module):
        inside = f"{module_name}.{called}".strip(".")
        if imports.own(inside):
            held[name] = "*"
        elif called and imports.own(module_name):
            held[name] = called
        elif imports.other(inside) or imports.other(module_name):
            product.add(name.partition(".")[0])
    return held, product


def _imports(module: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield each name that is bound by an import, its module, and what it is there; empty for the module."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((each.asname or each.name, each.name, "") for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((each.asname or each.name, node.module or "", each.name) for each in node.names)


def _spread(module: ast.Module, product: set[str], imports: Imports) -> set[str]:
    """Return the names that hold code of the product or what it returned, also through local functions."""
    found = set(product)
    for _ in range(_ROUNDS):
        for node in ast.walk(module):
            called = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else "test"
            if not called.startswith("test") and _holds(node, found, imports):
                found.add(called)
            for target, value in _assigned(node):
                if _holds(value, found, imports):
                    found |= _names(target)
    return found


def _holds(node: ast.AST, product: Collection[str], imports: Imports) -> bool:
    return any(
        (isinstance(each, ast.Name) and each.id in product)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str) and imports.program(each.value))
        for each in ast.walk(node)
    )


def _called(node: ast.Call, held: Mapping[str, str]) -> str:
    """Return which function of the module a call calls."""
    if isinstance(node.func, ast.Name):
        named = held.get(node.func.id, "")
        return "" if named == "*" else named
    if isinstance(node.func, ast.Attribute) and held.get(ast.unparse(node.func.value)) == "*":
        return node.func.attr
    return ""


def _wanted(node: ast.Call, above: Mapping[ast.AST, ast.AST]) -> bool | None:
    """Return which answer a source wants from a call; none where it does not say."""
    parent, wish, child = above[node], True, cast("ast.AST", node)
    while isinstance(parent, ast.UnaryOp | ast.BoolOp):
        if isinstance(parent, ast.UnaryOp):
            wish = not wish
        parent, child = above[parent], parent
    if isinstance(parent, ast.Compare):
        held = isinstance(parent.ops[0], ast.Is | ast.Eq) and _is_true(parent.comparators[0])
        return wish if held and isinstance(above[parent], ast.Assert) else False
    if isinstance(parent, ast.Assert):
        return wish if parent.test is child else None
    if isinstance(parent, ast.If):
        return (not wish) if parent.test is child and _fails(parent.body) else None
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute):
        return {"assertTrue": wish, "assertFalse": not wish, "assertIs": False, "assertEqual": False}.get(
            parent.func.attr
        )
    return None


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _fails(body: list[ast.stmt]) -> bool:
    return any(
        isinstance(each, ast.Raise) or (isinstance(each, ast.Call) and "exit" in ast.unparse(each.func))
        for statement in body
        for each in ast.walk(statement)
    )


def _is_written(node: ast.expr) -> bool:
    return not any(isinstance(each, ast.Name | ast.Call | ast.Attribute) for each in ast.walk(node))
