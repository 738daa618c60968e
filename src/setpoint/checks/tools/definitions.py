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
_WORD = re.compile(r"[^\W\d_]{2}")
"""What a docstring holds that says anything."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A function or class at the top of a module or of a class."""

    node: ast.stmt
    """Its syntax tree."""
    public: bool
    """Neither its name nor the name of a class around it begins with an underscore."""
    documented: bool
    annotated: bool | None
    """Every parameter and the result have a type; none for a class."""
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
        if not isinstance(node, _Function | ast.ClassDef):
            continue
        name, open_to_all = f"{inside}{node.name}", public and not node.name.startswith("_")
        function = node if isinstance(node, _Function) else None
        found[name] = Definition(
            node=node,
            public=open_to_all,
            documented=_WORD.search(ast.get_docstring(node) or "") is not None,
            annotated=_annotated(function, method=bool(inside)) if function else None,
            ways=_ways(function) if function else None,
        )
        if isinstance(node, ast.ClassDef):
            _collect(node.body, f"{name}.", found, public=open_to_all)


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


def _annotated(node: _Function, *, method: bool) -> bool:
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
    if method and not static:
        plain = plain[1:]  # self or cls
    named = [*plain, *arguments.kwonlyargs, *(each for each in (arguments.vararg, arguments.kwarg) if each)]
    typed = all(each.annotation is not None for each in named)
    return typed and (node.returns is not None or (node.name == "__init__" and bool(named)))


def _ways(node: _Function) -> int:
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
