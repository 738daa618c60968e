"""Say how a function or macro of Rust is sabotaged."""

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
from setpoint.checks.languages.syntax_nodes import is_block, when_first, wrapped
from setpoint.checks.parsing import field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_PANICS = f' if true {{ panic!("{MESSAGE}") }}'
_OTHER = "(&&&SetpointHeld(::std::cell::Cell::new(Some(setpoint_value)))).other()"
_WITH_DEFAULT = frozenset(
    {
        "bool",
        "String",
        *(f"{kind}{bits}" for kind in "iuf" for bits in ("8", "16", "32", "64", "128", "size")),
    }
)
_BEGIN_WITH_DEFAULT = ("Vec<", "Option<", "HashMap<", "BTreeMap<", "&str", "&'")
"""How types begin that are taken to have a default; what does not compile is not counted."""


def described(path: str, name: str, node: Node, *, in_macro: bool) -> ChangedFunction:
    """Return a function with the ways to break it; types in a macro are not known."""
    closed = ("", " }")
    sabotages = {RAISES: when_first(node, _PANICS, closed), NOTHING: when_first(node, _default(node), closed)}
    if not in_macro:
        sabotages[OTHER] = _returns_other(node, probe=False)
    return ChangedFunction(
        path=path,
        name=name,
        sabotages={does: sabotage for does, sabotage in sabotages.items() if sabotage},
        probe=() if in_macro else _returns_other(node, probe=True),
        harmless=when_first(node, " let _ = 0;", closed),
        text=text_of(node),
    )


def described_macro(path: str, name: str, body: Node) -> ChangedFunction:
    """Return the body of a macro that becomes an expression, with the ways to break it."""
    start, end = body.start_byte + 1, body.end_byte - 1
    texts = {RAISES: (f"{{{_PANICS} ", " }"), NOTHING: ("{ if true { Default::default() } else { ", " } }")}
    return ChangedFunction(
        path=path,
        name=name,
        sabotages={
            does: (Insertion(start, before), Insertion(end, after)) for does, (before, after) in texts.items()
        },
        text=text_of(body),
    )


def _default(function: Node) -> str:
    """Return the statement that returns a default; empty where the type may have none."""
    result = _result(function)
    if not result:
        is_closure = function.type == "closure_expression"
        return f" if true {{ return{' Default::default()' if is_closure else ''}; }}"
    if result.partition("<")[0].rpartition("::")[2] == "Result":
        return " if true { return Ok(Default::default()); }"
    known = result in _WITH_DEFAULT or result.startswith(_BEGIN_WITH_DEFAULT)
    return " if true { return Default::default(); }" if known else ""


def _result(function: Node) -> str:
    """Return the type of what a function returns; of a closure as the constant that holds it declares it."""
    found, above = field_of(function, "return_type"), function.parent
    if found or function.type != "closure_expression" or above is None:
        return found
    kind = above.child_by_field_name("type")
    return field_of(kind, "return_type") if kind is not None and kind.type == "function_type" else ""


def _returns_other(function: Node, *, probe: bool) -> Sabotage:
    """Let the body compute its value in a closure, and change that."""
    body, result = function.child_by_field_name("body"), _result(function)
    if body is None or not result or "impl " in result or result == "!":
        return ()
    waits = any(each.type == "function_modifiers" and "async" in text_of(each) for each in function.children)
    start, end = ("(async move {", "}).await") if waits else (f"(move || -> {result} {{", "})()")
    head = f" {_other_value(probe=probe)} let setpoint_value: {result} = {start}"
    tail = f" {end}; {_OTHER} "
    if is_block(body):
        return (Insertion(body.start_byte + 1, head), Insertion(body.end_byte - 1, tail))
    return wrapped(body, f"{{{head}", f"{tail}}}")


@cache
def _other_value(*, probe: bool) -> str:
    """Return the items that turn a value into another one of its type, on one line."""
    text = " ".join(Path(__file__).with_name("other_value.rs").read_text("utf-8").split())
    return text.replace("PROBE", "true" if probe else "false", 1)
