"""Find the assertions of tests in JavaScript, TypeScript, Go and Rust, and turn each round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from setpoint.checks.parsing import (
    FUNCTIONS,
    GO,
    RUST,
    field_of,
    is_typed,
    parser_of,
    suffix_of,
    text_of,
)
from setpoint.checks.proof.assertions.assertion import Arm, Assertion, Assertions, Edit, Owner, shown

if TYPE_CHECKING:
    from tree_sitter import Node

_MORE = """
function setpointOtherwise(value: any): any {
  if (typeof value === "function" || typeof value?.then === "function") return value;
  return !value;
}
function setpointFails(value: any): any {
  const fail = () => { throw new Error("turned round"); };
  return typeof value?.then === "function" ? value.then(fail) : fail();
}
"""
_TESTS = re.compile(r"(?:test|it)(?:\.(?:concurrent|only|each\b.*))?$", re.DOTALL)
_ASSERT = re.compile(r"(?:\w+\.)?assert(?:\.strict)?(?:\.\w+)?$")
_TRUTH = re.compile(r"(?:assert|\.ok)$")
_MATCHER = re.compile(r"to[A-Z]\w*$")
_CONDITIONS = {
    "if_statement": {"consequence": "if", "alternative": "else"},
    "if_expression": {"consequence": "if", "alternative": "else"},
    "try_statement": {"body": "body", "handler": "except"},
    "ternary_expression": {"consequence": "if", "alternative": "else"},
}
_CASES = frozenset(
    {"switch_case", "switch_default", "match_arm", "expression_case", "default_case", "type_case"}
)
_PLATFORM = re.compile(
    r"process\.(?:platform|version)|runtime\.(?:GOOS|GOARCH|Version)|\bcfg!|\bplatform\b|\bversion",
    re.IGNORECASE,
)
_FAILING = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_LOGGING = frozenset({"Log", "Logf", "Print", "Printf", "Println"})
_TESTIFY = re.compile(r"(?:assert|require)\.\w+$")
_OPPOSITE = {
    "assert_eq": "assert_ne", "assert_ne": "assert_eq", "debug_assert_eq": "debug_assert_ne",
    "debug_assert_ne": "debug_assert_eq",
}  # fmt: skip
_TRUE_IN_RUST = ("assert", "debug_assert")


class _Unit(NamedTuple):
    """What one node asserts."""

    node: Node
    edits: tuple[Edit, ...]
    empty: str = ""


_Found = Callable[["Node"], Iterator[_Unit]]


def other_assertions(path: str, source: bytes) -> Assertions:
    """Return the assertions of a file of tests; none where the extra `languages` is not installed."""
    suffix = suffix_of(path)
    parser = parser_of(suffix) if suffix else None
    if parser is None:
        return Assertions(())
    root = parser.parse(source).root_node
    if root.has_error:
        return Assertions(())
    found = {GO: _of_go, RUST: _of_rust}.get(suffix, _of_script)
    named = {GO: _tests_of_go, RUST: _tests_of_rust}.get(suffix, _tests_of_script)
    owners = tuple(
        Owner(
            name=name,
            is_test=is_test,
            body=text_of(node),
            words=frozenset(re.findall(r"\w+", text_of(node))),
            assertions=tuple(_assertions(path, name, node, found)),
        )
        for name, is_test, node in named(root)
    )
    more = "" if suffix in (GO, RUST) else _MORE if is_typed(suffix) else _MORE.replace(": any", "")
    return Assertions(owners, more)


def _assertions(path: str, owner: str, top: Node, found: _Found) -> Iterator[Assertion]:
    for node in _below(top):
        for unit in found(node):
            arms, elsewhere = _around(unit.node, top)
            yield Assertion(
                path=path,
                line=unit.node.start_point[0] + 1,
                text=shown(text_of(unit.node)),
                owner=owner,
                edits=unit.edits,
                empty=unit.empty,
                arms=arms,
                elsewhere=elsewhere,
            )


def _below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _below(child)


def _around(node: Node, top: Node) -> tuple[tuple[Arm, ...], bool]:
    """Return the branches around a node, and whether any is for some platforms alone."""
    arms, elsewhere, inner = [], False, node
    while inner.id != top.id and (outer := inner.parent) is not None:
        fields = _CONDITIONS.get(outer.type, {})
        for name, branch in fields.items():
            held = outer.child_by_field_name(name)
            if held is not None and held.id == inner.id:
                arms.append(Arm(outer.start_byte, branch))
                elsewhere = elsewhere or _PLATFORM.search(field_of(outer, "condition")) is not None
        if inner.type in _CASES:
            arms.append(Arm(outer.start_byte, f"case {inner.start_byte}"))
        inner = outer
    return tuple(arms), elsewhere


def _tests_of_script(root: Node) -> Iterator[tuple[str, bool, Node]]:
    """Yield tests by their title, and functions of the file outside them."""
    for child in root.named_children:
        call = _call_of(child)
        if call is None:
            if child.type in (*FUNCTIONS, "lexical_declaration", "export_statement"):
                yield _name_of(child), False, child
            continue
        name, title = field_of(call, "function"), _first(call)
        if _TESTS.match(name) and title is not None:
            yield text_of(title).strip("\"'`"), True, child
        else:  # `describe` and similar calls
            bodies = [each for each in _below(call) if each.type == "statement_block"]
            yield from _tests_of_script(bodies[0]) if bodies else ()


def _call_of(node: Node) -> Node | None:
    if node.type != "expression_statement" or not node.named_children:
        return None
    inner = node.named_children[0]
    inner = inner.named_children[0] if inner.type == "await_expression" and inner.named_children else inner
    return inner if inner.type == "call_expression" else None


def _name_of(node: Node) -> str:
    for each in _below(node):
        if found := field_of(each, "name"):
            return found
    return ""


def _first(call: Node) -> Node | None:
    given = call.child_by_field_name("arguments")
    return given.named_children[0] if given is not None and given.named_children else None


def _of_script(node: Node) -> Iterator[_Unit]:
    if node.type == "expression_statement" and node.named_children:
        inner = node.named_children[0]
        inner = (
            inner.named_children[0] if inner.type == "await_expression" and inner.named_children else inner
        )
        yield from _without_matcher(inner)
    if node.type == "try_statement":
        yield from _tried(node)
    if node.type != "call_expression":
        return
    function = node.child_by_field_name("function")
    name = text_of(function) if function is not None else ""
    first = _first(node)
    if (
        function is not None
        and function.type == "member_expression"
        and _expects(function)
        and not _is_chained(node)
    ):
        yield _Unit(node, (_negated(function),))
    elif _ASSERT.fullmatch(name) and first is not None:
        if _TRUTH.search(name):
            edits = (Edit(first.start_byte, first.end_byte, f"setpointOtherwise({text_of(first)})"),)
        else:
            edits = (Edit(node.start_byte, node.end_byte, f"setpointFails({text_of(node)})"),)
        yield _Unit(node, edits)


def _without_matcher(node: Node) -> Iterator[_Unit]:
    if node.type == "call_expression" and field_of(node, "function") == "expect":
        yield _Unit(node, (), "no matcher is called")
    if node.type == "member_expression" and _expects(node):
        last = node.child_by_field_name("property")
        if last is not None and _MATCHER.match(text_of(last)):
            yield _Unit(node, (), "its matcher is not called")
        else:
            yield _Unit(node, (_negated(node),))


def _expects(node: Node) -> bool:
    """Whether a chain of members begins with a call of `expect`."""
    while node.type in ("member_expression", "call_expression"):
        if node.type == "call_expression" and field_of(node, "function") == "expect":
            return True
        inner = node.child_by_field_name("object" if node.type == "member_expression" else "function")
        if inner is None:
            return False
        node = inner
    return False


def _is_chained(node: Node) -> bool:
    """Whether more of a chain follows after a call."""
    return node.parent is not None and node.parent.type == "member_expression"


def _negated(member: Node) -> Edit:
    """Put `not` before the last member of a chain, or take it out."""
    chain = member.child_by_field_name("object")
    while chain is not None and chain.type == "member_expression":
        last = chain.child_by_field_name("property")
        if last is not None and last.text == b"not":
            before = chain.child_by_field_name("object")
            begin = before.end_byte if before is not None else chain.end_byte
            return Edit(begin, chain.end_byte, "")
        chain = chain.child_by_field_name("object")
    held = member.child_by_field_name("object")
    at = held.end_byte if held is not None else member.start_byte
    return Edit(at, at, ".not")


def _tried(node: Node) -> Iterator[_Unit]:
    """Let nothing happen where a handler asserts something: the test has to demand an exception."""
    body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
    if body is None or handler is None or not re.search(r"\b(?:assert|expect)\b", text_of(handler)):
        return
    edits = [
        Edit(each.start_byte, each.end_byte, ";")
        for each in body.named_children
        if not re.match(r"(?:await )?(?:assert|expect|throw|\w+\.(?:fail|assert)|fail)\b", text_of(each))
        and each.type != "comment"
    ]
    if edits:
        yield _Unit(node, tuple(edits))


def _tests_of_go(root: Node) -> Iterator[tuple[str, bool, Node]]:
    for child in root.named_children:
        if child.type in FUNCTIONS:
            name = field_of(child, "name")
            yield name, name.startswith(("Test", "Fuzz")), child


def _of_go(node: Node) -> Iterator[_Unit]:
    if node.type == "if_statement":
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        if condition is None or body is None:
            return
        called = [name for each in _statements(body) if (name := _method(each))]
        unequal = re.search(r"!=|^!", text_of(condition)) is not None
        only_says = (
            bool(called) and unequal and len(called) == len(_statements(body)) and _LOGGING.issuperset(called)
        )
        if _FAILING & set(called) or only_says:
            edits = (Edit(condition.start_byte, condition.end_byte, f"!({text_of(condition)})"),)
            yield _Unit(condition, edits)
    elif node.type == "call_expression" and _TESTIFY.fullmatch(field_of(node, "function")):
        first, statement = _first(node), node.parent
        whole = statement is not None and statement.type == "expression_statement"
        if whole and first is not None and first.type == "identifier":
            at = node.start_byte
            yield _Unit(node, (Edit(at, at, f'{text_of(first)}.Fatal("turned round"); '),))


def _statements(body: Node) -> list[Node]:
    held = body.named_children
    return held[0].named_children if len(held) == 1 and held[0].type == "statement_list" else held


def _method(statement: Node) -> str:
    """Return the last name of a function that a statement of Go calls."""
    call = statement.named_children[0] if statement.type == "expression_statement" else None
    if call is None or call.type != "call_expression":
        return ""
    return field_of(call, "function").rpartition(".")[2]


def _tests_of_rust(root: Node) -> Iterator[tuple[str, bool, Node]]:
    for child in root.named_children:
        if child.type == "mod_item":
            body = child.child_by_field_name("body")
            yield from _tests_of_rust(body) if body is not None else ()
        elif child.type in FUNCTIONS:
            marks = _attributes(child)
            if "should_panic" not in marks:
                yield field_of(child, "name"), re.search(r"\btest\b", marks) is not None, child


def _attributes(node: Node) -> str:
    found, before = "", node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        found += text_of(before) if before.type == "attribute_item" else ""
        before = before.prev_named_sibling
    return found


def _of_rust(node: Node) -> Iterator[_Unit]:
    if node.type != "macro_invocation":
        return
    macro = node.child_by_field_name("macro")
    name = text_of(macro) if macro is not None else ""
    if macro is not None and name in _OPPOSITE:
        yield _Unit(node, (Edit(macro.start_byte, macro.end_byte, _OPPOSITE[name]),))
    elif name in _TRUE_IN_RUST:
        given = next((each for each in node.children if each.type == "token_tree"), None)
        if given is None or len(given.children) < len("(x)"):
            return
        comma = next((each for each in given.children if each.text == b","), given.children[-1])
        begin, end = given.children[0].end_byte, comma.start_byte
        yield _Unit(node, (Edit(begin, begin, "!("), Edit(end, end, ")")))
