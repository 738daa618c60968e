"""Where texts are put into a source, by nodes of its syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setpoint.checks.languages.changed_function import Insertion, Sabotage

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = ("block", "statement_block")


def when_first(function: Node, text: str, returns: tuple[str, str]) -> Sabotage:
    """Put a text at the top of a body, so that the code below still compiles.

    Args:
        function: The function; without a body, nothing is put.
        text: Statements; nothing is put where they are empty.
        returns: What comes before and after a body that is an expression, where it becomes a block.

    """
    body = function.child_by_field_name("body")
    if body is None or not text:
        return ()
    if body.type in _BLOCKS:
        return (Insertion(body.start_byte + 1, text),)
    return wrapped(body, f"{{{text}{returns[0]}", returns[1])


def wrapped(node: Node, before: str, after: str) -> Sabotage:
    """Put a text before a node and one behind it."""
    return (Insertion(node.start_byte, before), Insertion(node.end_byte, after))


def is_block(node: Node) -> bool:
    """Whether a body is in braces; a closure may be an expression alone."""
    return node.type in _BLOCKS


def root_of(node: Node) -> Node:
    """Return the node of the whole file."""
    while node.parent is not None:
        node = node.parent
    return node
