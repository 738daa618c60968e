"""Find the functions that a change added or changed in Go, JavaScript, TypeScript and Rust.

tree-sitter reads these languages (extra `languages`). A sabotage is put at the top of a body, so that the
code below still compiles. A function inside another one belongs to that.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion, Sabotage, weighed

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
_FUNCTIONS = frozenset(
    {
        "function_declaration", "method_declaration", "function_item", "method_definition", "arrow_function",
        "function_expression", "generator_function_declaration", "generator_function", "function",
    }
)  # fmt: skip
_OWNERS = frozenset({"class_declaration", "class", "impl_item", "variable_declarator", "pair"})
_ZERO = frozenset(
    {
        "bool",
        "String",
        *(f"{kind}{bits}" for kind in "iuf" for bits in ("8", "16", "32", "64", "128", "size")),
    }
)
"""Types of Rust that have a default."""


def suffix_of(path: str) -> str:
    """Return the suffix of a path whose language is known here; empty for all others."""
    suffix = f".{path.rpartition('.')[2]}"
    return suffix if suffix in _GRAMMARS else ""


def changed_elsewhere(path: str, old: bytes | None, new: bytes) -> tuple[ChangedFunction, ...] | None:
    """Return the functions whose text differs from before; none where the extra is not installed."""
    parser = parser_of(suffix_of(path))
    if parser is None:
        return None
    before = {name: node.text for name, node in functions_of(parser.parse(old or b"").root_node)}
    now = functions_of(parser.parse(new).root_node)
    changed = [(name, node) for name, node in now if before.get(name) != node.text]
    return tuple(
        weighed(
            ChangedFunction(
                path=path,
                name=name,
                sabotages=_sabotages(suffix_of(path), node),
                harmless=_harmless(suffix_of(path), node),
                text=text_of(node),
            ),
            old or b"",
        )
        for name, node in changed
    )


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


def functions_of(node: Node, owner: str = "") -> Iterator[tuple[str, Node]]:
    """Yield the outermost functions that have a body, with their qualified names."""
    for child in node.named_children:
        if child.type in _FUNCTIONS:
            if child.child_by_field_name("body") is not None and not _is_test(child):
                yield _name(child, owner), child
        elif not _is_test(child):
            named = child.type in _OWNERS
            yield from functions_of(child, f"{owner}{_own_name(child)}." if named else owner)


def _is_test(node: Node) -> bool:
    """Whether a function or module of Rust is compiled for tests alone."""
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        if before.text in (b"#[test]", b"#[cfg(test)]"):
            return True
        before = before.prev_named_sibling
    return False


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


def _sabotages(suffix: str, function: Node) -> dict[str, Sabotage]:
    body = function.child_by_field_name("body")
    if body is None:
        return {}
    if suffix == ".go":
        texts = {"raises": ' panic("sabotaged by Setpoint");', "does nothing": _go_return(function)}
    elif suffix == ".rs":
        texts = {
            "raises": ' if true { panic!("sabotaged by Setpoint") }',
            "does nothing": _rust_return(function),
        }
    else:
        nothing = " return;" if "ts" not in suffix else " if (Date.now()) return undefined as any;"
        texts = {
            "raises": ' if (Date.now()) throw new Error("sabotaged by Setpoint");',
            "does nothing": nothing,
        }
    if body.type not in ("block", "statement_block"):  # an arrow function with an expression
        end = Insertion(body.end_byte, "); }")
        return {does: (Insertion(body.start_byte, f"{{{text} return ("), end) for does, text in texts.items()}
    return {does: (Insertion(body.start_byte + 1, text),) for does, text in texts.items() if text}


def _harmless(suffix: str, function: Node) -> Sabotage:
    body = function.child_by_field_name("body")
    if body is None:
        return ()
    if body.type not in ("block", "statement_block"):
        return (Insertion(body.start_byte, "("), Insertion(body.end_byte, ")"))
    texts = {".go": " _ = 0;", ".rs": " let _ = 0;"}
    return (Insertion(body.start_byte + 1, texts.get(suffix, " ;")),)


def _go_return(function: Node) -> str:
    result = function.child_by_field_name("result")
    if result is None:
        return " if true { return };"
    if result.type != "parameter_list":
        return f" if true {{ return *new({text_of(result)}) }};"
    values = []
    for each in result.named_children:
        kind = each.child_by_field_name("type")
        if kind is None:
            return ""
        values += [f"*new({text_of(kind)})"] * max(1, len(each.children_by_field_name("name")))
    return f" if true {{ return {', '.join(values)} }};"


def _rust_return(function: Node) -> str:
    """Return the statement that returns a default; empty where the type may have none."""
    result = function.child_by_field_name("return_type")
    if result is None:
        return " if true { return; }"
    known = text_of(result) in _ZERO or text_of(result).startswith(("Vec<", "Option<"))
    return " if true { return Default::default(); }" if known else ""


def text_of(node: Node) -> str:
    """Return a node as it is written."""
    return (node.text or b"").decode("utf-8", "replace")
