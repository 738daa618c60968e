"""Find declarations and statements outside functions that a change added or changed, in languages but Python.

Where a value is declared, its initialiser is replaced: functions in it raise, return nothing or something
else, and data in it is other data. A constant, whose value the compiler computes, gets other literals. A
statement of a script is left out. Types, imports and exports of other names do nothing and are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from setpoint.checks.parsing import (
    FUNCTIONS,
    GO,
    RUST,
    field_of,
    is_test,
    suffix_of,
    text_of,
)
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion, Sabotage
from setpoint.checks.proof.sensitivity.elsewhere.inserted import (
    NOTHING,
    OTHER,
    OTHER_PROBE,
    RAISES,
    VALUE,
    VALUE_PROBE,
)
from setpoint.checks.proof.sensitivity.elsewhere.literals import other_literals
from setpoint.checks.proof.sensitivity.elsewhere.returns import (
    PROBE,
    go_walk_at,
    rust_pointer,
    script_walk_at,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_SHOWN = 60
_STATEMENTS = frozenset(
    {
        "if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement",
        "try_statement", "switch_statement",
    }
)  # fmt: skip
_NAMED = frozenset({"identifier", "shorthand_property_identifier", "member_expression", "nested_identifier"})
_FIELDS = frozenset({"field_definition", "public_field_definition"})
_HOLDERS = frozenset({"mod_item", "impl_item", "trait_item", "declaration_list"})
_ACTIVE = frozenset({"identifier", "shorthand_property_identifier", "call_expression", "new_expression"})
_LEFT_OUT = "if (!Date.now()) "


class Declared(NamedTuple):
    """A declaration or statement outside functions, and how it can be sabotaged."""

    name: str
    node: Node
    value: Node | None
    """Its initialiser, whose functions and data can be replaced when the program runs."""
    kind: str = ""
    """Its declared type, where the language asks for it."""
    others: tuple[Sabotage, ...] = ()
    """How it is otherwise, where its value cannot be replaced when the program runs."""
    made: Mapping[str, Sabotage] = MappingProxyType({})
    """How a function that it names is made useless, by what it does then."""

    @property
    def outer(self) -> str:
        """Return it as it is written, without the functions in it."""
        text, at = b"", self.node.start_byte
        whole = self.node.text or b""
        for function in _functions_in(self.node):
            text += whole[at - self.node.start_byte : function.start_byte - self.node.start_byte]
            at = function.end_byte
        return " ".join((text + whole[at - self.node.start_byte :]).decode("utf-8", "replace").split())


class Outside(NamedTuple):
    """What a change does outside functions."""

    declared: tuple[ChangedFunction, ...]
    rest: tuple[str, ...]
    """What cannot be sabotaged, in words."""


def changed_declarations(path: str, old: Node, new: Node) -> Outside:
    """Return what is outside functions in a file and is not in its base."""
    before = [*_declared(suffix_of(path), old)]
    known = Counter(each.outer for each in before)
    names = {each.name for each in before}
    found: list[ChangedFunction] = []
    rest: list[str] = []
    for each in _declared(suffix_of(path), new):
        if known[each.outer]:
            known[each.outer] -= 1
            continue
        made = _sabotaged(path, each)
        if made.sabotages or made.values:
            found.append(made.at_base(known=each.name in names))
        elif not any(_functions_in(each.node)):
            rest.append(f"{path}:{each.node.start_point[0] + 1} ({each.outer[:_SHOWN]})")
    return Outside(tuple(found), tuple(rest))


def _functions_in(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in FUNCTIONS:
            yield child
        else:
            yield from _functions_in(child)


def _sabotaged(path: str, declared: Declared) -> ChangedFunction:
    suffix = suffix_of(path)
    sabotages = {does: sabotage for does, sabotage in declared.made.items() if does != PROBE}
    values, probe, value_probe = declared.others, declared.made.get(PROBE, ()), Sabotage(())
    if declared.value is not None:
        if not _is_plain(declared.value):
            sabotages = {
                "raises": _replaced(suffix, declared, RAISES),
                "does nothing": _replaced(suffix, declared, NOTHING),
                "returns something else": _replaced(suffix, declared, OTHER),
            }
            probe = _replaced(suffix, declared, OTHER_PROBE)
        values = (_replaced(suffix, declared, VALUE), *other_literals(declared.value))
        value_probe = _replaced(suffix, declared, VALUE_PROBE)
    return ChangedFunction(
        path=path,
        name=f"{declared.name} in line {declared.node.start_point[0] + 1}",
        sabotages=sabotages,
        probe=probe,
        values=values,
        value_probe=value_probe,
        text=declared.outer,
    )


def _replaced(suffix: str, declared: Declared, how: str) -> Sabotage:
    value = declared.value
    if value is None:
        return ()
    if suffix != GO:
        begins, ends = "setpointWalk((", f'), "{how}", 0)'
        here = (Insertion(value.start_byte, begins), Insertion(value.end_byte, ends))
        return (*here, script_walk_at(value, suffix))
    kind = f"[{declared.kind}]" if declared.kind else ""
    each = value.named_children if value.type == "expression_list" else [value]
    around = tuple(
        insertion
        for one in each
        for insertion in (
            Insertion(one.start_byte, f"setpointDeclared{kind}("),
            Insertion(one.end_byte, f', "{how}")'),
        )
    )
    return (*around, *go_walk_at(value, declared=True))


def _is_plain(node: Node) -> bool:
    """Whether a value holds data alone, as it is written: no name and no call, so no function either."""
    return node.type not in _ACTIVE and all(map(_is_plain, node.named_children))


def _declared(suffix: str, root: Node) -> Iterator[Declared]:
    if suffix == GO:
        yield from _of_go(root)
    elif suffix == RUST:
        yield from _of_rust(root, "")
    else:
        yield from _of_script(root, "")


def _of_go(node: Node) -> Iterator[Declared]:
    for child in node.named_children:
        if child.type in ("var_declaration", "const_declaration", "var_spec_list"):
            yield from _of_go(child)
        elif child.type in ("var_spec", "const_spec"):
            value = child.child_by_field_name("value")
            names = [text_of(each) for each in child.children_by_field_name("name")]
            if value is None or set(names) == {"_"}:
                continue
            name = ", ".join(names)
            if child.type == "const_spec":
                yield Declared(name, child, None, others=other_literals(value))
            elif _is_function(value):
                continue
            elif value.named_child_count != len(names):
                yield Declared(name, child, None)
            else:
                yield Declared(name, child, value, field_of(child, "type"))


def _is_function(value: Node) -> bool:
    """Whether values are functions as they are written, which are sabotaged as such."""
    return all(each.type in FUNCTIONS for each in value.named_children)


def _of_rust(node: Node, owner: str) -> Iterator[Declared]:
    for child in node.named_children:
        if is_test(child):
            continue
        if child.type in _HOLDERS:
            own = field_of(child, "type") or field_of(child, "name")
            yield from _of_rust(child, f"{own}::" if own else owner)
        elif child.type in ("const_item", "static_item"):
            value = child.child_by_field_name("value")
            if value is not None and value.type not in FUNCTIONS:
                name = f"{owner}{field_of(child, 'name')}"
                yield Declared(name, child, None, others=other_literals(value), made=rust_pointer(child))
        elif child.type == "enum_item" and (others := other_literals(child)):
            yield Declared(f"{owner}{field_of(child, 'name')}", child, None, others=others)
        elif child.type == "macro_invocation" or (
            child.type == "expression_statement" and child.named_child(0) is not None
        ):
            yield Declared(f"{owner}{text_of(child)[:20]}", child, None, others=other_literals(child))


def _of_script(node: Node, owner: str) -> Iterator[Declared]:
    for child in node.named_children:
        if child.type == "export_statement":
            yield from _of_export(child, owner)
        elif child.type in ("lexical_declaration", "variable_declaration"):
            yield from _variables(child, owner)
        elif child.type in ("class_declaration", "class", "class_body", "abstract_class_declaration"):
            own = field_of(child, "name")
            yield from _of_script(child, f"{own}." if own else owner)
        elif child.type in _FIELDS:
            if (value := child.child_by_field_name("value")) is not None:
                yield Declared(
                    f"{owner}{field_of(child, 'name') or field_of(child, 'property')}", child, value
                )
        elif child.type == "enum_declaration":
            yield Declared(f"{owner}{field_of(child, 'name')}", child, None, others=other_literals(child))
        elif child.type == "expression_statement":
            yield from _expressions(child, owner)
        elif child.type in _STATEMENTS:
            yield Declared(text_of(child)[:20], child, None, others=_left_out(child))


def _of_export(statement: Node, owner: str) -> Iterator[Declared]:
    value = statement.child_by_field_name("value")
    if value is None:
        yield from _of_script(statement, owner)
    elif value.type not in FUNCTIONS and not value.type.startswith("class") and not _only_names(value):
        yield Declared("default", statement, value)
    elif value.type.startswith("class"):
        yield from _of_script(statement, owner)


def _variables(declaration: Node, owner: str) -> Iterator[Declared]:
    for each in declaration.named_children:
        value = each.child_by_field_name("value")
        if value is None or value.type in FUNCTIONS or _is_import(value):
            continue
        if value.type.startswith("class"):
            yield from _of_script(value, f"{field_of(each, 'name')}.")
        else:
            yield Declared(f"{owner}{field_of(each, 'name')}", each, value)


def _is_import(value: Node) -> bool:
    """Whether a value is another module, or a part of it."""
    while value.type in ("member_expression", "await_expression", "parenthesized_expression"):
        value = value.named_children[0]
    return value.type == "call_expression" and field_of(value, "function") in ("require", "import")


def _expressions(statement: Node, owner: str) -> Iterator[Declared]:
    inner = next(iter(statement.named_children), None)
    if inner is None or inner.type in ("string", "comment"):
        return
    if inner.type == "internal_module":
        body = inner.child_by_field_name("body")
        if body is not None:
            yield from _of_script(body, f"{owner}{field_of(inner, 'name')}.")
        return
    right = inner.child_by_field_name("right")
    if inner.type == "assignment_expression" and right is not None:
        if right.type not in FUNCTIONS and not _only_names(right) and not _is_import(right):
            yield Declared(field_of(inner, "left"), statement, right)
        return
    yield Declared(text_of(statement)[:20], statement, None, others=_left_out(statement))


def _only_names(value: Node) -> bool:
    """Whether a value only passes on what has a name: it exports and does nothing."""
    if value.type in _NAMED:
        return True
    pairs = value.type in ("object", "array")
    return pairs and all(
        each.type in _NAMED
        or each.type in FUNCTIONS
        or (each.type == "pair" and field_of(each, "value").replace(".", "").isidentifier())
        or (
            each.type == "pair"
            and (held := each.child_by_field_name("value")) is not None
            and held.type in FUNCTIONS
        )
        for each in value.named_children
    )


def _left_out(statement: Node) -> tuple[Sabotage, ...]:
    return ((Insertion(statement.start_byte, _LEFT_OUT),),)
