"""Find the names that files of Go, JavaScript, TypeScript and Rust offer to others, by tree-sitter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from setpoint.checks.proof.sensitivity.other_functions import parser_of, suffix_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ANY = "*"
"""Represents all names of another module."""


def lost_elsewhere(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Return what files of the base offered and do not any more: why, by `module: name`."""
    now, known = _modules(after), _modules(before)
    found: dict[str, str] = {}
    for module, names in known.items():
        if _ANY not in now.get(module, ()):
            gone = "it is gone" if module in now else "its module is gone"
            found |= {f"{module}: {name}": gone for name in sorted(names - now.get(module, set()) - {_ANY})}
    return found


def unread(files: Mapping[str, bytes]) -> list[str]:
    """Name the files whose language is known and whose grammar is not installed."""
    return [path for path in files if suffix_of(path) and parser_of(suffix_of(path)) is None]


def _modules(files: Mapping[str, bytes]) -> dict[str, set[str]]:
    """Return the exported names by what others import: a folder in Go, a file, or all of a crate."""
    found: dict[str, set[str]] = {}
    for path, content in files.items():
        suffix = suffix_of(path)
        parser = parser_of(suffix) if suffix else None
        if parser is None:
            continue
        root = parser.parse(content).root_node
        if suffix == ".go":
            found.setdefault(path.rpartition("/")[0] or ".", set()).update(_of_go(root))
        elif suffix == ".rs":
            found.setdefault("crate", set()).update(_of_rust(root))
        else:
            found.setdefault(path.removesuffix(suffix), set()).update(_of_script(root))
    return found


def _of_go(root: Node) -> Iterator[str]:
    for node in root.named_children:
        if node.type == "method_declaration":
            receiver = node.child_by_field_name("receiver")
            owner = _last_word(receiver) if receiver is not None else ""
            names = [f"{owner}.{_field(node, 'name')}"]
        elif node.type == "function_declaration":
            names = [_field(node, "name")]
        else:
            names = [
                text_of(name)
                for spec in node.named_children
                if spec.type in ("type_spec", "type_alias", "const_spec", "var_spec")
                for name in spec.children_by_field_name("name")
            ]
        yield from (name for name in names if all(part[:1].isupper() for part in name.split(".")))


def _of_rust(node: Node, owner: str = "") -> Iterator[str]:
    for child in node.named_children:
        public = any(each.type == "visibility_modifier" and text_of(each) == "pub" for each in child.children)
        if child.type == "impl_item":
            body = child.child_by_field_name("body")
            if body is not None:
                yield from _of_rust(body, f"{_field(child, 'type')}::")
        elif public and child.type == "use_declaration":
            words = text_of(child).replace("{", " ").replace("}", " ").replace(",", " ").replace("::", " ")
            yield from (word.rstrip(";") for word in words.split())
        elif public and (name := _field(child, "name")):
            yield f"{owner}{name}"
            if child.type == "mod_item" and (body := child.child_by_field_name("body")) is not None:
                yield from _of_rust(body)


def _of_script(root: Node) -> Iterator[str]:
    for node in root.named_children:
        if node.type == "export_statement":
            yield from _exported(node)
        elif node.type == "expression_statement":
            yield from _assigned(node)


def _exported(node: Node) -> Iterator[str]:
    if any(each.type == "default" for each in node.children):
        yield "default"
    if any(each.type == _ANY for each in node.children):
        yield _ANY
    declared = node.child_by_field_name("declaration")
    if declared is not None:
        if name := _field(declared, "name"):
            yield name
        for each in declared.named_children:
            if each.type == "variable_declarator":
                yield _field(each, "name")
    for clause in node.named_children:
        if clause.type == "export_clause":
            for each in clause.named_children:
                yield _field(each, "alias") or _field(each, "name")


def _assigned(node: Node) -> Iterator[str]:
    """Yield what a module of CommonJS gives away."""
    for each in node.named_children:
        left = each.child_by_field_name("left")
        right = each.child_by_field_name("right")
        if each.type != "assignment_expression" or left is None or right is None:
            continue
        words = text_of(left).split(".")
        if words == ["module", "exports"]:
            for pair in right.named_children if right.type == "object" else ():
                yield _field(pair, "key") or text_of(pair)
        elif words[0] == "exports" or words[:2] == ["module", "exports"]:
            yield words[-1]


def _last_word(node: Node) -> str:
    """Return the type in a receiver such as `(c *Cart[T])`."""
    words = text_of(node).partition("[")[0].strip("() ").split()
    return words[-1].lstrip("*") if words else ""


def _field(node: Node, name: str) -> str:
    found = node.child_by_field_name(name)
    return text_of(found) if found is not None else ""
