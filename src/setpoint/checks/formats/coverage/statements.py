"""Where the statements of a source begin: what counts as executable, whatever tool says what ran.

Tools differ in what they call a line: V8 counts characters, Go and LLVM count blocks with their braces.
Setpoint counts the lines on which statements begin, as coverage.py does for Python. Declarations that run
nothing by themselves (functions, classes, types, imports) do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setpoint.checks.parsing import GO, is_script, is_test, parser_of, suffix_of

if TYPE_CHECKING:
    from tree_sitter import Node

_OF_SCRIPTS = frozenset(
    {
        "expression_statement", "lexical_declaration", "variable_declaration", "return_statement",
        "if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement",
        "switch_statement", "throw_statement", "break_statement", "continue_statement",
    }
)  # fmt: skip
_OF_GO = frozenset(
    {
        "expression_statement", "send_statement", "inc_statement", "dec_statement", "assignment_statement",
        "short_var_declaration", "var_declaration", "return_statement", "if_statement", "for_statement",
        "expression_switch_statement", "type_switch_statement", "select_statement", "go_statement",
        "defer_statement", "break_statement", "continue_statement", "goto_statement",
        "fallthrough_statement",
    }
)  # fmt: skip
_OF_RUST = frozenset({"let_declaration", "expression_statement"})
_TYPES = frozenset({"ambient_declaration", "interface_declaration", "type_alias_declaration"})
_NOT_RUN = frozenset({"attribute_item", "line_comment", "block_comment", "comment"})


@dataclass(frozen=True, order=True)
class Start:
    """Where a statement begins."""

    line: int
    """From 1 on."""
    column: int
    """In UTF-16 units, from 0 on, as scripts and their source maps count."""
    offset: int
    """The same from the beginning of the text."""
    byte: int
    """The same in bytes of the line, from 0 on, as Go counts."""


def statements_of(path: str, source: bytes) -> tuple[Start, ...] | None:
    """Return where the statements of a source begin; none where nothing here can parse it."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if suffix else None
    if parser is None:
        return None
    nodes = _scripts if is_script(suffix) else _go if suffix == GO else _rust
    root = parser.parse(source).root_node
    lines = Lines(source)
    return tuple(sorted({lines.start(node) for node in nodes(root)}))


class Lines:
    """Turns the bytes of a text into UTF-16 units."""

    def __init__(self, source: bytes) -> None:
        self._lines = source.split(b"\n")
        self._offsets = [0]
        for line in self._lines:
            self._offsets.append(self._offsets[-1] + _units(line) + 1)

    def start(self, node: Node) -> Start:
        """Return where a node begins."""
        return self._at(*node.start_point)

    def end(self, node: Node) -> Start:
        """Return where the text behind a node begins."""
        return self._at(*node.end_point)

    def _at(self, row: int, byte: int) -> Start:
        column = _units(self._lines[row][:byte])
        return Start(row + 1, column, self._offsets[row] + column, byte)


def _units(text: bytes) -> int:
    return len(text.decode("utf-8", "replace").encode("utf-16-le")) // 2


def _scripts(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in _TYPES:
            continue
        if (child.type in _OF_SCRIPTS and not _directive(child)) or _answer_of_arrow(node, child):
            yield child
        yield from _scripts(child)


def _answer_of_arrow(node: Node, child: Node) -> bool:
    """Whether a child is what an arrow function without a block answers."""
    whole = node.type == "arrow_function" and child.type != "statement_block"
    return whole and child == node.child_by_field_name("body")


def _directive(node: Node) -> bool:
    """Whether a statement is a word to the engine, such as 'use strict', which never runs."""
    return node.type == "expression_statement" and [each.type for each in node.named_children] == ["string"]


def _go(node: Node, *, inside: bool = False) -> Iterator[Node]:
    for child in node.named_children:
        within = inside or child.type in ("function_declaration", "method_declaration", "func_literal")
        if inside and child.type in _OF_GO and node.type in ("block", "statement_list", *_CASES):
            yield child
        yield from _go(child, inside=within)


_CASES = ("expression_case", "default_case", "type_case", "communication_case")


def _rust(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if is_test(child) or child.type in ("macro_definition", "token_tree"):
            continue
        last = node.type == "block" and child == node.named_children[-1]
        tail = last and child.type not in _NOT_RUN and not child.type.endswith("_item")
        if child.type in _OF_RUST or tail:
            yield child
        yield from _rust(child)
