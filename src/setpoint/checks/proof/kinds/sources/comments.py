"""Whether a source in Go, JavaScript, TypeScript or Rust is the same program without its comments.

A comment that addresses a tool is part of the program: a build constraint, a pragma of a compiler or bundler,
an example in documentation that is run as a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import GO, RUST, parser_of, suffix_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment", "hash_bang_line"})
_WHOLE = re.compile(r"string|template|regex|char|rune|jsx_text|literal")
"""Nodes whose blanks are part of the program."""
_OF_GO = re.compile(r"//(?:line |extern |export |[a-z0-9]+:[a-z0-9])|//\s*\+build\b|/\*line ")
"""Directives, as `go/ast` tells them from documentation."""
_IMPORTS_C = re.compile(rb"^\s*import\s+(?:_\s+)?\"C\"|^\s*\"C\"", re.MULTILINE)
_OF_SCRIPTS = re.compile(
    r"#!|//\s*[@#]|/\*\s*[@#]|/\*\*?\s*@(?:jsx\w*|\w+-environment|__\w+__)|///\s*<|/\*\s*[a-z]+[A-Z]\w*\s*:"
)
"""Comments that begin with a sign or a key for a tool."""
_DOCUMENTS = ("///", "//!", "/**", "/*!")
_EXAMPLE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_DERIVED = re.compile(r"#\[\s*derive\(([^)]*)\)")
_PLAIN = frozenset(
    {
        "Debug", "Clone", "Copy", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default", "Serialize",
        "Deserialize", "Error",
    }
)  # fmt: skip
"""Derived traits that do not look at the documentation of a type."""


def same_without_comments(path: str, before: bytes, after: bytes) -> bool:
    """Whether two states of a source that can be read do the same, whatever their comments say."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if suffix else None
    if parser is None:
        return False
    old, new = parser.parse(before).root_node, parser.parse(after).root_node
    if old.has_error or new.has_error:
        return False
    return list(_said(suffix, old, before)) == list(_said(suffix, new, after))


def _said(suffix: str, root: Node, source: bytes) -> Iterator[str]:
    """Yield what a source says, token by token; brackets show which belong together."""
    if suffix == GO and _IMPORTS_C.search(source):
        yield source.decode("utf-8", "replace")  # the comment before it is compiled
        return
    yield from _tokens(suffix, root, source)
    if suffix == RUST:
        yield from _documented(root, source)


def _tokens(suffix: str, node: Node, source: bytes) -> Iterator[str]:
    if node.type in _COMMENTS:
        if _acts(suffix, text_of(node)):
            yield text_of(node)
        return
    children = [] if _WHOLE.search(node.type) and "template_substitution" not in node.type else node.children
    if not children:
        yield text_of(node).strip() if not _WHOLE.search(node.type) else text_of(node)
        return
    yield f"({node.type}"
    at = node.start_byte
    for child in children:
        if between := source[at : child.start_byte].strip():
            yield between.decode("utf-8", "replace")
        yield from _tokens(suffix, child, source)
        at = child.end_byte
    if between := source[at : node.end_byte].strip():
        yield between.decode("utf-8", "replace")
    yield ")"


def _acts(suffix: str, comment: str) -> bool:
    if suffix == GO:
        return _OF_GO.match(comment) is not None
    return suffix != RUST and _OF_SCRIPTS.match(comment) is not None


def _documented(root: Node, source: bytes) -> Iterator[str]:
    """Yield documentation of Rust that is run, or that a macro may read; each with the item it is for."""
    text = source.decode("utf-8", "replace")
    derived = {
        name.strip().rpartition("::")[2] for each in _DERIVED.findall(text) for name in each.split(",")
    }
    every = bool({each for each in derived if each} - _PLAIN)
    words: list[str] = []
    for comment, follows in _comments(root):
        words.append(comment)
        if follows:
            continue
        said = "\n".join(words)
        words = []
        if every:
            yield said
        else:
            yield from _EXAMPLE.findall(said)


def _comments(node: Node) -> Iterator[tuple[str, bool]]:
    """Yield the documentation below a node, each with whether the next comment continues it."""
    for child in node.children:
        if child.type in _COMMENTS:
            text = text_of(child).strip()
            if text.startswith(_DOCUMENTS):
                after = child.next_sibling
                yield (
                    text.lstrip("/!* "),
                    after is not None and after.type in _COMMENTS and text_of(after).startswith(_DOCUMENTS),
                )
        else:
            yield from _comments(child)
