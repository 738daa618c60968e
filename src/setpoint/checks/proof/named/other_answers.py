"""Read from a file of Go, JavaScript, TypeScript or Rust how its functions answer, by tree-sitter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import functions_of, parser_of, suffix_of, text_of
from setpoint.checks.proof.named.answers import Answers
from setpoint.checks.proof.sensitivity.changed_function import Insertion

if TYPE_CHECKING:
    from tree_sitter import Node

_NESTED = frozenset(
    {
        "function_declaration", "function_item", "method_definition", "arrow_function", "function_expression",
        "generator_function_declaration", "generator_function", "function", "func_literal",
        "closure_expression", "class_declaration", "class",
    }
)  # fmt: skip
_RETURNS = ("return_statement", "return_expression")
_GIVES_UP = re.compile(r"\s*(?:panic|todo|unimplemented|unreachable)!")
_FAILS = re.compile(
    r"\s*(?:return\s+)?(?:Err\s*\(|None\s*;?$|panic!|todo!|unimplemented!|unreachable!|bail!)"
)
_EMPTY = re.compile(r"(?:nil|0|0\.0|\"\"|``|false|[\w.*\[\]]+\{\})$")
_BLOCKS = ("block", "statement_block")
_PANIC_GO = 'if true { panic("sabotaged by Setpoint") }; '
_PANIC_RUST = 'if true { panic!("sabotaged by Setpoint") } '
_THROW = '((() => { if (Date.now()) throw new Error("sabotaged by Setpoint"); })(), ('


def other_answers(path: str, source: bytes) -> dict[str, Answers]:
    """Return how each function of a file answers, by its qualified name; none without tree-sitter."""
    parser = parser_of(suffix_of(path))
    if parser is None:
        return {}
    suffix = suffix_of(path)
    found = functions_of(parser.parse(source).root_node)
    return {name: _of(suffix, name, node) for name, node in found}


def _of(suffix: str, name: str, node: Node) -> Answers:
    body = node.child_by_field_name("body")
    assert body is not None  # noqa: S101 - only functions with a body are found
    own = list(_own(body))
    returned = [each for each in own if each.type in _RETURNS]
    text = text_of(body)
    last = body.named_children[-1] if body.type in _BLOCKS and body.named_children else None
    ends = last is not None and _gives_up(suffix, last)
    places, values = _places(suffix, node, body, returned)
    raises = any(each.type == "throw_statement" for each in own) or bool(
        re.search(r"\bpanic!?\(|\b(?:todo|unimplemented|unreachable|bail|ensure)!|\bErr\(", text)
    )
    return Answers(
        name=name,
        places=tuple(places),
        only_raises=ends and not returned,
        guarded=raises or (suffix == ".go" and any(map(_is_go_failure, returned))),
        blind=bool(values) and not ends and _ignores_input(node, body),
        text=text_of(node),
    )


def _own(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type not in _NESTED:
            yield child
            yield from _own(child)


def _gives_up(suffix: str, last: Node) -> bool:
    if suffix == ".rs":
        return _GIVES_UP.match(text_of(last)) is not None
    return last.type == "throw_statement" or (suffix == ".go" and text_of(last).startswith("panic("))


def _places(suffix: str, node: Node, body: Node, returned: list[Node]) -> tuple[list[Insertion], list[str]]:
    """Return what lets each answer raise, and the answers as they are written."""
    if suffix == ".go":
        right = [each for each in returned if each.named_children and not _is_go_failure(each)]
        only_error = text_of(node.child_by_field_name("result") or node) == "error"
        right = [] if only_error else right
        return [Insertion(each.start_byte, _PANIC_GO) for each in right], list(map(text_of, right))
    if suffix == ".rs":
        return _rust_places(node, body, returned)
    values = [each.named_children[0] for each in returned if each.named_children]
    if body.type not in _BLOCKS:
        values.append(body)
    found = [
        put
        for value in values
        for put in (Insertion(value.start_byte, _THROW), Insertion(value.end_byte, "))"))
    ]
    return found, list(map(text_of, values))


def _is_go_failure(returned: Node) -> bool:
    """Whether a return of Go reports a failure: an error beside values that are all empty."""
    values = returned.named_children[0].named_children if returned.named_children else []
    if len(values) < 2:  # noqa: PLR2004 - a value and an error
        return False
    return text_of(values[-1]) != "nil" and all(_EMPTY.match(text_of(each)) for each in values[:-1])


def _rust_places(node: Node, body: Node, returned: list[Node]) -> tuple[list[Insertion], list[str]]:
    if node.child_by_field_name("return_type") is None:
        return [], []
    tails = [each for each in (*_tails(body), *returned) if not _FAILS.match(text_of(each))]
    put = [
        insertion
        for each in tails
        for insertion in (
            Insertion(each.start_byte, f"{{ {_PANIC_RUST}"),
            Insertion(each.end_byte, " }"),
        )
    ]
    return put, list(map(text_of, tails))


def _tails(node: Node) -> Iterator[Node]:
    """Yield the expressions that a block of Rust ends with, those of each branch apart."""
    last = next((each for each in reversed(node.named_children) if "comment" not in each.type), None)
    if last is None or last.type in ("let_declaration", "macro_definition", "empty_statement"):
        return
    if last.type == "expression_statement":
        if not text_of(last).endswith(";"):
            yield from _branches(last.named_children[0])
        return
    yield from _branches(last)


def _branches(value: Node) -> Iterator[Node]:
    if value.type == "block":
        yield from _tails(value)
    elif value.type == "if_expression":
        for field in ("consequence", "alternative"):
            if (part := value.child_by_field_name(field)) is not None:
                inner = part.named_children[0] if part.type == "else_clause" else part
                yield from _branches(inner)
    elif value.type == "match_expression":
        for arm in (value.child_by_field_name("body") or value).named_children:
            if (part := arm.child_by_field_name("value")) is not None:
                yield from _branches(part)
    elif value.type not in _RETURNS:
        yield value


def _ignores_input(node: Node, body: Node) -> bool:
    parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    if parameters is None:
        return False
    taken = set(_bound(parameters))
    if not taken:
        return False
    used = {text_of(each) for each in _every(body) if each.type.endswith("identifier") or each.type == "this"}
    return used.isdisjoint({*taken, "arguments", "this", "self"}) and "self" not in text_of(body)


def _bound(parameters: Node) -> Iterator[str]:
    """Yield the names that parameters bind; names of types are not of this type of node."""
    if parameters.type == "identifier" and not parameters.named_children:
        yield text_of(parameters)
    for each in _every(parameters):
        if each.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield text_of(each)


def _every(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _every(child)
