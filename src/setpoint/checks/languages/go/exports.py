"""Find the names that a file of Go exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_SPECS = ("type_spec", "type_alias", "const_spec", "var_spec")


def exported(root: Node) -> Iterator[str]:
    """Yield the names that other packages can use: those that begin with a capital."""
    for name in _declared(root):
        if all(part[:1].isupper() for part in name.split(".")):
            yield name


def _declared(root: Node) -> Iterator[str]:
    for node in root.named_children:
        if node.type == "method_declaration":
            yield f"{_type_of(field_of(node, 'receiver'))}.{field_of(node, 'name')}"
        elif node.type == "function_declaration":
            yield field_of(node, "name")
        else:
            specs = (each for each in _below(node) if each.type in _SPECS)
            yield from (text_of(name) for each in specs for name in each.children_by_field_name("name"))


def _below(node: Node) -> Iterator[Node]:
    """Yield the parts of a declaration, those in parentheses too."""
    for child in node.named_children:
        yield child
        if child.type.endswith("_list"):
            yield from child.named_children


def _type_of(receiver: str) -> str:
    """Return the type in a receiver such as `(c *Cart[T])`."""
    words = receiver.partition("[")[0].strip("() ").split()
    return words[-1].lstrip("*") if words else ""
