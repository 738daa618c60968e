"""Whether a file of tests still holds all that was in it: its syntax trees are compared, not its text."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from setpoint.checks.integrity.additions import REACHING, taken_back
from setpoint.model import syntax

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_STEERING_NAMES = frozenset(
    {
        "pytestmark",
        "__test__",
        "pytest_plugins",
        "collect_ignore",
        "collect_ignore_glob",
        "load_tests",
        "__getattr__",
    }
)
_BUILT_IN = frozenset(dir(builtins))
_FIXED_SETUPS = frozenset(
    {
        "setup_module", "teardown_module", "setup_function", "teardown_function", "setup_class",
        "teardown_class", "setup_method", "teardown_method", "setUp", "tearDown", "setUpClass",
        "tearDownClass", "setUpModule", "tearDownModule", "asyncSetUp", "asyncTearDown", "__getattr__",
        "__getattribute__", "run", "__init__",
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Change:
    """Something of the base that is gone, or that steers what was there."""

    what: str
    """In words, for example `test_add was deleted`."""
    symbol: str
    """The test, fixture or class; empty for the module."""
    weakens: bool
    """Whether the tests of the base may now prove less."""


def changes(base: str, now: str, *, may_grow: bool = False) -> tuple[Change, ...]:
    """Return what append-only does not allow: nothing may go, and additions may not steer what was there.

    With `may_grow` what was there may also gain statements and elements inside (`growth`).
    """
    try:
        before = syntax.parse(base)
        after = taken_back(base, now) if may_grow else syntax.parse(now)
    except (SyntaxError, ValueError):
        return () if base == now else (Change(what="the file no longer parses", symbol="", weakens=True),)
    return tuple(_in_body(before.body, after.body, ""))


def bodies(source: str) -> dict[str, str]:
    """Return each test's code without its name, by its qualified name (`TestA::test_b`)."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError):
        return {}
    return dict(_bodies(module.body, ""))


def _bodies(statements: Iterable[ast.stmt], inside: str) -> Iterator[tuple[str, str]]:
    for node in statements:
        if isinstance(node, ast.ClassDef):
            yield from _bodies(node.body, f"{inside}{node.name}::")
        elif isinstance(node, _Function):
            yield f"{inside}{node.name}", _nameless(node)


def _in_body(before: list[ast.stmt], after: list[ast.stmt], inside: str) -> Iterator[Change]:
    old, new = _definitions(before), _definitions(after)
    renamed = {_nameless(node) for name, nodes in new.items() if name not in old for node in nodes}
    for name, nodes in old.items():
        yield from _definition(f"{inside}{name}", nodes, new.get(name, []), renamed)
    yield from _statements(before, after, inside)
    yield from _additions(before, after, inside)


def _definition(
    name: str, old: list[_Definition], new: list[_Definition], renamed: set[str]
) -> Iterator[Change]:
    if not new:
        if not all(_nameless(node) in renamed for node in old):
            yield Change(what=f"{name} was deleted", symbol=name, weakens=True)
        return
    if len(new) > len(old):
        yield Change(what=f"{name} is defined a second time", symbol=name, weakens=True)
        return
    first, last = old[-1], new[-1]
    if isinstance(first, ast.ClassDef) and isinstance(last, ast.ClassDef):
        if _header(first) != _header(last):
            yield Change(what=f"{name} has other bases or decorators", symbol=name, weakens=True)
        yield from _in_body(first.body, last.body, f"{name}::")
    elif ast.dump(first) != ast.dump(last):
        weakens = not (
            isinstance(first, _Function) and isinstance(last, _Function) and _stronger(first, last)
        )
        yield Change(what=f"{name} was edited", symbol=name, weakens=weakens)


def _stronger(old: _Function, new: _Function) -> bool:
    """Whether all of the old function is still there in order, and nothing but assertions came in."""
    if ast.dump(old.args) != ast.dump(new.args):
        return False
    if [ast.dump(each) for each in old.decorator_list] != [ast.dump(each) for each in new.decorator_list]:
        return False
    rest = iter([ast.dump(statement) for statement in new.body])
    added = Counter(map(ast.dump, new.body)) - Counter(map(ast.dump, old.body))
    harmless = all(text.startswith("Assert(") for text in added)
    return harmless and all(ast.dump(statement) in rest for statement in old.body)


