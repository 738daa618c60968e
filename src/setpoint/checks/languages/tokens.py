"""Read a syntax tree of tree-sitter as a list of tokens, without comments and layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment", "hash_bang_line"})
_BLANKS_COUNT = re.compile(r"string|template|regex|char|rune|jsx_text|literal")
"""Nodes whose blanks are part of the program."""


def tokens(node: Node, kept: Callable[[str], bool]) -> Iterator[str]:
    """Yield the tokens of a node; brackets show which belong together.

    Args:
        node: Where to begin.
        kept: Whether a comment is part of the program.

    """
    waiting: list[Node | str] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif each.type in _COMMENTS:
            if kept(text_of(each)):
                yield text_of(each)
        elif children := _children(each):
            waiting += reversed([f"({each.type}", *_with_text_between(each, children), ")"])
        else:
            yield text_of(each) if _BLANKS_COUNT.search(each.type) else text_of(each).strip()


def comments(node: Node) -> Iterator[str]:
    """Yield all comments below a node, as they are written."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type in _COMMENTS:
            yield text_of(each).strip()
        else:
            waiting += reversed(each.children)


def _children(node: Node) -> list[Node]:
    whole = _BLANKS_COUNT.search(node.type) and "template_substitution" not in node.type
    return [] if whole else node.children


def _with_text_between(node: Node, children: list[Node]) -> Iterator[Node | str]:
    """Yield children, and what a grammar has no node for."""
    text, start = node.text or b"", node.start_byte
    at = 0
    for child in children:
        if between := text[at : child.start_byte - start].strip():
            yield between.decode("utf-8", "replace")
        yield child
        at = child.end_byte - start
    if between := text[at:].strip():
        yield between.decode("utf-8", "replace")
