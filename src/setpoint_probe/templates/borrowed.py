"""Edits borrowed from the rest of the module: guards, statements, keywords and strings."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeVar

from ..source.source import Source, Splice
from .places import indent_of, is_docstring, whole_lines
from .scope import Draft, Scope, Template

N = TypeVar("N", bound=ast.AST)
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_LONGEST = 90
_MOST = 40
_ALIKE = 0.6
"""How alike two strings are that one may have been mistyped for the other (difflib)."""


def guard(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Leave early under a condition, as other functions of the module do or as this one leaves elsewhere."""
    lines = whole_lines(scope, node)
    if lines is None or is_docstring(node):
        return
    indentation, newline = indent_of(scope, node), scope.source.newline
    for rank, (test, leave) in enumerate(_guards(scope)):
        text = f"{indentation}if {test}:{newline}{indentation}    {leave}{newline}"
        yield Draft((Splice(lines[0], lines[0], text),), 1.0 - 0.01 * rank)


def statement(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Put in a statement that another function of the module has, where all its names are known here."""
    lines = whole_lines(scope, node)
    if lines is None or is_docstring(node):
        return
    indentation, newline = indent_of(scope, node), scope.source.newline
    for rank, text in enumerate(_statements(scope)):
        yield Draft((Splice(lines[0], lines[0], f"{indentation}{text}{newline}"),), 1.0 - 0.015 * rank)


def expression(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Use an expression of the same kind that another function of the module has."""
    if not scope.is_value(node):
        return
    own = scope.text(node)
    ranked = sorted(_expressions(scope), key=lambda text: -difflib.SequenceMatcher(None, own, text).ratio())
    for rank, text in enumerate(ranked[:_MOST]):
        if text != own:
            yield from scope.replace(node, text, 1.0 - 0.015 * rank)


def keyword(scope: Scope, node: ast.Call) -> Iterator[Draft]:
    """Yield a keyword that other calls of the module give."""
    if any(isinstance(arg, ast.GeneratorExp) for arg in node.args):
        return
    given = {each.arg for each in node.keywords}
    arguments: list[ast.AST] = sorted([*node.args, *node.keywords], key=scope.source.span)
    at = scope.source.span(arguments[-1])[1] if arguments else scope.source.span(node)[1] - 1
    comma = ", " if arguments else ""
    name = _called(node)
    for other in _of_module(scope.source, ast.Call):
        likely = 1.0 if _called(other) == name else 0.4
        for each in other.keywords:
            text = scope.text(each)
            if each.arg and each.arg not in given and "\n" not in text and _is_known(scope, each.value):
                yield Draft((Splice(at, at, f"{comma}{text}"),), likely)


def filtered(scope: Scope, node: ast.comprehension) -> Iterator[Draft]:
    """Leave out what is false, missing, or fails a condition of the function."""
    if node.ifs or not isinstance(node.target, ast.Name):
        return
    at = scope.source.span(node.iter)[1]
    name = node.target.id
    tests = [name, f"{name} is not None", f"not {name}", f"{name} != ''", *scope.conditions]
    tests += [f"{name} not in {other}" for other in scope.values[:6] if other != name]
    tests += [f"{name} != {other}" for other in scope.values[:6] if other != name]
    for rank, test in enumerate(dict.fromkeys(tests)):
        yield Draft((Splice(at, at, f" if {test}"),), 1.0 - 0.03 * rank)


def chosen(scope: Scope, node: ast.expr) -> Iterator[Draft]:
    """Take a value only where it is there, another one elsewhere."""
    if not isinstance(scope.parent(node), (ast.Return, ast.Assign, ast.keyword)):
        return
    text = scope.text(node)
    names = [name for name in scope.values if name in text][:3] or list(scope.parameters[:3])
    tests = [*scope.conditions[:6]]
    for name in names:
        tests += [f"{name} is not None", name]
    others = ["None", *names, "''", "0", "[]", "{}", "()", "False", "True"]
    for rank, test in enumerate(dict.fromkeys(tests)):
        for place, other in enumerate(others):
            if other != text:
                factor = 1.0 - 0.04 * rank - 0.04 * place
                yield from scope.replace(node, f"{text} if {test} else {other}", factor)


def only_element(scope: Scope, node: ast.Tuple | ast.List | ast.Set) -> Iterator[Draft]:
    """Use the only element of a display itself."""
    if len(node.elts) == 1 and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield from scope.replace(node, scope.text(node.elts[0]))


def spelling(scope: Scope, node: ast.Constant) -> Iterator[Draft]:
    """Take a string that is nearly the same, from anywhere in the module."""
    value = node.value
    if not isinstance(value, str) or len(value) < 2 or isinstance(scope.parent(node), ast.Expr):  # noqa: PLR2004 - one letter is like any other
        return
    known = {each.value for each in _of_module(scope.source, ast.Constant) if isinstance(each.value, str)}
    known |= {
        getattr(each, "attr", None) or getattr(each, "id", None) or ""
        for each in (*_of_module(scope.source, ast.Attribute), *_of_module(scope.source, ast.Name))
    }
    alike = difflib.get_close_matches(value, sorted(known - {value, ""}), 6, _ALIKE)
    for rank, text in enumerate([*alike, value.swapcase()]):
        yield from scope.replace(node, repr(text), 1.0 - 0.06 * rank)


@lru_cache(maxsize=64)
def _guards(scope: Scope) -> list[tuple[str, str]]:
    """Return conditions with a way to leave: those that stand in the module first, then made ones."""
    found: dict[tuple[str, str], None] = {}
    own = [scope.text(node) for node in scope.nodes if isinstance(node, _LEAVING)]
    leaves = [text for text in own if len(text) < _LONGEST and "\n" not in text]
    for other in _of_module(scope.source, ast.If):
        if len(other.body) == 1 and isinstance(other.body[0], _LEAVING) and not other.orelse:
            test, leave = scope.text(other.test), scope.text(other.body[0])
            if "\n" not in test + leave and _is_known(scope, other.test) and _is_known(scope, other.body[0]):
                found[test, leave] = None
    tests = list(scope.conditions[:6])
    for name in scope.values[:5]:
        tests += [f"not {name}", f"{name} is None"]
    leaves += [f"return {name}" for name in scope.parameters[:3]]
    leaves += ["return None", "return False", "return True", "continue"]
    made = [(test, leave) for test in tests for leave in list(dict.fromkeys(leaves))[:8]]
    return [*list(found)[:_MOST], *(each for each in made if each not in found)][:110]


@lru_cache(maxsize=64)
def _statements(scope: Scope) -> list[str]:
    own = {scope.text(node) for node in scope.nodes if isinstance(node, _SIMPLE)}
    found: dict[str, None] = {}
    for node in _of_module(scope.source, *_SIMPLE):
        text = scope.text(node)
        if "\n" not in text and len(text) < _LONGEST and not is_docstring(node) and text not in own:
            used = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
            if any(name in scope.names for name in used) and _is_known(scope, node):
                found[text] = None
    return list(found)[:_MOST]


@lru_cache(maxsize=64)
def _expressions(scope: Scope) -> list[str]:
    own = {scope.text(node) for node in scope.nodes if isinstance(node, ast.expr)}
    found: dict[str, None] = {}
    for node in _of_module(scope.source, ast.Call, ast.Subscript, ast.Compare, ast.BinOp, ast.Attribute):
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            continue
        text = scope.text(node)
        if "\n" not in text and len(text) < _LONGEST and text not in own and _is_known(scope, node):
            found[text] = None
    return list(found)[: 4 * _MOST]


def _is_known(scope: Scope, part: ast.AST) -> bool:
    """Whether all names that a part reads mean something in the function."""
    known = {*scope.names, *scope.source.bound}
    inner = {each.arg for each in ast.walk(part) if isinstance(each, ast.arg)}
    inner |= {
        each.id
        for each in ast.walk(part)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }
    return all(
        each.id in known or each.id in inner or hasattr(builtins, each.id)
        for each in ast.walk(part)
        if isinstance(each, ast.Name)
    ) and not any(isinstance(each, (ast.Yield, ast.YieldFrom, ast.Await)) for each in ast.walk(part))


def _of_module(source: Source, *kinds: type[N]) -> Iterator[N]:
    return (node for node in source.in_functions if isinstance(node, kinds))


def _called(node: ast.Call) -> str:
    func = node.func
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")


_BODY = (*_SIMPLE, *_LEAVING, ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Pass)
TEMPLATES = (
    Template("borrowed-guard", 0.14, _BODY, guard, "an early leave as elsewhere in the module", 3),
    Template("borrowed-statement", 0.12, _BODY, statement, "a statement as elsewhere in the module", 3),
    Template(
        "borrowed-expression",
        0.16,
        (ast.Call, ast.Subscript, ast.Compare, ast.BinOp, ast.Attribute, ast.Name),
        expression,
        "an expression as elsewhere in the module",
        3,
    ),
    Template("keyword", 0.3, (ast.Call,), keyword, "a keyword that other calls give", 2),
    Template("filter", 0.35, (ast.comprehension,), filtered, "a filter where there was none", 2),
    Template(
        "choice",
        0.2,
        (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.BinOp),
        chosen,
        "a value only where it is there",
        3,
    ),
    Template("only-element", 0.6, (ast.Tuple, ast.List, ast.Set), only_element, "no brackets around a value"),
    Template("spelling", 0.6, (ast.Constant,), spelling, "a string that is nearly the same"),
)
