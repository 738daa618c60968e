"""Find the tests inside a source of Rust, and put those of one text beside the code of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from setpoint.checks.parsing import RUST, field_of, parser_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MARKS = re.compile(
    r"#\[\s*(?:(?:\w+\s*::\s*)*(?:[a-z]*test|test_\w+|\w+_test|quickcheck)\b"
    r"|cfg\s*\((?!\s*not\b)[^\]]*\btest\b)"
)
"""An attribute by which an item belongs to the tests."""
_BETWEEN = ("attribute_item", "line_comment", "block_comment")


def names(source: bytes) -> frozenset[str]:
    """Return the names of functions in the items that attributes mark as tests."""
    return frozenset(name for item in _items(source) for name in _functions(item[-1]))


def with_tests_of(code: bytes, tests: bytes) -> bytes:
    """Return the code of one source with the tests of another one inside it."""
    spans = [(item[0].start_byte, item[-1].end_byte) for item in _items(code)]
    places = [(0, 0), *spans, (len(code), len(code))]
    kept = b"".join(code[end:start] for (_, end), (start, _) in pairwise(places))
    own = (tests[item[0].start_byte : item[-1].end_byte] for item in _items(tests))
    return b"\n".join((kept, *own))


def _items(source: bytes) -> Iterator[list[Node]]:
    """Yield the outermost items that are marked as tests, each with its attributes before it."""
    parser = parser_of(RUST)
    waiting: list[Node] = []
    for node in parser.parse(source).root_node.named_children if parser is not None else ():
        is_attribute = node.type == "attribute_item"
        waiting += [node] if is_attribute or waiting else []
        if node.type not in _BETWEEN:
            if any(_MARKS.match(text_of(each)) for each in waiting if each.type == "attribute_item"):
                yield waiting
            waiting = []


def _functions(node: Node) -> Iterator[str]:
    if node.type == "function_item":
        yield field_of(node, "name")
    for child in node.named_children:
        yield from _functions(child)
