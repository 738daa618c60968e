"""Read under which names a file has modules, their members, and objects that need no import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_GLOBAL = ("process", "performance", "require", "module", "navigator", "Date")
_BRACES = re.compile(r"([\w:]*)\{([^{}]*)\}")


def module_names(language: str, root: Node) -> Iterator[tuple[str, list[str]]]:
    """Yield each name with the path of the module or object that it stands for, and of the member in it."""
    if language == "javascript":
        yield from ((name, [name]) for name in _GLOBAL)
    for node in _every(root):
        if language == "go" and node.type == "import_spec":
            path = _unquoted(field_of(node, "path"))
            yield field_of(node, "name") or path.rpartition("/")[2], [path]
        elif language == "rust" and node.type == "use_declaration":
            yield from _used(field_of(node, "argument"))
        elif language == "javascript" and node.type == "import_statement":
            yield from _imported(node)
        elif language == "javascript" and node.type == "variable_declarator":
            yield from _required(node)


def _every(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        yield from _every(child)


def _unquoted(text: str) -> str:
    return text.strip("'\"`").removeprefix("node:")


def _used(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a `use` of Rust brings in, its braces taken apart from the inside."""
    text = re.sub(r"\s+as\s+", " as ", " ".join(text.split())).replace(", ", ",").replace("{ ", "{")
    paths = [text]
    while any("{" in each for each in paths):
        paths = [
            each.replace(found[0], f"{found[1]}{part.strip()}", 1)
            for each in paths
            for found in (_BRACES.search(each),)
            if found is not None
            for part in found[2].split(",")
            if part.strip()
        ] + [each for each in paths if "{" not in each]
    for each in paths:
        path, _, name = each.partition(" as ")
        parts = [part for part in path.split("::") if part not in ("self", "")]
        if parts:
            yield name.strip() or parts[-1], parts


def _imported(node: Node) -> Iterator[tuple[str, list[str]]]:
    module = _unquoted(field_of(node, "source"))
    for each in _every(node):
        if each.type == "import_specifier":
            name = field_of(each, "name")
            yield field_of(each, "alias") or name, [module, name]
        elif each.type == "namespace_import" or (
            each.type == "identifier" and each.parent is not None and each.parent.type == "import_clause"
        ):
            yield text_of(each).rpartition(" ")[2], [module]


def _required(node: Node) -> Iterator[tuple[str, list[str]]]:
    """Yield what `const x = require("y")`, `const {x} = process` and `const x = process` bring in."""
    value, name = field_of(node, "value"), node.child_by_field_name("name")
    found = re.fullmatch(r"(?:await\s+)?(?:require|import)\(\s*(['\"`][^'\"`]+['\"`])\s*\)", value)
    whole = re.fullmatch(r"(?:globalThis\.|global\.)?(process|performance)", value)
    module = _unquoted(found[1]) if found else whole[1] if whole else ""
    if not module or name is None:
        return
    if name.type == "identifier":
        yield text_of(name), [module]
    for each in _every(name):
        if each.type == "shorthand_property_identifier_pattern":
            yield text_of(each), [module, text_of(each)]
        elif each.type == "pair_pattern":
            yield field_of(each, "value"), [module, field_of(each, "key")]
