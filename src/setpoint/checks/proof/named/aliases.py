"""Find other names under which files of JavaScript, TypeScript and Rust offer what they have."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import (
    field_of,
    is_script,
    parser_of,
    suffix_of,
    text_of,
)
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion, Sabotage
from setpoint.checks.proof.sensitivity.sabotage import RAISES

if TYPE_CHECKING:
    from tree_sitter import Node

_RAISES = "function () { throw new Error('sabotaged by Setpoint'); }"
_EXPORTS = re.compile(r"(?:module\.)?exports\.(\w+)")
_NAMES = ("identifier", "member_expression")
_USED = re.compile(r"\bpub(?:\([^)]*\))?\s+use\s+[^;]*?\bas\s+(\w+)")


def aliases(path: str, old: bytes | None, new: bytes, names: Collection[str]) -> tuple[ChangedFunction, ...]:
    """Return those of some names that the change gives to something else in a script; each can raise."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if is_script(suffix) else None
    if parser is None:
        return ()
    known = {name for name, _ in _of_script(parser.parse(old or b"").root_node, 0)}
    found = dict(_of_script(parser.parse(new).root_node, len(new)))
    return tuple(
        ChangedFunction(path=path, name=name, sabotages={RAISES: raises})
        for name, raises in found.items()
        if name in names and name not in known
    )


def rust_aliases(old: bytes | None, new: bytes, names: Collection[str]) -> list[str]:
    """Return those of some names that the change gives to something else by `pub use … as`."""
    known = {*_USED.findall((old or b"").decode("utf-8", "replace"))}
    found = _USED.findall(new.decode("utf-8", "replace"))
    return [name for name in dict.fromkeys(found) if name in names and name not in known]


def _of_script(node: Node, end: int) -> Iterator[tuple[str, Sabotage]]:
    for child in node.named_children:
        if child.type == "export_specifier":
            yield from _of_export(child, end)
        elif child.type == "variable_declarator":
            yield from _of_variable(child)
        elif child.type == "assignment_expression":
            yield from _of_exports(child, end)
        yield from _of_script(child, end)


def _of_export(node: Node, end: int) -> Iterator[tuple[str, Sabotage]]:
    alias = node.child_by_field_name("alias")
    statement = node.parent.parent if node.parent is not None else None
    is_type = statement is not None and text_of(statement).startswith("export type")
    if alias is None or is_type or text_of(alias) == "default":
        return
    name = text_of(alias)
    offers = f"\nexport {{ setpointNamed as {name} }};\nvar setpointNamed = {_RAISES};\n"
    yield name, (Insertion(alias.start_byte, "setpointUnused_"), Insertion(end, offers))


def _of_variable(node: Node) -> Iterator[tuple[str, Sabotage]]:
    value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
    around = node.parent.parent if node.parent is not None else None
    top = around is not None and around.type in ("program", "export_statement")
    if top and value is not None and value.type in _NAMES and name is not None and name.type == "identifier":
        yield text_of(name), (Insertion(value.start_byte, f"({_RAISES}) ?? "),)


def _of_exports(node: Node, end: int) -> Iterator[tuple[str, Sabotage]]:
    left, right = field_of(node, "left"), node.child_by_field_name("right")
    if right is None:
        return
    if (one := _EXPORTS.fullmatch(left)) and right.type in _NAMES:
        yield one[1], (Insertion(end, f"\nmodule.exports.{one[1]} = {_RAISES};\n"),)
    elif left == "module.exports" and right.type == "object":
        for pair in right.named_children:
            value = pair.child_by_field_name("value")
            if pair.type == "pair" and value is not None and value.type in _NAMES:
                name = field_of(pair, "key").strip("'\"")
                yield name, (Insertion(end, f"\nmodule.exports[{name!r}] = {_RAISES};\n"),)
