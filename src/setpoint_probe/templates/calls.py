"""Edits of calls: other functions and methods, other arguments, values wrapped and unwrapped."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from ..source.source import FunctionNode, Splice
from .scope import Draft, Scope, Template

_FUNCTIONS = (
    ("any", "all"),
    ("min", "max"),
    ("sum", "len", "max", "min"),
    ("int", "float", "round", "str", "abs", "bool"),
    ("sorted", "list", "set", "reversed", "tuple", "iter", "dict", "frozenset"),
    ("ord", "chr"),
    ("range", "enumerate", "len"),
    ("isinstance", "issubclass", "hasattr", "callable"),
    ("repr", "str", "ascii"),
    ("filter", "map", "filterfalse", "takewhile", "dropwhile"),
    ("getattr", "hasattr", "setattr"),
    ("next", "iter", "list"),
    ("floor", "ceil", "trunc"),
    ("bisect_left", "bisect_right"),
)
_METHODS = (
    ("append", "extend", "insert", "appendleft", "add", "update"),
    ("upper", "lower", "swapcase", "title", "capitalize", "casefold"),
    ("isupper", "islower", "isalpha", "isdigit", "isalnum", "isspace"),
    ("startswith", "endswith"),
    ("find", "rfind", "index", "rindex"),
    ("strip", "lstrip", "rstrip"),
    ("ljust", "rjust", "center", "zfill"),
    ("keys", "values", "items"),
    ("add", "remove", "discard"),
    ("pop", "popleft", "popitem", "remove", "get"),
    ("get", "pop", "setdefault"),
    ("count", "index"),
    ("issubset", "issuperset", "isdisjoint"),
    ("union", "intersection", "difference", "symmetric_difference"),
    ("split", "rsplit", "splitlines", "partition", "rpartition"),
    ("partition", "rpartition"),
    ("match", "search", "fullmatch", "findall"),
    ("read", "readline", "readlines"),
    ("encode", "decode"),
    ("floor", "ceil"),
    ("bisect_left", "bisect_right"),
    ("next", "prev"),
)
_WRAPPERS = (
    "len",
    "list",
    "str",
    "int",
    "abs",
    "sorted",
    "tuple",
    "set",
    "bool",
    "iter",
    "reversed",
    "float",
    "repr",
    "dict",
    "next",
    "round",
)


def function(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Call another function of the same kind, or another one of the module."""
    if not isinstance(node.func, ast.Name):
        return
    for name in _relatives(_FUNCTIONS, node.func.id):
        yield from scope.replace(node.func, name)
    for rank, name in enumerate(scope.functions):
        if name != scope.unit.name:
            yield from scope.replace(node.func, name, 0.55 - 0.008 * rank)
    for rank, name in enumerate(scope.values):
        yield from scope.replace(node.func, name, 0.4 - 0.01 * rank)


