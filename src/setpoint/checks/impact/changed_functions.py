"""What differs between two versions of a Python file: which functions, and whether anything around them.

Compiled code is compared, so comments, formatting and moved lines do not count. What runs when the file
is imported (class bodies, decorators, default values, annotations) belongs to the file as a whole, and so do
names, signatures and docstrings of functions, as code elsewhere may look at these without a call.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from types import CodeType

from setpoint.model import syntax

_FUNCTION = 0x0001 | 0x0002  # CO_OPTIMIZED | CO_NEWLOCALS: a class body has neither


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What changed in a file."""

    whole: bool = False
    """What runs at import changed, or a version cannot be compiled here."""
    blocks: frozenset[str] = frozenset()
    """Qualified names of functions of the old version whose code is another or gone."""
    lines: frozenset[int] = frozenset()
    """First lines of these functions, and of what is defined inside them, in the old version."""


@dataclass(kw_only=True)
class _Outline:
    parts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Digests by qualified name; the empty name is the file itself."""
    lines: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))


def difference(old: bytes, new: bytes) -> Difference:
    """Compare two versions of a file."""
    try:
        before, now = syntax.parse(old), syntax.parse(new)
        _without_added(before, now)
        for module in (before, now):
            _with_cells(module)
        was, becomes = _outline(compile(before, "old", "exec")), _outline(compile(now, "new", "exec"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Difference(whole=True)
    changed = frozenset(name for name, part in was.parts.items() if part != becomes.parts.get(name))
    inside = {
        name for name in was.parts if any(name.startswith(f"{outer}.<locals>.") for outer in changed if outer)
    }
    lines = frozenset(line for name in (changed | inside) - {""} for line in was.lines[name])
    return Difference(whole="" in changed, blocks=changed - {""}, lines=lines)


def _without_added(before: ast.Module, now: ast.Module) -> None:
    """Leave out plain functions that are new: no unchanged code can know their names.

    In a class with bases a new method may hide an inherited one; a special method changes what operators do.
    """
    _drop(now, _names(before))
    classes = {node.name: node for node in before.body if isinstance(node, ast.ClassDef)}
    for node in now.body:
        if (
            isinstance(node, ast.ClassDef)
            and node.name in classes
            and not (node.bases or node.keywords or node.decorator_list)
        ):
            _drop(node, _names(classes[node.name]))


def _with_cells(module: ast.Module) -> None:
    """Let each method use `super()`: whether one does shows in the class body around it, nowhere else."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                    used = ast.copy_location(ast.Expr(ast.Name("__class__", ast.Load())), each.body[-1])
                    each.body = [*each.body, ast.fix_missing_locations(used)]


def _drop(scope: ast.Module | ast.ClassDef, known: set[str]) -> None:
    def is_new(node: ast.stmt) -> bool:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.decorator_list:
            return False
        special = (
            node.name.startswith("__")
            or hasattr(builtins, node.name)
            or node.name.startswith(("test", "pytest_"))
        )
        return node.name not in known and not special

    kept = [node for node in scope.body if not is_new(node)]
    scope.body = kept or [ast.Pass(lineno=1, col_offset=0)]


def _names(scope: ast.Module | ast.ClassDef) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found


def _outline(module: CodeType) -> _Outline:
    outline = _Outline()
    _add(module, "", outline)
    return outline


def _add(code: CodeType, owner: str, outline: _Outline) -> None:
    outline.parts[owner].append(_digest(code))
    outline.lines[owner].add(code.co_firstlineno)  # of the file itself never asked for
    for inner in code.co_consts:
        if not isinstance(inner, CodeType):
            continue
        if inner.co_name.startswith("<") or inner.co_flags & _FUNCTION != _FUNCTION:
            _add(inner, owner, outline)  # part of what surrounds it: a comprehension, a lambda, a class body
        else:
            outline.parts[owner].append(_face(inner))
            _add(inner, inner.co_qualname, outline)


def _face(code: CodeType) -> str:
    """Return what can be seen of a function without a call."""
    count = (
        code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    )
    docs = code.co_consts[0] if code.co_consts and isinstance(code.co_consts[0], str) else None
    counts = (code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount)
    return repr((code.co_qualname, counts, code.co_varnames[:count], code.co_flags, docs))


def _digest(code: CodeType) -> str:
    consts = [_constant(each) for each in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
    table = getattr(code, "co_exceptiontable", b"")
    return hashlib.sha256(repr((code.co_code, table, consts, names)).encode()).hexdigest()


def _constant(value: object) -> object:
    """Return a constant so that equal ones look the same in each process, and 1, 1.0 and True do not."""
    if isinstance(value, CodeType):
        return ("code", value.co_name)
    if isinstance(value, frozenset):
        return ("set", sorted(repr(_constant(each)) for each in value))
    if isinstance(value, tuple):
        return ("tuple", [_constant(each) for each in value])
    return (type(value).__name__, repr(value))
