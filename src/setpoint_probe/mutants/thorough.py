"""Mutants for comparing two suites: other results, other errors, other words.

A score asks whether code is tested at all, and one change of a place is enough for it. Whether one test
demands as much as another shows in small things: the end of a text, the last element, the type of an error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..templates import Draft, Scope

_NUMBER = "hasattr(v, 'as_integer_ratio')"
_ROW = "type(v) in (list, tuple)"
_AT_ITS_END = (
    f"not v if isinstance(v, bool) else v + 1 if {_NUMBER} else v + '?' if isinstance(v, str)"
    f" else v + b'?' if isinstance(v, bytes) else type(v)([*v, None]) if {_ROW}"
    " else {**v, '?': None} if type(v) is dict else v | {'?'} if type(v) in (set, frozenset)"
    " else 0 if v is None else None"
)
_TURNED_ROUND = (
    f"v if isinstance(v, bool) else -v if {_NUMBER} else '?' + v if isinstance(v, str)"
    f" else v[::-1] if isinstance(v, bytes) or {_ROW} else dict.fromkeys(v) if type(v) is dict else v"
)
_A_LITTLE_LESS = (
    f"v if isinstance(v, bool) else v - 1 if isinstance(v, int) else v + v / 100 if {_NUMBER}"
    f" else v.swapcase() if isinstance(v, str) else v[:-1] if isinstance(v, bytes) or {_ROW}"
    " else dict([*v.items()][:-1]) if type(v) is dict else v"
)
_OTHER_ERROR = "type('AnotherError', (Exception,), {})"


def thorough_drafts(scope: Scope, node: ast.AST) -> Iterator[tuple[str, Draft]]:
    """Return more edits of one place, each with the name of its family."""
    stored = isinstance(node, ast.Assign) and all(
        isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets
    )
    given = isinstance(node, (ast.Return, ast.Yield)) and node.value is not None
    if stored or given:
        yield from _values(scope, node.value)  # type: ignore[attr-defined]  # all of them have a value
    elif isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(raised, (ast.Name, ast.Attribute)):
            yield from (("error-type", draft) for draft in scope.replace(raised, _OTHER_ERROR))


def _values(scope: Scope, value: ast.expr) -> Iterator[tuple[str, Draft]]:
    text = scope.text(value)
    for other in (_AT_ITS_END, _TURNED_ROUND, _A_LITTLE_LESS):
        for draft in scope.replace(value, f"(lambda v: {other})(({text}))"):
            yield "other-value", draft
