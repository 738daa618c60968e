"""The steps of a file of tests in JavaScript or TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import FUNCTIONS, field_of, is_script, parser_of, suffix_of
from setpoint.checks.proof.instrument.given import given_in_script
from setpoint.checks.proof.instrument.steps import ENDS, Step, Stepped, guarded

if TYPE_CHECKING:
    from tree_sitter import Node

_BRANCHES = (
    "if_statement", "else_clause", "switch_statement", "try_statement", "catch_clause", "for_statement",
    "for_in_statement", "while_statement", "do_statement", "ternary_expression",
)  # fmt: skip
_COMES_FIRST = ("import_statement", "export_statement")
_LEAVING = ("return_statement", "break_statement", "continue_statement", "yield_expression")
_VARIABLES = ("lexical_declaration", "variable_declaration")
_SETTLES = ("then", "catch", "finally")


def script_steps(path: str, text: str) -> Stepped | None:
    """Number the statements of blocks; none where the file cannot be read."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if is_script(suffix) else None
    if parser is None or not text.isascii():  # offsets count bytes
        return None
    root = parser.parse(text.encode()).root_node
    nodes = [each for each in _statements(root) if not _is_directive(each)]
    if root.has_error or not nodes:
        return None
    steps = sorted(_of_block(root, -1, depends=False), key=lambda each: each.start)
    given = tuple(given_in_script(root))
    begin = nodes[0].start_byte
    return Stepped(path=path, text=text, begin=begin, steps=guarded(steps, given), given=given)


def _of_block(block: Node, function: int, *, depends: bool) -> Iterator[Step]:
    """Yield the steps of a block of statements, and those of the functions in them."""
    owner = block.parent
    body = owner is not None and owner.type in FUNCTIONS
    waiting = body and owner is not None and _waits(owner)
    nodes = _statements(block)
    for node in nodes:
        leaves = _leaves(node)
        if not (_declares(node) or _is_directive(node) or node.type in _COMES_FIRST):
            yield Step(
                start=node.start_byte,
                end=node.end_byte,
                line=node.start_point[0] + 1,
                block=(block.start_byte, block.end_byte),
                function=function,
                depends=depends,
                guarded=body and owner is not None and _is_given(owner) and node == nodes[-1],
                settled=body and owner is not None and _is_settled(owner),
                waits=waiting and not (depends or leaves) and node.type not in _BRANCHES,
                callbacks=tuple(_promised(node)),
            )
        yield from _inside(node, function, depends=depends)
        depends = depends or leaves
    if waiting:
        yield _end(block.end_byte - 1, block.end_point[0] + 1, (block.start_byte, block.end_byte), function)


def _end(place: int, line: int, block: tuple[int, int], function: int, *, expression: bool = False) -> Step:
    """Return a step at the end of a function that can wait: it is reached when that is over, in any way."""
    return Step(start=place, end=place, line=line, block=block, function=function, expression=expression)


def _inside(node: Node, function: int, *, depends: bool) -> Iterator[Step]:
    """Yield the steps of the blocks and functions in a node."""
    if node.type == "statement_block":
        yield from _of_block(node, function, depends=depends)
        return
    if node.type in FUNCTIONS:
        body = node.child_by_field_name("body")
        if body is not None and body.type != "statement_block":
            yield Step(
                start=body.start_byte,
                end=body.end_byte,
                line=body.start_point[0] + 1,
                block=(body.start_byte, body.end_byte),
                function=node.start_byte,
                guarded=_is_given(node),
                expression=True,
                settled=_is_settled(node),
            )
            if _waits(node):
                block = (body.start_byte, body.end_byte)
                yield _end(body.end_byte, body.end_point[0] + 1, block, node.start_byte, expression=True)
        function, depends = node.start_byte, False
    depends = depends or node.type in _BRANCHES
    for child in node.named_children:
        yield from _inside(child, function, depends=depends)


def _waits(function: Node) -> bool:
    kinds = {each.type for each in function.children}
    return "async" in kinds and "*" not in kinds


def _leaves(node: Node) -> bool:
    """Whether a statement can leave its block early in a run that passes."""
    if node.type in _LEAVING:
        return True
    if node.type == "call_expression" and ENDS.match(field_of(node, "function")):
        return not re.fullmatch(r"\(\s*[1-9]\d*\s*\)", field_of(node, "arguments"))
    return any(_leaves(each) for each in node.named_children if each.type not in FUNCTIONS)


def _statements(block: Node) -> list[Node]:
    return [each for each in block.named_children if each.type not in ("comment", "hash_bang_line")]


def _declares(node: Node) -> bool:
    return node.type.endswith("_declaration") and node.type not in _VARIABLES


def _is_directive(node: Node) -> bool:
    return node.type == "expression_statement" and node.named_children[0].type == "string"


def _is_given(function: Node) -> bool:
    """Whether a function is written where it is given to another."""
    return function.parent is not None and function.parent.type == "arguments"


def _is_settled(function: Node) -> bool:
    """Whether a function is the first that is given to `then`."""
    given = function.parent
    return (
        given is not None
        and _is_given(function)
        and given.named_children[0] == function
        and _method_of(given) == "then"
    )


def _method_of(given: Node) -> str:
    called = given.parent.child_by_field_name("function") if given.parent is not None else None
    return field_of(called, "property") if called is not None else ""


def _promised(statement: Node) -> Iterator[int]:
    """Yield the functions of a chain of promises that calls one in any case, if all are written in it."""
    if statement.type != "expression_statement":
        return
    call = statement.named_children[0]
    found: list[Node] = []
    always = False
    if call.type == "await_expression":
        call = call.named_children[0]
    while call.type == "call_expression":
        given = call.child_by_field_name("arguments")
        called = call.child_by_field_name("function")
        inner = called.child_by_field_name("object") if called is not None else None
        if given is None or inner is None or _method_of(given) not in _SETTLES:
            break
        found += given.named_children
        always = always or _method_of(given) != "catch"
        call = inner
    if always and found and all(each.type in FUNCTIONS for each in found):
        yield from (each.start_byte for each in found)
