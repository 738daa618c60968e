"""Find the functions of changed scripts (JavaScript, TypeScript), so that both sides can be called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import functions_of, parser_of, suffix_of, text_of
from setpoint.checks.proof.differential.functions import FOLDER, Comparable
from setpoint.checks.proof.sensitivity.changed_function import Insertion
from setpoint.checks.proof.subject import Subject
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import WorkKind
from setpoint_probe.wire.calls_order import script_recorder

if TYPE_CHECKING:
    from tree_sitter import Node

_SUFFIXES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
_ASSIGNED = re.compile(r"(?:module\.exports\.|exports\.)([\w$]+)|(?:([\w$]+)\.prototype\.)([\w$]+)")
_NO_RECEIVER = frozenset({"arrow_function"})
_GENERATORS = frozenset({"generator_function_declaration", "generator_function"})


def comparable_scripts(subject: Subject) -> Comparable:
    """Compare the functions of the changed files; none where the grammar is not installed."""
    paths = [
        path for path in subject.after if is_script(path) and path not in subject.of_tests and runs(path)
    ]
    here = {path: dict(_functions(path, subject.after[path])) for path in paths}
    there = {path: dict(_functions(path, subject.before.get(path, b""))) for path in paths}
    names = [(path, name) for path, own in here.items() for name in own]
    texts = {
        f"{path}::{name}": tuple(text_of(each[path][name]) for each in (here, there) if name in each[path])
        for path, name in names
    }
    changed = frozenset(name for name, both in texts.items() if both != (both[0], both[0]))
    made = {f"{path}::{name.rpartition('.')[0]}": path for path, name in names if "." in name}
    now = {f"{path}::{name}": (path, name) for path, name in names}
    now |= {name: (path, name.rpartition("::")[2]) for name, path in made.items()}
    lost = {
        path: [name for name in own if "." not in name and name not in here[path]]
        for path, own in there.items()
        if subject.work is WorkKind.REFACTOR
    }
    gone = {f"{path}::{name}": (path, name) for path, own in lost.items() for name in own}
    now |= gone
    texts |= {name: (text_of(there[path][own]),) for name, (path, own) in gone.items()}
    return Comparable(
        now=dict(sorted(now.items(), key=lambda each: each[0] not in changed)),
        # Whether the base has a method, a getter or a field of the name is seen where it is asked for.
        before={name: each for name, each in now.items() if each[0] in subject.before},
        changed=changed,
        loose={},
        texts=texts,
        recording={
            path: tuple(each for name, node in own.items() for each in _recording(f"{path}::{name}", node))
            for path, own in here.items()
            if own
        },
        copying={
            f"{path}::{name}": _copying(node) for path, own in here.items() for name, node in own.items()
        },
        lost={
            path: tuple(each for name in own for each in _recording(f"{path}::{name}", there[path][name]))
            for path, own in lost.items()
            if own
        },
        lost_names=tuple(gone),
    )


def is_script(path: str) -> bool:
    """Whether a file is JavaScript or TypeScript without markup."""
    return path.endswith(_SUFFIXES)


def _functions(path: str, source: bytes) -> Iterator[tuple[str, Node]]:
    if parser := parser_of(suffix_of(path)):
        for name, node in functions_of(parser.parse(source).root_node):
            yield _assigned(node) or name, node


def _assigned(function: Node) -> str:
    """Return the name under which a function without its own is exported, or is a method of a prototype."""
    above = function.parent
    if above is None or above.type != "assignment_expression" or above.parent is None:
        return ""
    left = above.child_by_field_name("left")
    found = _ASSIGNED.fullmatch(text_of(left)) if left is not None else None
    return ".".join(filter(None, found.groups())) if found else ""


def _recording(name: str, function: Node) -> tuple[Insertion, ...]:
    """Return what records the calls of a function; nothing where its arguments have no names."""
    body, given = function.child_by_field_name("body"), _given(function)
    if body is None or given is None:
        return ()
    receives = function.type not in _NO_RECEIVER
    words = [each.type for each in function.children]
    kind = next((each for each in ("get", "set") if each in words), "call")
    if name.endswith(".constructor"):
        if _extends(function):
            return ()
        name, kind = name.rpartition(".")[0], "new"
    facts = json.dumps({"name": name, "kind": kind})
    more = "this, new.target" if receives else "undefined, undefined"
    begun = f"let setpoint$; try {{ setpoint$ = ({script_recorder(FOLDER)}).enter({facts}, {given}, {more})"
    left = "try { globalThis.setpointCalls?.leave(setpoint$) } catch {}"
    if function.type in _GENERATORS or "*" in words:
        return (Insertion(body.start_byte + 1, f" {begun} }} catch {{}} {left}; "),)
    before, behind = f" {begun} }} catch {{}} try {{ ", f" }} finally {{ {left} }} "
    if body.type == "statement_block":
        return Insertion(body.start_byte + 1, before), Insertion(body.end_byte - 1, behind)
    return Insertion(body.start_byte, f"{{{before}return ("), Insertion(body.end_byte, f");{behind}}}")


def _copying(function: Node) -> dict[str, Insertion]:
    """Return what replaces each argument by a copy when the function begins, by the place of the argument."""
    body, parameters = function.child_by_field_name("body"), function.child_by_field_name("parameters")
    if body is None or body.type != "statement_block" or parameters is None:
        return {}
    names = [_named(each) for each in parameters.named_children if each.type != "comment"]
    return {
        str(place): Insertion(body.start_byte + 1, f" try {{ {name} = structuredClone({name}) }} catch {{}} ")
        for place, name in enumerate(names)
        if name and not name.startswith("...")
    }


def _extends(function: Node) -> bool:
    """Whether a constructor has no object before it calls another one."""
    above = function.parent.parent if function.parent is not None else None
    return above is not None and any(each.type == "class_heritage" for each in above.named_children)


def _given(function: Node) -> str | None:
    """Return an expression for the array of the arguments; none where they have no names."""
    if function.type not in _NO_RECEIVER:
        return "[...arguments]"
    single = function.child_by_field_name("parameter")
    if single is not None:
        return f"[{text_of(single)}]"
    parameters = function.child_by_field_name("parameters")
    names = [_named(each) for each in parameters.named_children] if parameters is not None else []
    return f"[{', '.join(names)}]" if all(names) else None


def _named(parameter: Node) -> str:
    for field in ("pattern", "left"):
        parameter = parameter.child_by_field_name(field) or parameter
    plain = parameter.type == "identifier"
    rest = parameter.type == "rest_pattern" and all(e.type == "identifier" for e in parameter.named_children)
    return text_of(parameter) if plain or rest else ""
