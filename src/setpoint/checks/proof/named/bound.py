"""Sabotage names of Python that are bound outside functions to something callable, such as aliases."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from setpoint.checks.proof.sensitivity.changed_function import MARK, ChangedFunction, Insertion, Sabotage
from setpoint.checks.proof.sensitivity.python_functions import OTHER_VALUE
from setpoint.model import syntax

CALLABLE = ".callable"
"""Suffix of the file beside a mark which shows that the name is bound to something callable."""
_ONLY = "if callable({name}) and not isinstance({name}, type):\n    open({mark} + '{suffix}', 'a').close()\n"
_DEFINES = "    def {name}(*_a, **_k):\n        open({mark}, 'a').close()\n        {does}\n"
_WRAPS = "    {name} = (lambda _f: lambda *_a, **_k: {other}((_f(*_a, **_k))))({name})\n"


def bound_names(
    path: str, old: bytes | None, new: bytes, names: frozenset[str]
) -> tuple[ChangedFunction, ...]:
    """Return those of some names that the change binds outside functions, in a file of Python."""
    try:
        now, before = dict(_bound(syntax.parse(new))), dict(_bound(syntax.parse(old or b"")))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = [name for name, text in now.items() if name in names and before.get(name) != text]
    return tuple(_of(path, name, len(new)) for name in found)


def _of(path: str, name: str, end: int) -> ChangedFunction:
    only = "\n\n" + _ONLY.format(name=name, mark=MARK, suffix=CALLABLE)
    ends = {"raises": "raise RuntimeError('sabotaged by Setpoint')", "does nothing": "return None"}
    texts = {does: only + _DEFINES.format(name=name, mark=MARK, does=action) for does, action in ends.items()}
    texts["returns something else"] = only + _WRAPS.format(name=name, other=OTHER_VALUE)
    sabotages: dict[str, Sabotage] = {does: (Insertion(end, text),) for does, text in texts.items()}
    return ChangedFunction(path=path, name=name, sabotages=sabotages, marks=True, text=name)


def _bound(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that statements of a module bind, each with what the statement is."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for each in (part for target in targets for part in ast.walk(target)):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    yield each.id, ast.dump(node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.asname and alias.asname != alias.name:
                    yield alias.asname, ast.dump(node)
