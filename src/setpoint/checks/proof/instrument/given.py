"""Find the functions of a test that the code under test is to call, and say which it never calls.

An assertion in such a function holds for all code that never calls it, or calls it after the end of the test.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from setpoint.checks.parsing import FUNCTIONS, field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_JUDGES = re.compile(r"(?:assert|expect|check|equal|verif|should|same|must)\w*[\w.]*\s*\(", re.IGNORECASE)
_COMPARES = re.compile(r"[=!]==?|[<>]")
_FAILS = re.compile(r"\bthrow\b|\braise\b|\b_?exit\b|\bexitCode\b|fail|wrong|bad|error", re.IGNORECASE)
_FORBIDS = re.compile(r"\.(?:fail|ifError)\(|\bassert(?:\.ok)?[ (]+(?:False|false|0)\b")
_MAY_REST = re.compile(
    r"(?:skip|todo|only|xit|xtest|xdescribe|setTimeout|setInterval|Timer|signal|catch|finally)$"
)
"""Who may be given a function that a run which passes never calls."""
_OF_ERRORS = re.compile(r"^_?(?:e|ex|err\w*|error\w*|exc\w*|reason|failure)$", re.IGNORECASE)


class Given(NamedTuple):
    """A function that is given to other code."""

    start: int
    """Where it begins, as an offset in the text."""
    end: int
    place: int
    """Where it is given."""


def never_called(
    text: str, given: Sequence[Given], entered: Collection[int], reached: Collection[tuple[int, int]]
) -> Given | None:
    """Return a function with an assertion that is given away where the test comes by, and never called.

    Args:
        text: The file of tests.
        given: Its functions that are given away.
        entered: Where the functions begin that were entered.
        reached: Where the statements begin and end that were reached.

    """
    for each in given:
        around = [(start, end) for start, end in reached if start <= each.place < end]
        own = text[each.start : each.end]
        if around and each.start not in entered and _judges(own):
            return each
    return None


def _judges(text: str) -> bool:
    """Whether a function judges what it is called with; one that must not be called does not."""
    compares = _COMPARES.search(text.replace("=>", "")) is not None
    if _FORBIDS.search(text) and not compares:
        return False
    return _JUDGES.search(text) is not None or "assert " in text or (compares and bool(_FAILS.search(text)))


def given_in_python(module: ast.Module, starts: Sequence[int]) -> Iterator[Given]:
    """Yield functions of Python that are arguments or are returned."""
    named = {
        node.name: node
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            if _MAY_REST.search(ast.unparse(node.func)):
                continue
            values = [*node.args, *(each.value for each in node.keywords)]
        elif isinstance(node, ast.Return) and node.value is not None:
            values = [node.value]
        else:
            continue
        for value in values:
            function = named.get(value.id) if isinstance(value, ast.Name) else value
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                names = [each.arg for each in function.args.args]
                if not (len(names) == 1 and _OF_ERRORS.match(names[0])):
                    end = starts[(function.end_lineno or 1) - 1] + (function.end_col_offset or 0)
                    start = starts[function.lineno - 1] + function.col_offset
                    yield Given(start, end, starts[value.lineno - 1] + value.col_offset)


def given_in_script(root: Node) -> Iterator[Given]:
    """Yield functions of JavaScript and TypeScript that are arguments, or are returned."""
    named = dict(_named(root))
    for value in _values(root):
        function = named.get(text_of(value)) if value.type == "identifier" else value
        if function is not None and function.type in FUNCTIONS and not _of_errors(function):
            yield Given(function.start_byte, function.end_byte, value.start_byte)


def _values(node: Node) -> Iterator[Node]:
    """Yield what is given to other code."""
    for child in node.named_children:
        if child.type == "arguments" and not _may_rest(child):
            yield from child.named_children[:1] if _method(child) == "then" else child.named_children
        elif child.type == "return_statement":
            yield from child.named_children
        yield from _values(child)


def _may_rest(given: Node) -> bool:
    call = given.parent
    called = field_of(call, "function") if call is not None else ""
    first = text_of(given.named_children[0]).strip("'\"`") if given.named_children else ""
    options = any(each.type == "object" and "skip" in text_of(each) for each in given.named_children)
    return bool(_MAY_REST.search(called)) or options or _OF_ERRORS.match(first) is not None


def _method(given: Node) -> str:
    called = given.parent.child_by_field_name("function") if given.parent is not None else None
    return field_of(called, "property") if called is not None else ""


def _named(node: Node) -> Iterator[tuple[str, Node]]:
    for child in node.named_children:
        if child.type in FUNCTIONS and (name := field_of(child, "name")):
            yield name, child
        value = child.child_by_field_name("value") if child.type == "variable_declarator" else None
        if value is not None and value.type in FUNCTIONS:
            yield field_of(child, "name"), value
        yield from _named(child)


def _of_errors(function: Node) -> bool:
    names = re.findall(r"[\w$]+", field_of(function, "parameters") or field_of(function, "parameter"))
    return len(names) == 1 and _OF_ERRORS.match(names[0]) is not None
