"""Let changed functions raise where they return NaN: a test that compares it with `>` notices nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import FUNCTIONS, functions_of, is_script, is_typed, parser_of, suffix_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion
from setpoint.checks.proof.sensitivity.python_functions import functions_in, offset_of, own_nodes
from setpoint.model import syntax

if TYPE_CHECKING:
    from tree_sitter import Node

_PYTHON = "(lambda value: 1 // 0 if isinstance(value, float) and value != value else value)(("
_SCRIPT = "((value{0}){0} => {{ if (value !== value) throw new TypeError('not a number'); return value; }})(("


def not_a_number(path: str, old: bytes | None, new: bytes) -> ChangedFunction | None:
    """Return how all changed functions of a file raise for NaN; none where the file has no such function."""
    made = _python(old or b"", new) if path.endswith(".py") else _script(path, old or b"", new)
    found = tuple(
        each for start, end, head in made for each in (Insertion(start, head), Insertion(end, "))"))
    )
    name = "what it returns"
    return ChangedFunction(path=path, name=name, sabotages={"raises for NaN": found}) if found else None


def _python(old: bytes, new: bytes) -> Iterator[tuple[int, int, str]]:
    try:
        before = {ast.dump(node) for _, node in functions_in(syntax.parse(old))}
        now = list(functions_in(syntax.parse(new)))
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = new.splitlines(keepends=True)
    for _, function in now:
        for each in own_nodes(function) if ast.dump(function) not in before else ():
            if isinstance(each, ast.Return) and (value := each.value):
                start = offset_of(lines, value.lineno, value.col_offset)
                yield start, offset_of(lines, value.end_lineno or 0, value.end_col_offset or 0), _PYTHON


def _script(path: str, old: bytes, new: bytes) -> Iterator[tuple[int, int, str]]:
    suffix = suffix_of(path)
    parser = parser_of(suffix) if is_script(suffix) else None
    if parser is None:
        return
    before = {node.text for _, node in functions_of(parser.parse(old).root_node)}
    head = _SCRIPT.format(": any" if is_typed(suffix) else "")
    for _, function in functions_of(parser.parse(new).root_node):
        body = function.child_by_field_name("body")
        if body is None or function.text in before or any(each.type == "*" for each in function.children):
            continue
        for value in [body] if body.type != "statement_block" else [*_returned(body)]:
            yield value.start_byte, value.end_byte, head


def _returned(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "return_statement":
            yield from child.named_children[:1]
        elif child.type not in FUNCTIONS and not child.type.startswith("class"):
            yield from _returned(child)
