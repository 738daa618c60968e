"""Let the literals of a piece of code have other values, by insertions alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import FUNCTIONS, text_of
from setpoint.checks.proof.sensitivity.changed_function import Insertion, Sabotage

if TYPE_CHECKING:
    from tree_sitter import Node

_WHOLE = frozenset({"int_literal", "integer_literal", "number", "iota", "rune_literal"})
_REAL = frozenset({"float_literal"})
_TEXTS = frozenset({"interpreted_string_literal", "raw_string_literal", "string_literal", "string"})
_TRUTHS = frozenset({"true", "false", "boolean_literal"})


def other_literals(node: Node) -> tuple[Sabotage, ...]:
    """Return ways to change the literals inside a node, outside functions: all, then those of one kind alone.

    The first that compiles is meant to count: a length of an array may be among the values.
    """
    kinds: dict[str, list[Insertion]] = {"number": [], "text": [], "truth": []}
    for each in _leaves(node):
        if each.type in _WHOLE | _REAL:
            more = "7.0" if each.type in _REAL else f"7{'n' if text_of(each).endswith('n') else ''}"
            kinds["number"].append(Insertion(each.end_byte, f" + {more}"))
        elif each.type in _TEXTS:
            inside = next(iter(each.named_children), None)
            at = inside.start_byte if inside is not None else each.start_byte + 1
            kinds["text"] += (
                [] if inside is None and text_of(each)[:1] not in "\"'`" else [Insertion(at, "~")]
            )
        elif each.type in _TRUTHS:
            kinds["truth"].append(Insertion(each.start_byte, "!"))
    every = tuple(insertion for own in kinds.values() for insertion in own)
    return tuple(dict.fromkeys(filter(None, (every, *(tuple(own) for own in kinds.values())))))


def _leaves(node: Node) -> Iterator[Node]:
    if node.type in _WHOLE | _REAL | _TEXTS | _TRUTHS:
        yield node
        return
    for child in node.named_children:
        if child.type != "attribute_item" and child.type not in FUNCTIONS:
            yield from _leaves(child)
