"""Parse Go, JavaScript and TypeScript by tree-sitter (extra `languages`)."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_TYPED = ("tree_sitter_typescript", "language_typescript")
_GRAMMARS = {
    ".go": ("tree_sitter_go", "language"),
    **dict.fromkeys((".ts", ".mts", ".cts"), _TYPED),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), ("tree_sitter_javascript", "language")),
}
SCRIPTS = tuple(suffix for suffix in _GRAMMARS if suffix != ".go")
"""Suffixes of JavaScript and TypeScript."""
FUNCTIONS = frozenset(
    {
        "function_declaration", "method_declaration", "method_definition", "arrow_function", "func_literal",
        "function_expression", "generator_function_declaration", "generator_function",
    }
)  # fmt: skip
"""Functions as their grammars name them."""
NAMES = frozenset({"identifier", "property_identifier", "field_identifier", "private_property_identifier"})
"""Names as their grammars name them."""


def suffix_of(path: str) -> str:
    """Return the suffix of a file that can be parsed; empty for all others."""
    suffix = f".{path.rpartition('.')[2]}"
    return suffix if suffix in _GRAMMARS and not path.endswith(".d.ts") else ""


@cache
def parser_of(suffix: str) -> Parser | None:
    """Return the parser of a known language; none where the extra is not installed."""
    module, function = _GRAMMARS[suffix]
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        grammar = getattr(importlib.import_module(module), function)
    except ImportError:
        return None
    parser: Parser = tree_sitter.Parser(tree_sitter.Language(grammar()))
    return parser


def text_of(node: Node) -> str:
    """Return a node as it is written."""
    return (node.text or b"").decode("utf-8", "replace")


def lines_of(node: Node) -> range:
    """Return the lines on which a node stands, 1-based."""
    return range(node.start_point[0] + 1, node.end_point[0] + 2)


def inside(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(each.children)


def functions_in(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield the functions of a file with their names."""
    for node in inside(root):
        if node.type not in FUNCTIONS:
            continue
        owner = node.parent
        held = owner is not None and owner.type in ("variable_declarator", "pair", "assignment_expression")
        name = node.child_by_field_name("name")
        if name is None and held and owner is not None:
            fields = (owner.child_by_field_name(each) for each in ("name", "key", "left"))
            name = next((each for each in fields if each is not None), None)
        if name is not None:
            yield text_of(name).rpartition(".")[2], node
