"""What the functions and classes of Python files are like: documented, annotated, easy to follow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from setpoint.model import syntax

MOST_WAYS = 10
"""Highest cyclomatic complexity of a function that is still easy to follow (McCabe's own limit)."""
_BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.IfExp,
    ast.match_case,
)
_BLOCKS = (ast.If, ast.Try, ast.TryStar, ast.With, ast.For, ast.While)
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[^\W\d_]{2,}")
_SAYS_NOTHING = frozenset(
    ("todo", "fixme", "tbd", "xxx", "the", "an", "this", "it", "document", "documentation", "docstring")
) | {"function", "method", "class", "module"}
"""Words that alone do not document anything."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Callable = _Function | ast.Lambda


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A function or class at the top of a module or of a class; a lambda with a name is a function."""

    node: ast.stmt
    """Its syntax tree."""
    public: bool
    """Neither its name nor the name of a class around it begins with an underscore."""
    documented: bool
    """It has a docstring with a word that is not its name."""
    annotated: bool | None
    """Every parameter and the result have a type other than `Any`; none for a class."""
    ways: int | None
    """Cyclomatic complexity; none for a class."""

    @property
    def code(self) -> str:
        """Its syntax tree, written out; the same where only comments and spaces differ."""
        return ast.dump(self.node)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What the new and changed definitions are like, taken together; none where there are none."""

    documented: float | None = None
    """Share of the public ones that have a docstring."""
    annotated: float | None = None
    """Share of the functions whose parameters and result all have a type."""
    simple: float | None = None
    """Share of the functions with at most `MOST_WAYS` ways."""
    worst: int | None = None
    """Highest complexity of a function."""


def shape(base: Mapping[str, str], now: Mapping[str, str]) -> Shape:
    """Compare two versions of files; both maps hold sources by path, `base` those from before."""
    changed = [each for _, _, each in changed_definitions(base, now)]
    public = [each.documented for each in changed if each.public]
    functions = [each for each in changed if each.ways is not None]
    ways = [each.ways for each in functions if each.ways is not None]
    return Shape(
        documented=_share(public),
        annotated=_share([bool(each.annotated) for each in functions]),
        simple=_share([each <= MOST_WAYS for each in ways]),
        worst=max(ways, default=None),
    )


def _share(marks: list[bool]) -> float | None:
    return sum(marks) / len(marks) if marks else None


def changed_definitions(
    base: Mapping[str, str], now: Mapping[str, str]
) -> Iterator[tuple[str, str, Definition]]:
    """Yield new and changed definitions with the path of their file and their qualified name."""
    for path, source in now.items():
        if base.get(path) == source:
            continue
        stood = definitions(base.get(path, ""))
        for name, each in definitions(source).items():
            if name not in stood or stood[name].code != each.code:
                yield path, name, each


def definitions(source: str) -> dict[str, Definition]:
    """Return the definitions of a file by their qualified name; none where it does not parse."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, Definition] = {}
    _collect(module.body, "", found, public=True)
    return found


def _collect(
    statements: Iterable[ast.stmt], inside: str, found: dict[str, Definition], *, public: bool
) -> None:
    for node in _unwrapped(statements):
        name, function = _named(node)
        if not name:
            continue
        open_to_all = public and not name.startswith("_")
        found[f"{inside}{name}"] = Definition(
            node=node,
            public=open_to_all,
            documented=_documented(node, name),
            annotated=_annotated(function, method=bool(inside)) if function else None,
            ways=_ways(function) if function else None,
        )
        if isinstance(node, ast.ClassDef):
            _collect(node.body, f"{inside}{name}.", found, public=open_to_all)


def _named(node: ast.stmt) -> tuple[str, _Callable | None]:
    """Return the name that a statement defines, and the function behind it; no name where it defines none."""
    if isinstance(node, _Function):
        return node.name, node
    if isinstance(node, ast.ClassDef):
        return node.name, None
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if isinstance(value, ast.Lambda) and isinstance(targets[0], ast.Name):
        return targets[0].id, value
    return "", None


def _documented(node: ast.stmt, name: str) -> bool:
    text = ast.get_docstring(node) if isinstance(node, _Function | ast.ClassDef) else ""
    return bool(_words(text or "") - _words(name) - _SAYS_NOTHING)


def _words(text: str) -> set[str]:
    return {each.casefold() for each in _WORD.findall(text) if len(each) > 1}


def _unwrapped(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, and those in blocks without a scope of their own, such as `if` and `try`."""
    for node in statements:
        yield node
        if isinstance(node, _BLOCKS):
            for each in ast.iter_child_nodes(node):
                if isinstance(each, ast.stmt):
                    yield from _unwrapped([each])
                elif isinstance(each, ast.ExceptHandler):
                    yield from _unwrapped(each.body)


def _annotated(node: _Callable, *, method: bool) -> bool:
    if isinstance(node, ast.Lambda):
        return False
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
    if method and not static:
        plain = plain[1:]  # self or cls
    named = [*plain, *arguments.kwonlyargs, *(each for each in (arguments.vararg, arguments.kwarg) if each)]
    typed = all(_is_type(each.annotation) for each in named)
    return typed and (_is_type(node.returns) or (node.name == "__init__" and bool(named)))


def _is_type(annotation: ast.expr | None) -> bool:
    """Whether an annotation can be a type, and is not `Any`, which accepts everything."""
    if isinstance(annotation, ast.Constant):
        return annotation.value is None or isinstance(annotation.value, str)
    name = annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")
    return annotation is not None and name != "Any"


def _ways(node: _Callable) -> int:
    """Count the ways through a function; those of functions inside it are added, as a reader meets them."""
    ways = 1
    for each in ast.walk(node):
        if isinstance(each, _BRANCHES):
            ways += 1
        elif isinstance(each, ast.BoolOp):
            ways += len(each.values) - 1
        elif isinstance(each, ast.comprehension):
            ways += 1 + len(each.ifs)
    return ways
