"""Find types of Rust that say themselves what they equal, and derive their equality."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import RUST, field_of, parser_of, text_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion

if TYPE_CHECKING:
    from tree_sitter import Node


def rust_equality(path: str, old: bytes | None, new: bytes) -> list[ChangedFunction]:
    """Return the types of a file whose own equality the change adds or changes."""
    parser = parser_of(RUST)
    if parser is None:
        return []
    known = {text_of(each) for each in _equalities(parser.parse(old or b"").root_node)}
    root = parser.parse(new).root_node
    types = {
        field_of(each, "name"): each for each in _every(root) if each.type in ("struct_item", "enum_item")
    }
    found = []
    for each in _equalities(root):
        owner = types.get(field_of(each, "type").partition("<")[0])
        if owner is None or text_of(each) in known:
            continue
        plainly = (
            Insertion(owner.start_byte, "#[derive(PartialEq)] "),
            Insertion(each.start_byte, "/* "),
            Insertion(each.end_byte, " */"),
        )
        name = f"{field_of(each, 'type')}::eq"
        found.append(ChangedFunction(path=path, name=name, sabotages={"is derived": plainly}))
    return found


def _equalities(root: Node) -> Iterator[Node]:
    for each in _every(root):
        if each.type == "impl_item" and field_of(each, "trait").rpartition("::")[2] in (
            "PartialEq",
            "PartialEq<Self>",
        ):
            yield each


def _every(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        yield from _every(child)
