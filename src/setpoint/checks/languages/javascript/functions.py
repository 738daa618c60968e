"""Say how a function of JavaScript or TypeScript is sabotaged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.checks.languages.changed_function import (
    MESSAGE,
    NOTHING,
    OTHER,
    RAISES,
    ChangedFunction,
    Insertion,
    Sabotage,
)
from setpoint.checks.languages.syntax_nodes import is_block, root_of, when_first, wrapped
from setpoint.checks.parsing import FUNCTIONS, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = {"/*any*/": ": any", "/*as any*/": " as any"}
"""Comments in `other_value.js`, and the types that replace them in TypeScript."""


def described(path: str, name: str, node: Node, *, typed: bool) -> ChangedFunction:
    """Return a function with the ways to break it; `typed`: in TypeScript."""
    ends = {
        RAISES: f' if (Date.now()) throw new Error("{MESSAGE}");',
        NOTHING: f" if (Date.now()) return undefined{' as any' if typed else ''};",
    }
    sabotages = {does: when_first(node, end, (" return (", "); }")) for does, end in ends.items()}
    other = _returns_other(node, typed=typed, probe=False)
    return ChangedFunction(
        path=path,
        name=name,
        sabotages={**sabotages, OTHER: other} if other else sabotages,
        probe=_returns_other(node, typed=typed, probe=True),
        harmless=when_first(node, " ;", (" return (", "); }")),
        text=text_of(node),
    )


def _returns_other(function: Node, *, typed: bool, probe: bool) -> Sabotage:
    """Return how a function changes each value that it returns, or raises in place of that."""
    body = function.child_by_field_name("body")
    if body is None or any(each.type == "*" for each in function.children):
        return ()
    values = [*_returned(body)] if is_block(body) else [body]
    end = f"), {'true' if probe else 'false'}, 0)"
    changed = [insertion for each in values for insertion in wrapped(each, "setpointOther((", end)]
    return (*changed, Insertion(root_of(function).end_byte, _other_value(typed=typed))) if changed else ()


def _returned(node: Node) -> Iterator[Node]:
    """Yield the values that a function itself returns."""
    for child in node.named_children:
        if child.type == "return_statement":
            yield from (each for each in child.named_children[:1] if each.type != "comment")
        elif child.type not in FUNCTIONS and not child.type.startswith("class"):
            yield from _returned(child)


@cache
def _other_value(*, typed: bool) -> str:
    """Return the function that turns a value into another one of its type."""
    text = Path(__file__).with_name("other_value.js").read_text("utf-8")
    for mark, written in _TYPES.items():
        text = text.replace(mark, written if typed else "")
    return text
