"""Additions inside existing tests: a statement more in a test, a row more in its table.

The tests of the base run as they were at the base, apart from the maker's files, so such additions cannot
bring them to pass; and as they run in the delivered tree too, they may not skip or break them either. What
the additions must not do is to make a test demand less (`strength`).
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Sequence

from setpoint.checks.integrity.assertion_strength import strengths, weaker
from setpoint.model import syntax

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
REACHING = frozenset(
    {
        "globals", "locals", "vars", "setattr", "delattr", "exec", "eval", "__import__", "import_module",
        "__dict__", "__globals__", "__setattr__", "__code__", "modules",
    }
)  # fmt: skip
"""Names by which an expression binds or replaces what is defined elsewhere."""
_GROWING = ast.List | ast.Set | ast.Dict
"""Literals that may gain elements; a longer tuple is another value."""
_FILE = re.compile(r"[\w./@+-]*\w\.\w+")
"""A word of a script that names a file."""


def taken_back(base: str, now: str) -> ast.Module:
    """Parse `now` with what merely grew replaced by the old code; both have to parse."""
    before, after = strengths(base), strengths(now)
    lost = {name for name, strength in before.items() if name in after and weaker(strength, after[name])}
    module = syntax.parse(now)
    module.body = _body(syntax.parse(base).body, module.body, "", lost)
    return module


def lines_added(base: str, now: str) -> bool:
    """Whether all lines of a text are still there, in order, among others."""
    rest = iter(now.splitlines())
    return all(line in rest for line in base.splitlines())


def _body(old: list[ast.stmt], new: list[ast.stmt], inside: str, lost: set[str]) -> list[ast.stmt]:
    standing = {ast.dump(node) for node in new}
    named = {node.name: node for node in old if isinstance(node, _Definition)}
    rest = [node for node in old if not isinstance(node, _Definition) and ast.dump(node) not in standing]
    kept: list[ast.stmt] = []
    for node in new:
        if isinstance(node, _Definition):
            kept.append(_definition(named.get(node.name), node, inside, lost))
            continue
        stood = next((each for each in rest if _within(each, node)), None)
        if stood is not None:
            rest.remove(stood)
        kept.append(stood or node)
    return kept


def _definition(old: _Definition | None, new: _Definition, inside: str, lost: set[str]) -> _Definition:
    name = f"{inside}{new.name}"
    if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef):
        whole = copy.copy(new)
        whole.body = _body(old.body, new.body, f"{name}::", lost)
        return whole
    if old is None or name in lost or not _within(old, new) or (_names(new) - _names(old)) & REACHING:
        return new
    return old


def _names(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _within(old: ast.AST, new: ast.AST) -> bool:
    """Whether all of the old code is in the new, which has statements or elements more at most."""
    if type(old) is not type(new):
        return False
    if isinstance(old, ast.Dict) and isinstance(new, ast.Dict):
        pairs = [list(zip(each.keys, each.values, strict=True)) for each in (old, new)]
        return _subsequence([_pair(*each) for each in pairs[0]], [_pair(*each) for each in pairs[1]])
    return all(
        _field(held, getattr(new, name, None), grows=name == "body" or isinstance(old, _GROWING))
        for name, held in ast.iter_fields(old)
    )


def _field(old: object, new: object, *, grows: bool) -> bool:
    if isinstance(old, ast.AST) and isinstance(new, ast.AST):
        return _within(old, new)
    if isinstance(old, list) and isinstance(new, list):
        if grows:
            return _subsequence(old, new)
        return len(old) == len(new) and all(_field(*each, grows=False) for each in zip(old, new, strict=True))
    return old == new


def _subsequence(old: Sequence[ast.AST], new: Sequence[ast.AST]) -> bool:
    rest = iter(new)
    return all(any(_within(each, other) for other in rest) for each in old)


def _pair(key: ast.expr | None, value: ast.expr) -> ast.AST:
    return ast.Tuple(elts=[key or ast.Constant(value=None), value], ctx=ast.Load())


def repeats_lines(old: str, new: str) -> bool:
    """Whether a script gains only lines like those that it has, with another file in them: one more test."""
    if not lines_added(old, new):
        return False
    plain = {_FILE.sub("FILE", line).strip() for line in old.splitlines() if _FILE.search(line)}
    more = Counter(new.splitlines()) - Counter(old.splitlines())
    return all(_FILE.sub("FILE", line).strip() in plain for line in more if line.strip())
