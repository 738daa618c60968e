"""Where the tests of a script are written, so that one of them can be removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setpoint.checks.parsing import parser_of, suffix_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS = frozenset({"test", "it"})
_GROUPS = frozenset({"describe", "suite", "context"})
JOINED = " > "
"""Joins the name of a group and of what is in it."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """One test or group as it is written."""

    name: str
    """With the names of its groups."""
    first: int
    last: int
    """Bytes of its statement."""
    inner: tuple[Span, ...] | None = None
    """What is in a group; none for a test."""


def spans_of(path: str, source: bytes) -> tuple[Span, ...]:
    """Return the tests and groups of a file that are written with a plain name."""
    parser = parser_of(suffix_of(path)) if suffix_of(path) else None
    return tuple(_spans(parser.parse(source).root_node, "")) if parser else ()


def named(spans: Collection[Span]) -> frozenset[str]:
    """Return the names of all tests."""
    found: set[str] = set()
    for each in spans:
        found |= {each.name} if each.inner is None else named(each.inner)
    return frozenset(found)


def without(source: bytes, spans: Collection[Span], drop: Collection[str]) -> bytes:
    """Return a source without some tests, and without groups that only held these."""
    for first, last in sorted(_cut(spans, drop), reverse=True):
        before, behind = source[:first].rstrip(b" \t"), source[last:].removeprefix(b"\n")
        source = (before.removesuffix(b"\n") if before.endswith(b"\n\n") else before) + behind
    return source


def _cut(spans: Collection[Span], drop: Collection[str]) -> Iterator[tuple[int, int]]:
    for each in spans:
        if each.inner is None:
            if each.name in drop:
                yield each.first, each.last
        elif (inside := named(each.inner)) and inside <= set(drop):
            yield each.first, each.last
        else:
            yield from _cut(each.inner, drop)


def _spans(node: Node, group: str) -> Iterator[Span]:
    for child in node.named_children:
        call = child.named_children[0] if child.type == "expression_statement" else None
        if call is None or call.type != "call_expression":
            continue
        called, given = _called(call), call.child_by_field_name("arguments")
        title = _title(given.named_children[0]) if given and given.named_children else ""
        if not title or called not in _TESTS | _GROUPS or given is None:
            continue
        name = f"{group}{JOINED}{title}" if group else title
        inner = tuple(_spans(_block(given), name)) if called in _GROUPS else None
        yield Span(name=name, first=child.start_byte, last=child.end_byte, inner=inner)


def _called(call: Node) -> str:
    function = call.child_by_field_name("function")
    made = function is None or function.type == "call_expression"  # test.each(...)(name)
    return "" if made or function is None else text_of(function).partition(".")[0]


def _title(node: Node) -> str:
    if node.type == "string" or (
        node.type == "template_string" and all(each.type == "string_fragment" for each in node.named_children)
    ):
        text = text_of(node)[1:-1]
        return text.replace('\\"', '"').replace("\\'", "'").replace("\\`", "`")
    return ""


def _block(arguments: Node) -> Node:
    """Return the block of the function that a group is given."""
    last = arguments.named_children[-1]
    return last.child_by_field_name("body") or last
