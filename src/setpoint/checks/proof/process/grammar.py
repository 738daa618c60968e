"""What the grammars of Go, JavaScript, TypeScript and Rust call conditions, values, targets and names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import FUNCTIONS, field_of

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS = {
    "if_statement": "condition", "while_statement": "condition", "do_statement": "condition",
    "for_clause": "condition", "ternary_expression": "condition", "switch_statement": "value",
    "switch_case": "value", "expression_switch_statement": "value", "expression_case": "value",
    "index_expression": "index", "subscript_expression": "index",
    "if_expression": "condition", "while_expression": "condition", "match_expression": "value",
    "match_pattern": "condition",
}  # fmt: skip
"""Nodes that decide, with the field by which they do."""
_ASSIGNS = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "augmented_assignment_expression": ("left", "right"),
    "compound_assignment_expr": ("left", "right"),
    "for_in_statement": ("left", "right"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
    "pair": ("key", "value"),
    "short_var_declaration": ("left", "right"),
    "var_spec": ("name", "value"),
    "assignment_statement": ("left", "right"),
    "range_clause": ("left", "right"),
    "let_declaration": ("pattern", "value"),
    "let_condition": ("pattern", "value"),
    "static_item": ("name", "value"),
    "const_item": ("name", "value"),
    "for_expression": ("pattern", "value"),
    "field_initializer": ("field", "value"),
}
"""Nodes that give names a value, with both fields."""
_DECLARES = frozenset(
    {
        "variable_declarator", "short_var_declaration", "var_spec", "range_clause", "let_declaration",
        "let_condition", "for_expression", "for_in_statement",
    }
)  # fmt: skip
_OF_FIELDS = frozenset({"field_definition", "public_field_definition", "pair", "field_initializer"})
_GIVES_BACK = frozenset({"return_statement", "return_expression", "yield_expression"})
NAMES = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_MEMBERS = frozenset({"property_identifier", "field_identifier", "private_property_identifier"})
_CHAINS = {
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "scoped_identifier": ("path", "name"),
    "field_expression": ("value", "field"),
    "subscript_expression": ("object", "index"),
}
"""Nodes that lead to a member, with both fields."""
_WRAPPERS = frozenset(
    {"parenthesized_expression", "as_expression", "non_null_expression", "satisfies_expression",
     "parenthesized_type"}
)  # fmt: skip
TEXTS = frozenset(
    {"string", "string_literal", "raw_string_literal", "interpreted_string_literal", "template_string"}
)
SIDES = frozenset({"-", "<", ">", "<=", ">=", "==", "!=", "===", "!=="})
"""Operators that make a difference of two values."""
_EITHER = frozenset({"&&", "||", "??"})


def conditions(node: Node) -> Iterator[Node]:
    """Yield what a node decides by."""
    name = _TESTS.get(node.type)
    if name and (found := node.child_by_field_name(name)) is not None:
        yield found
    elif node.type == "for_statement":  # in Go its condition has no name
        yield from (each for each in node.named_children if each.type.endswith(("_expression", "identifier")))
    elif node.type == "binary_expression" and field_of(node, "operator") in _EITHER:
        left = node.child_by_field_name("left")
        yield from (left,) if left is not None else ()


def given_back(node: Node) -> Iterator[Node]:
    """Yield what a node gives back from its function."""
    if node.type in _GIVES_BACK:
        yield from node.named_children
    elif node.type in FUNCTIONS:
        body = node.child_by_field_name("body")
        if body is not None and not body.type.endswith("block"):
            yield body
    elif node.type == "block" and node.named_children:
        last = node.named_children[-1]
        if not last.type.endswith(("_statement", "_declaration", "_item", "comment")):
            yield last


def assigned(node: Node) -> tuple[list[Node], Node] | None:
    """Return what a node gives a value, and the value."""
    fields = _ASSIGNS.get(node.type)
    value = node.child_by_field_name(fields[1]) if fields else None
    if fields is None or value is None:
        return None
    return node.children_by_field_name(fields[0]), value


def declares(node: Node) -> bool:
    """Whether a node makes its names new."""
    return node.type in _DECLARES


def of_field(node: Node) -> bool:
    """Whether a node gives a value to a field by its name."""
    return node.type in _OF_FIELDS


def targets(node: Node) -> Iterator[tuple[Node, bool]]:
    """Yield the names in what is given a value, and whether each is a member."""
    if node.type in NAMES:
        yield node, False
    elif node.type in _MEMBERS:
        yield node, True
    elif node.type in _CHAINS and node.type != "subscript_expression":
        member = node.child_by_field_name(_CHAINS[node.type][1])
        yield from ((member, True),) if member is not None else ()
    else:
        for child in node.named_children:
            yield from targets(child)


def chain(node: Node) -> tuple[Node, Node] | None:
    """Return both sides of a node that leads to a member."""
    fields = _CHAINS.get(node.type)
    if fields is None:
        return None
    left, right = (node.child_by_field_name(name) for name in fields)
    return (left, right) if left is not None and right is not None else None


def unwrapped(node: Node) -> Node:
    """Return a node without parentheses and claims about its type."""
    while node.type in _WRAPPERS and node.named_children:
        node = node.named_children[0]
    return node