def _statements(before: list[ast.stmt], after: list[ast.stmt], inside: str) -> Iterator[Change]:
    """Find imports, assignments and other statements that are gone."""
    left = Counter(_text(node) for node in after if not isinstance(node, _Definition))
    for node in before:
        if isinstance(node, _Definition) or _is_docstring(node):
            continue
        text = _text(node)
        if left[text]:
            left[text] -= 1
        elif not _imports_stand(node, after):
            weakens = not isinstance(node, ast.Import | ast.ImportFrom)
            yield Change(what=f"`{text[:80]}` is gone", symbol=inside.rstrip(":"), weakens=weakens)


def _imports_stand(node: ast.stmt, after: list[ast.stmt]) -> bool:
    """Whether each name that was imported still is, whatever other names are beside it."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    held = {
        name for other in after if isinstance(other, ast.Import | ast.ImportFrom) for name in _imported(other)
    }
    return set(_imported(node)) <= held


def _imported(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str, str]]:
    source = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
    return [(source, alias.name, alias.asname or alias.name) for alias in node.names]


def _additions(before: list[ast.stmt], after: list[ast.stmt], inside: str) -> Iterator[Change]:
    """Find additions that reach what was there: its names bound again, marks, hooks, automatic fixtures."""
    stood = Counter(_text(node) for node in before if not isinstance(node, _Definition))
    bound = {name for node in before for name in _binds(node)}
    used = {argument.arg for node in before for each in ast.walk(node) if isinstance(each, ast.arguments)
            for argument in [*each.posonlyargs, *each.args, *each.kwonlyargs]}  # fmt: skip
    old = _definitions(before)
    for node in after:
        symbol = inside.rstrip(":")
        if isinstance(node, _Definition):
            if node.name not in old and (reason := _steers(node, bound, used, inside)):
                yield Change(what=f"the new {node.name} {reason}", symbol=node.name, weakens=True)
        elif stood[_text(node)]:
            stood[_text(node)] -= 1
        elif isinstance(node, ast.Import | ast.ImportFrom):
            known = {
                each
                for other in before
                if isinstance(other, ast.Import | ast.ImportFrom)
                for each in _imported(other)
            }
            rebound = {
                name
                for source, what, name in _imported(node)
                if name in bound and (source, what, name) not in known
            }
            if rebound or any(name == "*" for _, name, _ in _imported(node)):
                names = ", ".join(sorted(rebound)) or "unknown names"
                yield Change(what=f"a new import binds {names} again", symbol=symbol, weakens=True)
        elif not _is_docstring(node) and not _plain(node, bound):
            yield Change(what=f"new code beside the tests: `{_text(node)[:80]}`", symbol=symbol, weakens=True)


def _plain(node: ast.stmt, bound: set[str]) -> bool:
    """Whether a statement does nothing but give new names a value."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return False
    inside = list(ast.walk(node))
    binds = {each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    elsewhere = any(
        isinstance(each, ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Store) for each in inside
    )
    used = {each.id for each in inside if isinstance(each, ast.Name)}
    used |= {each.attr for each in inside if isinstance(each, ast.Attribute)}
    return bool(binds) and not (elsewhere or binds & (bound | _STEERING_NAMES | _BUILT_IN) or used & REACHING)


def _steers(node: _Definition, bound: set[str], used: set[str], inside: str) -> str:
    if node.name in bound | _BUILT_IN:
        return "takes a name that was bound to something else"
    if node.name in _STEERING_NAMES or (
        node.name in _FIXED_SETUPS and (inside or not isinstance(node, ast.ClassDef))
    ):
        return "runs around the tests that were there"
    if node.name.startswith("pytest_"):
        return "is a hook of pytest"
    marks = [ast.unparse(each) for each in node.decorator_list]
    if any("fixture" in mark and "autouse" in mark for mark in marks):
        return "is an automatic fixture"
    if node.name in used and any("fixture" in mark for mark in marks):
        return "replaces a fixture that the tests use"
    return ""


def _definitions(statements: Iterable[ast.stmt]) -> dict[str, list[_Definition]]:
    found: dict[str, list[_Definition]] = {}
    for node in statements:
        if isinstance(node, _Definition):
            found.setdefault(node.name, []).append(node)
    return found


def _binds(node: ast.stmt) -> list[str]:
    if isinstance(node, _Definition):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [name.partition(".")[0] for _, _, name in _imported(node)]
    return [
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store | ast.Del)
    ]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _nameless(node: _Definition) -> str:
    return ast.dump(node).replace(f"(name='{node.name}'", "(name=''", 1)


def _header(node: ast.ClassDef) -> tuple[list[str], list[str]]:
    return [ast.dump(each) for each in [*node.bases, *node.keywords]], [
        ast.dump(each) for each in node.decorator_list
    ]


def _text(node: ast.stmt) -> str:
    return ast.unparse(node)
