"""Find what macros of Rust make: the functions in their bodies, and the values that they become."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import RUST, field_of, is_test, parser_of
from setpoint.checks.proof.sensitivity.changed_function import Insertion, Sabotage
from setpoint.checks.proof.sensitivity.elsewhere.literals import other_literals

if TYPE_CHECKING:
    from tree_sitter import Node

_RAISES = '{ if true { panic!("sabotaged by Setpoint") } '
_NOTHING = "{ if true { Default::default() } else { "


def bodies(node: Node) -> Iterator[tuple[str, Node, Node]]:
    """Yield the bodies of macros: the macro's name, its body, and the body parsed as items.

    A variable of the macro, `$name`, is read as a name of the same length, so that places stay the same.
    """
    parser = parser_of(RUST)
    for child in node.named_children:
        if is_test(child) or parser is None:
            continue
        if child.type == "macro_definition":
            for rule in child.named_children:
                if (body := rule.child_by_field_name("right")) is not None:
                    yield f"{field_of(child, 'name')}!", body, parser.parse(_alone(body)).root_node
        elif child.type in ("mod_item", "declaration_list"):
            yield from bodies(child)


def of_expression(body: Node) -> tuple[dict[str, Sabotage], tuple[Sabotage, ...]]:
    """Return how a body that becomes an expression is sabotaged, and how its literals are others."""
    start, end = body.start_byte + 1, body.end_byte - 1
    sabotages: dict[str, Sabotage] = {
        "raises": (Insertion(start, _RAISES), Insertion(end, " }")),
        "does nothing": (Insertion(start, _NOTHING), Insertion(end, " } }")),
    }
    return sabotages, other_literals(body)


def _alone(body: Node) -> bytes:
    """Return the inside of a body at its place, with nothing around it."""
    text = (body.text or b"")[1:-1].replace(b"$", b"_")
    return b" " * (body.start_byte + 1) + text
