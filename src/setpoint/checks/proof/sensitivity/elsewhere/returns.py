"""Say how a function of Go, JavaScript, TypeScript or Rust is made to return something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import (
    FUNCTIONS,
    GO,
    RUST,
    field_of,
    is_typed,
    text_of,
)
from setpoint.checks.proof.sensitivity.changed_function import Insertion, Sabotage
from setpoint.checks.proof.sensitivity.elsewhere.inserted import (
    GO_IMPORT,
    RETURNED,
    RETURNED_PROBE,
    go_walk,
    rust_items,
    script_walk,
)

if TYPE_CHECKING:
    from tree_sitter import Node

RAISES, NOTHING, OTHER, PROBE = "raises", "does nothing", "returns something else", "probe"
"""What a sabotaged function does; the probe raises in place of returning something else."""
RUST_RAISES = ' if true { panic!("sabotaged by Setpoint") }'
_RUST_CHANGED = "(&&&SetpointHeld(::std::cell::Cell::new(Some(setpoint_value)))).other()"
BLOCKS = ("block", "statement_block")
_ZERO = frozenset(
    {
        "bool",
        "String",
        *(f"{kind}{bits}" for kind in "iuf" for bits in ("8", "16", "32", "64", "128", "size")),
    }
)
"""Types of Rust that have a default."""


def returns_other(suffix: str, function: Node) -> tuple[Sabotage, Sabotage]:
    """Return how a function returns another value, and raises in place of that; empty where unknown."""
    if suffix == GO:
        return _go(function, probe=False), _go(function, probe=True)
    if suffix == RUST:
        return _rust(function, probe=False), _rust(function, probe=True)
    return _script(function, suffix, RETURNED), _script(function, suffix, RETURNED_PROBE)


def _go(function: Node, *, probe: bool) -> Sabotage:
    """Name the results, and let a deferred function change them."""
    result, body = (function.child_by_field_name(field) for field in ("result", "body"))
    if result is None or body is None:
        return ()
    named: list[Insertion] = []
    names: list[str] = []
    if result.type == "parameter_list":
        for at, each in enumerate(result.named_children):
            own = [text_of(name) for name in each.children_by_field_name("name")]
            if not own:
                own = [f"setpoint{at}"]
                named.append(Insertion(each.start_byte, f"setpoint{at} "))
            names += own
    else:
        names = ["setpoint0"]
        named = [Insertion(result.start_byte, "(setpoint0 "), Insertion(result.end_byte, ")")]
    if "_" in names or not names:
        return ()
    how = RETURNED_PROBE if probe else RETURNED
    calls = " ".join(f'setpointReturned(&{name}, "{how}");' for name in names)
    top = Insertion(body.start_byte + 1, f" defer func() {{ {calls} }}();")
    return (*named, top, *go_walk_at(function, declared=False))


def go_walk_at(node: Node, *, declared: bool) -> Sabotage:
    """Return what a source in Go needs so that values can be changed."""
    root = _root(node)
    clause = next((each for each in root.children if each.type == "package_clause"), None)
    if clause is None:
        return ()
    return (
        Insertion(clause.end_byte, GO_IMPORT),
        Insertion(root.end_byte, go_walk(declared=declared)),
    )


def _rust(function: Node, *, probe: bool) -> Sabotage:
    """Let the body compute its value in a closure, and change that."""
    body, result = function.child_by_field_name("body"), rust_result(function)
    awaits = any(each.type == "function_modifiers" and "async" in text_of(each) for each in function.children)
    if body is None or not result or "impl " in result or result == "!":
        return ()
    start, end = ("(async move {", "}).await") if awaits else (f"(move || -> {result} {{", "})()")
    head = f" {rust_items(probe=probe)} let setpoint_value: {result} = {start}"
    tail = f" {end}; {_RUST_CHANGED} "
    if body.type in BLOCKS:
        return (Insertion(body.start_byte + 1, head), Insertion(body.end_byte - 1, tail))
    return (Insertion(body.start_byte, f"{{{head}"), Insertion(body.end_byte, f"{tail}}}"))


def rust_pointer(item: Node) -> dict[str, Sabotage]:
    """Return how the function that a constant names is made useless; nothing where it holds no function."""
    kind, value = (item.child_by_field_name(field) for field in ("type", "value"))
    if kind is None or value is None or kind.type != "function_type":
        return {}
    parameters = kind.child_by_field_name("parameters")
    names = ", ".join(f"setpoint{at}" for at in range(parameters.named_child_count if parameters else 0))
    result = field_of(kind, "return_type")
    texts = {RAISES: RUST_RAISES, NOTHING: rust_nothing(result)}
    if result:
        for does, probe in ((OTHER, False), (PROBE, True)):
            texts[does] = f"{rust_items(probe=probe)} let setpoint_value: {result} = "
    made: dict[str, Sabotage] = {}
    for does, text in texts.items():
        ends = f"; {_RUST_CHANGED} }}" if does in (OTHER, PROBE) else " }"
        begin = Insertion(value.start_byte, f"|{names}| {{ {text}(")
        made |= {does: (begin, Insertion(value.end_byte, f")({names}){ends}"))} if text else {}
    return made


def rust_nothing(result: str) -> str:
    """Return the statement that returns a default; empty where the type may have none."""
    if not result:
        return " if true { return; }"
    if result.partition("<")[0].rpartition("::")[2] == "Result":
        return " if true { return Ok(Default::default()); }"
    known = result in _ZERO or result.startswith(("Vec<", "Option<", "HashMap<", "BTreeMap<", "&str", "&'"))
    return " if true { return Default::default(); }" if known else ""


def rust_result(function: Node) -> str:
    """Return the type of what a function returns; of a closure as the constant that holds it declares it."""
    if found := field_of(function, "return_type"):
        return found
    above = function.parent
    kind = above.child_by_field_name("type") if above is not None else None
    if function.type == "closure_expression" and kind is not None and kind.type == "function_type":
        return field_of(kind, "return_type")
    return ""


def _script(function: Node, suffix: str, how: str) -> Sabotage:
    """Change each value that is returned."""
    body = function.child_by_field_name("body")
    if body is None or any(each.type == "*" for each in function.children):
        return ()
    values = [body] if body.type not in BLOCKS else [*_returned(body)]
    changed = tuple(
        insertion
        for value in values
        for insertion in (
            Insertion(value.start_byte, "setpointWalk(("),
            Insertion(value.end_byte, f'), "{how}", 0)'),
        )
    )
    return (*changed, script_walk_at(function, suffix)) if changed else ()


def script_walk_at(node: Node, suffix: str) -> Insertion:
    """Return what a script needs so that values can be changed."""
    return Insertion(_root(node).end_byte, script_walk(typed=is_typed(suffix)))


def _returned(node: Node) -> Iterator[Node]:
    """Yield the values that a function itself returns."""
    for child in node.named_children:
        if child.type == "return_statement":
            yield from child.named_children[:1]
        elif child.type not in FUNCTIONS and not child.type.startswith("class"):
            yield from _returned(child)


def _root(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent
    return node
