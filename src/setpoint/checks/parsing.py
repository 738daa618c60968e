"""Parse Go, JavaScript, TypeScript and Rust by tree-sitter (extra `languages`)."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_GRAMMARS = {
    ".go": ("tree_sitter_go", "language"),
    ".rs": ("tree_sitter_rust", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".mts": ("tree_sitter_typescript", "language_typescript"),
    ".cts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), ("tree_sitter_javascript", "language")),
}
GO, RUST = ".go", ".rs"
FUNCTIONS = frozenset(
    {
        "function_declaration", "method_declaration", "function_item", "method_definition", "arrow_function",
        "function_expression", "generator_function_declaration", "generator_function", "function",
        "func_literal", "closure_expression",
    }
)  # fmt: skip
"""Functions as their grammars name them."""


_OWNERS = frozenset(
    {
        "class_declaration",
        "class",
        "impl_item",
        "variable_declarator",
        "pair",
        "var_spec",
        "const_item",
        "static_item",
    }
)


def suffix_of(path: str) -> str:
    """Return the suffix of a path whose language is known here; empty for all others."""
    suffix = f".{path.rpartition('.')[2]}"
    return suffix if suffix in _GRAMMARS else ""


def is_script(suffix: str) -> bool:
    """Whether a suffix is one of JavaScript or TypeScript, which nothing compiles as a whole."""
    return suffix not in ("", GO, RUST)


def is_typed(suffix: str) -> bool:
    """Whether scripts with a suffix are in TypeScript."""
    return "ts" in suffix


@cache
def parser_of(suffix: str) -> Parser | None:
    """Return the parser of a known language; none where the extra is not installed."""
    module, function = _GRAMMARS[suffix]
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        grammar = getattr(importlib.import_module(module), function)
    except ImportError:
        return None
    parser: Parser = tree_sitter.Parser(tree_sitter.Language(grammar()))
    return parser


def text_of(node: Node) -> str:
    """Return a node as it is written."""
    return (node.text or b"").decode("utf-8", "replace")


def field_of(node: Node, name: str) -> str:
    """Return a field of a node as it is written; empty where it has none."""
    found = node.child_by_field_name(name)
    return text_of(found) if found is not None else ""


def is_test(node: Node) -> bool:
    """Whether a function or module of Rust is compiled for tests alone."""
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        if before.text in (b"#[test]", b"#[cfg(test)]"):
            return True
        before = before.prev_named_sibling
    return False


def functions_of(node: Node, owner: str = "") -> Iterator[tuple[str, Node]]:
    """Yield the outermost functions that have a body, with their qualified names."""
    for child in node.named_children:
        if child.type in FUNCTIONS:
            if child.child_by_field_name("body") is not None and not is_test(child):
                yield _name(child, owner), child
        elif not is_test(child) and child.type != "macro_definition":
            named = child.type in _OWNERS
            yield from functions_of(child, f"{owner}{_own_name(child)}." if named else owner)


def _name(function: Node, owner: str) -> str:
    receiver = function.child_by_field_name("receiver")
    if receiver is not None:
        return f"{text_of(receiver)}.{_own_name(function)}"
    return f"{owner}{_own_name(function)}".rstrip(".") or f"function in line {function.start_point[0] + 1}"


def _own_name(node: Node) -> str:
    for field in ("name", "type", "key"):
        if (found := node.child_by_field_name(field)) is not None:
            return text_of(found)
    return ""
