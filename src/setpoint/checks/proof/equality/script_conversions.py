"""Find conversions that a change of JavaScript or TypeScript defines, and refuse them to tests that ask.

An object that says itself which number or text it is can be equal to any other in `Math.abs(got - 4) < 1e-9`
or `JSON.stringify(got)`. What the request names is meant to; of others only the code of the project may ask.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import FUNCTIONS, field_of, is_script, parser_of, suffix_of, text_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = ("valueOf", "toString", "toJSON", "Symbol.toPrimitive")
_PAIRS = {
    "pair": ("key", "value"),
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
}
"""What gives a name to a function beside methods, with both fields."""
_WORDS = re.compile(
    r"\b(?:json|seriali[sz]\w*|string\w*|text|primitiv\w*|convert\w*|conver\w+|format\w*|print\w*)\b",
    re.IGNORECASE,
)
"""Words of a request that ask for a conversion."""
_REFUSES = (
    "((setpoint) => {{ "
    "if ((setpoint.find((line) => !/<anonymous>\\)?$|node:/.test(line)) ?? '').match({tests})) "
    "throw new TypeError('asked by a test'); }})(String(new Error().stack).split('\\n').slice(2))"
)
"""What refuses to answer a file of tests; the lines of a stack begin with what was called last."""


def script_conversions(
    path: str, old: bytes | None, new: bytes, tests: Collection[str], wish: str
) -> list[ChangedFunction]:
    """Return the conversions that a file did not define at the base, and that nobody asked for."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if is_script(suffix) else None
    if parser is None or not tests or _WORDS.search(wish):
        return []
    before = {text_of(each) for each, _ in _conversions(parser.parse(old or b"").root_node)}
    pattern = "|".join(re.escape(each).replace("/", "\\/") for each in tests)
    refuses = _REFUSES.format(tests=f"/{pattern}/")
    return [
        ChangedFunction(path=path, name=name, sabotages={"is not there for tests": _refusing(body, refuses)})
        for node, name in _conversions(parser.parse(new).root_node)
        if text_of(node) not in before and name not in wish
        if (body := node.child_by_field_name("body")) is not None
    ]


def _refusing(body: Node, refuses: str) -> tuple[Insertion, ...]:
    if body.type == "statement_block":
        return (Insertion(body.start_byte + 1, f" {refuses};"),)
    return Insertion(body.start_byte, f"({refuses}, "), Insertion(body.end_byte, ")")


def _conversions(node: Node) -> Iterator[tuple[Node, str]]:
    """Yield functions that convert an object, with their names."""
    for child in node.named_children:
        function: Node | None = child
        named = field_of(child, "name")
        if child.type != "method_definition":
            key, value = _PAIRS.get(child.type, ("", ""))
            function = child.child_by_field_name(value) if value else None
            named = field_of(child, key) if key else ""
        name = next(
            (each for each in _NAMES if re.search(rf"(?:^|[.\['\"]){re.escape(each)}['\"\]]*$", named)), ""
        )
        if name and function is not None and function.type in FUNCTIONS:
            yield function, name
        yield from _conversions(child)