def method(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Call another method of the same kind, or another one that the class uses."""
    if not isinstance(node.func, ast.Attribute):
        return
    end = scope.source.span(node.func)[1]
    start = end - len(node.func.attr.encode())
    near = _relatives(_METHODS, node.func.attr)
    for name in near:
        yield Draft((Splice(start, end, name),))
    for rank, name in enumerate(scope.methods):
        if name != node.func.attr and name not in near:
            yield Draft((Splice(start, end, name),), 0.55 - 0.008 * rank)


def swap_arguments(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Yield two arguments the other way round."""
    plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
    for left, right in itertools.combinations(plain[:4], 2):
        yield from scope.exchange(left, right)


def swap_elements(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Write two elements of a tuple or list the other way round."""
    elements = getattr(node, "elts", [])
    if 2 <= len(elements) <= 5:  # noqa: PLR2004 - longer displays are data
        for left, right in itertools.combinations(elements, 2):
            yield from scope.exchange(left, right)


def drop_argument(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Leave one argument out."""
    arguments: list[ast.AST] = sorted([*node.args, *node.keywords], key=scope.source.span)
    if any(isinstance(arg, ast.GeneratorExp) for arg in arguments):
        return
    for place, argument in enumerate(arguments):
        start, end = scope.source.span(argument)
        if place + 1 < len(arguments):
            end = scope.source.span(arguments[place + 1])[0]
        elif place:
            start = scope.source.span(arguments[place - 1])[1]
        yield Draft((Splice(start, end, ""),))


def add_argument(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Yield name of the function as one more argument: by place, by its own keyword, or all that came in."""
    if any(isinstance(arg, ast.GeneratorExp) for arg in node.args):
        return
    arguments: list[ast.AST] = sorted([*node.args, *node.keywords], key=scope.source.span)
    at = scope.source.span(arguments[-1])[1] if arguments else scope.source.span(node)[1] - 1
    comma = ", " if arguments else ""
    for text in _passed_on(scope):
        if text not in {scope.text(argument) for argument in arguments}:
            yield Draft((Splice(at, at, f"{comma}{text}"),), 1.1)
    used = {keyword.arg for keyword in node.keywords}
    for rank, name in enumerate(scope.values):
        if name not in used:
            if not node.keywords:
                yield Draft((Splice(at, at, f"{comma}{name}"),), 1.0 - 0.02 * rank)
            yield Draft((Splice(at, at, f"{comma}{name}={name}"),), 0.8 - 0.02 * rank)
    if isinstance(node.func, (ast.Name, ast.Attribute)) and _last_name(node.func) in (
        "sorted",
        "sort",
        "max",
        "min",
    ):
        yield Draft((Splice(at, at, f"{comma}reverse=True"),), 1.2)
    if not node.keywords:
        for rank, text in enumerate(("None", "1", "0", "True", "-1")):
            yield Draft((Splice(at, at, f"{comma}{text}"),), 0.6 - 0.05 * rank)


def _passed_on(scope: Scope) -> Iterator[str]:
    """Yield what takes any arguments in the function's head, as a call hands it on."""
    if isinstance(scope.unit.node, FunctionNode):
        given = scope.unit.node.args
        for star, each in (("*", given.vararg), ("**", given.kwarg)):
            if each is not None:
                yield f"{star}{each.arg}"


def unwrap(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Take away a call around a value, or behind it."""
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield from scope.replace(node, scope.text(node.args[0]))
    if isinstance(node.func, ast.Attribute):
        yield from scope.replace(node, scope.text(node.func.value), 0.9)
    elif not node.args and not node.keywords:
        yield from scope.replace(node, scope.text(node.func), 0.6)


def wrap(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Put a call around a value, or around the result of which a method is called."""
    receives = isinstance(node, ast.Call) and isinstance(scope.parent(node), ast.Attribute)
    if not (scope.is_value(node) or receives):
        return
    text = scope.text(node)
    for rank, name in enumerate(_WRAPPERS):
        if not text.startswith(f"{name}("):
            yield from scope.replace(node, f"{name}({text})", 1.0 - 0.03 * rank)
    if isinstance(node, ast.Name):
        yield from scope.replace(node, f"{text}()", 0.7)
    likely = 0.5 if isinstance(node, ast.Name) else 0.35
    for rank, name in enumerate(each for each in scope.functions if each not in _WRAPPERS):
        if not text.startswith(f"{name}("):
            yield from scope.replace(node, f"{name}({text})", likely - 0.008 * rank)


def bounds(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Begin or end a `range` elsewhere, or start an `enumerate` at one."""
    if not isinstance(node.func, ast.Name) or node.keywords:
        return
    texts = [scope.text(arg) for arg in node.args]
    if node.func.id == "range" and len(texts) == 1:
        for start in ("1", "2", *scope.parameters[:4]):
            yield from scope.replace(node, f"range({start}, {texts[0]})")
            yield from scope.replace(node, f"range({start}, {texts[0]} + 1)", 0.8)
        yield from scope.replace(node, f"range({texts[0]} - 1, -1, -1)", 0.6)
    elif node.func.id == "range" and len(texts) == 2:  # noqa: PLR2004 - start and stop
        yield from scope.replace(node, f"range({texts[1]})", 0.8)
        yield from scope.replace(node, f"range({texts[0]}, {texts[1]}, -1)", 0.5)
    elif node.func.id == "enumerate" and len(texts) == 1:
        yield from scope.replace(node, f"enumerate({texts[0]}, 1)")


def _relatives(families: tuple[tuple[str, ...], ...], name: str) -> list[str]:
    return list(
        dict.fromkeys(other for family in families if name in family for other in family if other != name)
    )


def _last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


TEMPLATES = (
    Template("function", 0.65, (ast.Call,), function, "another function"),
    Template("method", 0.65, (ast.Call,), method, "another method"),
    Template("swap-arguments", 0.7, (ast.Call,), swap_arguments, "arguments the other way round"),
    Template("swap-elements", 0.6, (ast.Tuple, ast.List), swap_elements, "elements the other way round"),
    Template("drop-argument", 0.4, (ast.Call,), drop_argument, "one argument less", 2),
    Template("add-argument", 0.4, (ast.Call,), add_argument, "one argument more", 2),
    Template("unwrap", 0.5, (ast.Call,), unwrap, "no call around or behind a value", 2),
    Template(
        "wrap",
        0.25,
        (ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Attribute),
        wrap,
        "a call around a value",
        2,
    ),
    Template("bounds", 0.5, (ast.Call,), bounds, "other bounds of range and enumerate", 2),
)
