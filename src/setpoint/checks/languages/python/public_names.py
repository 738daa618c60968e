"""Find the public names of Python modules that a change takes away, or lets be called in fewer ways."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from setpoint.checks.languages.python.signatures import Function, accepts
from setpoint.model import syntax

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ASSIGNED = (ast.Assign, ast.AnnAssign)


@dataclass(frozen=True, kw_only=True)
class PublicNames:
    """The names that one module offers."""

    own: Mapping[str, Function | None]
    """Public names that it defines or re-exports, qualified; with the function where it is one."""
    known: frozenset[str]
    """All names at its top level and in its classes, imported ones included."""
    open: bool
    """Whether it may have more names than can be read: it takes all names of another module."""
    subclasses: frozenset[str]
    """Classes that inherit from another one."""


def lost_names(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Return what modules of the base offered and do not any more: why, by `module: name`."""
    now, found = dict(_modules(after)), dict[str, str]()
    for module, names in _modules(before):
        if module not in now:
            found |= dict.fromkeys((f"{module}: {name}" for name in names.own), "its module is gone")
            continue
        for name, function in names.own.items():
            if why := _missing(name, function, now[module]):
                found[f"{module}: {name}"] = why
    return found


def _missing(name: str, function: Function | None, now: PublicNames) -> str:
    """Return why a name cannot be used as before; empty where it can."""
    if name not in now.known:
        inherited = name.partition(".")[0] in now.subclasses and "." in name
        return "" if now.open or inherited else "it is gone"
    other = now.own.get(name)
    if function is None or other is None or accepts(function, other, bound="." in name):
        return ""
    return "its parameters differ"


def _modules(files: Mapping[str, bytes]) -> Iterator[tuple[str, PublicNames]]:
    for path, content in files.items():
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if path.endswith(".py") and not any(part.startswith("_") for part in module.split(".")):
            try:
                yield module, _names_of(syntax.parse(content), package=path.endswith("__init__.py"))
            except (SyntaxError, ValueError, RecursionError):
                continue


def _names_of(module: ast.Module, *, package: bool) -> PublicNames:
    body = list(_statements(module.body))
    bound = {name: node for node in body for name in _bound(node)}
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    listed = _exported(bound.get("__all__"))
    public = [
        name
        for name, node in bound.items()
        if (_is_offered(name, node, package=package) if listed is None else name in listed)
    ]
    own = {name: _as_function(bound[name]) for name in public}
    for node in (each for each in classes if each.name in public):
        own |= {name: inner for name, inner in _members(node) if _is_public(name.rpartition(".")[2])}
    return PublicNames(
        own=own,
        known=frozenset({*bound, *(name for node in classes for name, _ in _members(node))}),
        open="__getattr__" in bound or "*" in bound,
        subclasses=frozenset(node.name for node in classes if node.bases),
    )


def _members(node: ast.ClassDef) -> Iterator[tuple[str, Function | None]]:
    """Yield what a class defines, with its methods; its first method says how it is made."""
    for each in _statements(node.body):
        for name in _bound(each):
            yield f"{node.name}.{name}", _as_function(each)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of one scope, also those under a condition."""
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, part, ()))
            for handler in getattr(node, "handlers", ()):
                yield from _statements(handler.body)
        else:
            yield node


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((each.asname or each.name).partition(".")[0] for each in node.names)
    elif isinstance(node, _ASSIGNED):
        stored = (each for each in ast.walk(node) if isinstance(each, ast.Name))
        yield from (each.id for each in stored if isinstance(each.ctx, ast.Store))


def _exported(node: ast.stmt | None) -> frozenset[str] | None:
    """Return what `__all__` lists; none where a module has none, or it cannot be read."""
    listed = node.value if isinstance(node, _ASSIGNED) else None
    try:
        return frozenset(map(str, ast.literal_eval(listed))) if listed is not None else None
    except (ValueError, TypeError):
        return None


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name in ("__init__", "__call__")


def _is_offered(name: str, node: ast.stmt, *, package: bool) -> bool:
    """Whether others are to use a name; what a package takes from its own modules it gives on."""
    own = package and isinstance(node, ast.ImportFrom) and node.level > 0
    return _is_public(name) and (own or not isinstance(node, ast.Import | ast.ImportFrom))


def _as_function(node: ast.stmt) -> Function | None:
    return node if isinstance(node, _FUNCTIONS) else None
