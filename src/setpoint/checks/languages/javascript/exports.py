"""Find the names that a module of JavaScript or TypeScript exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.languages.parsed_language import ALL_NAMES
from setpoint.checks.parsing import field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def exported(root: Node) -> Iterator[str]:
    """Yield the names that others can import."""
    for node in root.named_children:
        if node.type == "export_statement":
            yield from _of_statement(node)
        elif node.type == "expression_statement":
            yield from _of_assignment(node)


def _of_statement(node: Node) -> Iterator[str]:
    if any(each.type == "default" for each in node.children):
        yield "default"
    if any(each.type == ALL_NAMES for each in node.children):
        yield ALL_NAMES
    declared = node.child_by_field_name("declaration")
    if declared is not None:
        if name := field_of(declared, "name"):
            yield name
        for each in declared.named_children:
            if each.type == "variable_declarator":
                yield field_of(each, "name")
    for clause in node.named_children:
        if clause.type == "export_clause":
            for each in clause.named_children:
                yield field_of(each, "alias") or field_of(each, "name")


def _of_assignment(node: Node) -> Iterator[str]:
    """Yield what a module of CommonJS offers."""
    for each in node.named_children:
        left = each.child_by_field_name("left")
        right = each.child_by_field_name("right")
        if each.type != "assignment_expression" or left is None or right is None:
            continue
        words = text_of(left).split(".")
        if words == ["module", "exports"]:
            for pair in right.named_children if right.type == "object" else ():
                yield field_of(pair, "key") or text_of(pair)
        elif words[0] == "exports" or words[:2] == ["module", "exports"]:
            yield words[-1]
