"""Say how a function of Go is sabotaged."""

from __future__ import annotations

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
from setpoint.checks.languages.syntax_nodes import root_of, when_first, wrapped
from setpoint.checks.parsing import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NO_EXPRESSION = ("", "")
"""Bodies of Go are always in braces."""


def described(path: str, name: str, node: Node) -> ChangedFunction:
    """Return a function with the ways to break it."""
    sabotages = {
        RAISES: when_first(node, f' panic("{MESSAGE}");', _NO_EXPRESSION),
        NOTHING: when_first(node, _returns_zero(node), _NO_EXPRESSION),
        OTHER: _returns_other(node, probe=False),
    }
    return ChangedFunction(
        path=path,
        name=name,
        sabotages={does: sabotage for does, sabotage in sabotages.items() if sabotage},
        probe=_returns_other(node, probe=True),
        harmless=when_first(node, " _ = 0;", _NO_EXPRESSION),
        text=text_of(node),
    )


def _returns_zero(function: Node) -> str:
    """Return the statement that returns the zero value of each result."""
    result = function.child_by_field_name("result")
    if result is None:
        return " if true { return };"
    if result.type != "parameter_list":
        return f" if true {{ return *new({text_of(result)}) }};"
    values = []
    for each in result.named_children:
        kind = each.child_by_field_name("type")
        if kind is None:
            return ""
        values += [f"*new({text_of(kind)})"] * max(1, len(each.children_by_field_name("name")))
    return f" if true {{ return {', '.join(values)} }};"


def _returns_other(function: Node, *, probe: bool) -> Sabotage:
    """Name the results, and let a deferred function change them."""
    result = function.child_by_field_name("result")
    package = next((each for each in root_of(function).children if each.type == "package_clause"), None)
    if result is None or package is None:
        return ()
    naming: list[Insertion] = []
    names: list[str] = []
    if result.type == "parameter_list":
        for at, each in enumerate(result.named_children):
            own = [text_of(name) for name in each.children_by_field_name("name")]
            if not own:
                own = [f"setpoint{at}"]
                naming.append(Insertion(each.start_byte, f"setpoint{at} "))
            names += own
    else:
        names = ["setpoint0"]
        naming = [*wrapped(result, "(setpoint0 ", ")")]
    if "_" in names or not names:
        return ()
    calls = " ".join(f"setpointReturned(&{name}, {'true' if probe else 'false'});" for name in names)
    return (
        *naming,
        *when_first(function, f" defer func() {{ {calls} }}();", _NO_EXPRESSION),
        Insertion(package.end_byte, '; import setpointreflect "reflect"'),
        Insertion(root_of(function).end_byte, _other_value()),
    )


@cache
def _other_value() -> str:
    """Return the functions that turn a value into another one of its type."""
    return Path(__file__).with_name("other_value.go").read_text("utf-8")
