"""Find the functions that macros of Rust make, and the bodies that become an expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import RUST, field_of, functions_of, is_test, parser_of

if TYPE_CHECKING:
    from tree_sitter import Node

EXPRESSION = "token_tree"
"""A body that holds no function; all other nodes are functions."""


def functions_in_macros(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the functions in the bodies of macros, or a body as a whole, with qualified names."""
    for child in node.named_children:
        if is_test(child):
            continue
        if child.type == "macro_definition":
            name = f"{field_of(child, 'name')}!"
            bodies = (rule.child_by_field_name("right") for rule in child.named_children)
            for body in (each for each in bodies if each is not None):
                functions = [(f"{name}.{own}", node) for own, node in functions_of(_parsed(body))]
                yield from functions or [(name, body)]
        elif child.type in ("mod_item", "declaration_list"):
            yield from functions_in_macros(child)


def _parsed(body: Node) -> Node:
    """Parse a body as items, at its place in the file.

    A variable of the macro, `$name`, is read as a name of the same length, so that places stay the same.
    """
    parser = parser_of(RUST)
    if parser is None:
        return body
    text = (body.text or b"")[1:-1].replace(b"$", b"_")
    return parser.parse(b" " * (body.start_byte + 1) + text).root_node
