"""Find the functions that a change added or changed in Go, JavaScript, TypeScript and Rust.

tree-sitter reads these languages (extra `languages`). A sabotage is put at the top of a body, so that the
code below still compiles. A function inside another one belongs to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import TYPE_CHECKING

from setpoint.checks.parsing import (
    GO,
    RUST,
    functions_of,
    is_typed,
    parser_of,
    suffix_of,
    text_of,
)
from setpoint.checks.proof.sensitivity.changed_function import (
    ChangedFunction,
    Insertion,
    Sabotage,
    changed,
    weighed,
)
from setpoint.checks.proof.sensitivity.elsewhere import macros
from setpoint.checks.proof.sensitivity.elsewhere.declarations import Outside, changed_declarations
from setpoint.checks.proof.sensitivity.elsewhere.returns import (
    BLOCKS,
    NOTHING,
    OTHER,
    RAISES,
    RUST_RAISES,
    returns_other,
    rust_nothing,
    rust_result,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "changed_elsewhere",
    "changed_outside_elsewhere",
    "functions_of",
    "parser_of",
    "suffix_of",
    "text_of",
]


def changed_elsewhere(path: str, old: bytes | None, new: bytes) -> tuple[ChangedFunction, ...] | None:
    """Return the functions whose text differs from before; none where the extra is not installed."""
    parser = parser_of(suffix_of(path))
    if parser is None:
        return None
    then, now = parser.parse(old or b"").root_node, parser.parse(new).root_node
    here = list(functions_of(now))
    differs = changed(
        [(name, node.text) for name, node in functions_of(then)], [(name, node.text) for name, node in here]
    )
    found = [_function(path, *each) for each in compress(here, differs)]
    found += _of_macros(path, then, now) if path.endswith(RUST) else []
    return tuple(weighed(each, old or b"") for each in found)


def changed_outside_elsewhere(path: str, old: bytes | None, new: bytes) -> Outside:
    """Return what differs from before outside functions; nothing where the extra is not installed."""
    parser = parser_of(suffix_of(path))
    if parser is None:
        return Outside((), ())
    found = changed_declarations(path, parser.parse(old or b"").root_node, parser.parse(new).root_node)
    return found._replace(declared=tuple(weighed(each, old or b"") for each in found.declared))


def _function(path: str, name: str, node: Node) -> ChangedFunction:
    suffix = suffix_of(path)
    other, probe = returns_other(suffix, node)
    sabotages = _sabotages(suffix, node)
    return ChangedFunction(
        path=path,
        name=name,
        sabotages=sabotages | ({OTHER: other} if other else {}),
        probe=probe,
        harmless=_harmless(suffix, node),
        text=text_of(node),
    )


def _of_macros(path: str, then: Node, now: Node) -> Iterator[ChangedFunction]:
    """Yield functions in changed bodies of macros, and bodies that become an expression."""
    before = {body.text for _, body, _ in macros.bodies(then)}
    for name, body, items in macros.bodies(now):
        if body.text in before:
            continue
        made = [*functions_of(items)]
        for own, node in made:
            yield ChangedFunction(
                path=path,
                name=f"{name}.{own}",
                sabotages=_sabotages(RUST, node),
                harmless=_harmless(RUST, node),
                text=text_of(node),
            )
        if not made:
            sabotages, values = macros.of_expression(body)
            yield ChangedFunction(
                path=path, name=name, sabotages=sabotages, values=values, text=text_of(body)
            )


def _sabotages(suffix: str, function: Node) -> dict[str, Sabotage]:
    body = function.child_by_field_name("body")
    if body is None:
        return {}
    if suffix == GO:
        texts = {RAISES: ' panic("sabotaged by Setpoint");', NOTHING: _go_return(function)}
    elif suffix == RUST:
        texts = {RAISES: RUST_RAISES, NOTHING: _rust_return(function)}
    else:
        nothing = " if (Date.now()) return undefined as any;" if is_typed(suffix) else " return;"
        texts = {
            RAISES: ' if (Date.now()) throw new Error("sabotaged by Setpoint");',
            NOTHING: nothing,
        }
    if body.type not in BLOCKS:  # an arrow function or a closure with an expression
        returns, end = ("", " }") if suffix == RUST else (" return (", "); }")
        return {
            does: (Insertion(body.start_byte, f"{{{text}{returns}"), Insertion(body.end_byte, end))
            for does, text in texts.items()
            if text
        }
    return {does: (Insertion(body.start_byte + 1, text),) for does, text in texts.items() if text}


def _harmless(suffix: str, function: Node) -> Sabotage:
    body = function.child_by_field_name("body")
    if body is None:
        return ()
    if body.type not in BLOCKS:
        return (Insertion(body.start_byte, "("), Insertion(body.end_byte, ")"))
    texts = {GO: " _ = 0;", RUST: " let _ = 0;"}
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
    if function.type == "closure_expression" and not (result := rust_result(function)):
        return " if true { return Default::default(); }"
    return rust_nothing(result if function.type == "closure_expression" else rust_result(function))
