"""Where the ways of a script part: the arms of its conditions, of which each runs or does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setpoint.checks.formats.coverage.statements import Lines, Start
from setpoint.checks.parsing import is_script, parser_of, suffix_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LOGICAL = frozenset({"&&", "||", "??"})


@dataclass(frozen=True)
class Arm:
    """One way that a condition can go, from its first character on."""

    place: str
    """Unique in its file."""
    start: Start
    end: Start
    besides: tuple[Start, Start] | None = None
    """The body of an `if` without `else`: this arm is taken where the `if` ran more often than its body."""


def arms_of(path: str, source: bytes) -> tuple[Arm, ...]:
    """Return the arms of a script: of `if`, `?:`, `switch`, `&&`, `||` and `??`; of other languages none."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if suffix and is_script(suffix) else None
    if parser is None:
        return ()
    lines = Lines(source)
    return tuple(_numbered(_nodes(parser.parse(source).root_node), lines))


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _nodes(child)


def _numbered(nodes: Iterator[Node], lines: Lines) -> Iterator[Arm]:
    for number, node in enumerate(nodes):
        if node.type == "if_statement":
            yield from _of_if(node, lines, number)
            continue
        for index, arm in enumerate(_arms(node)):
            yield Arm(f"{number}.{index}", lines.start(arm), lines.end(arm))


def _of_if(node: Node, lines: Lines, number: int) -> Iterator[Arm]:
    body, otherwise = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if body is None:
        return
    span = lines.start(body), lines.end(body)
    yield Arm(f"{number}.0", *span)
    if otherwise is None:
        yield Arm(f"{number}.1", lines.start(node), span[0], span)
    else:
        inner = otherwise.named_children[0] if otherwise.named_children else otherwise
        yield Arm(f"{number}.1", lines.start(inner), lines.end(inner))


def _arms(node: Node) -> Iterator[Node]:
    if node.type == "ternary_expression":
        arms = (node.child_by_field_name(name) for name in ("consequence", "alternative"))
        yield from (arm for arm in arms if arm is not None)
    elif node.type in ("switch_case", "switch_default"):
        yield node
    elif _is_logical(node) and not _is_logical(_around(node)):
        yield from _operands(node)


def _is_logical(node: Node | None) -> bool:
    operator = node.child_by_field_name("operator") if node and node.type == "binary_expression" else None
    return operator is not None and operator.type in _LOGICAL


def _around(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type == "parenthesized_expression":
        around = around.parent
    return around


def _operands(node: Node) -> Iterator[Node]:
    inner = node
    while inner.type == "parenthesized_expression" and inner.named_children:
        inner = inner.named_children[0]
    if not _is_logical(inner):
        yield node
        return
    for name in ("left", "right"):
        child = inner.child_by_field_name(name)
        if child is not None:
            yield from _operands(child)
