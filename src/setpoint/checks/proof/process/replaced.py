"""Find tests in Go that put other code in place of the delivered code before any test runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from setpoint.checks.parsing import GO, field_of, parser_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ONCE = ("init", "TestMain")
"""Functions that run once, for all tests of a package."""


def replaced_by_tests(
    before: Mapping[str, bytes], after: Mapping[str, bytes], of_tests: Collection[str]
) -> tuple[str, ...]:
    """Return which test files replace variables that the change adds or changes, in words.

    Args:
        before: Changed files at the base, by path.
        after: Changed files of the result, by path.
        of_tests: Those of them that hold tests.

    """
    parser = parser_of(GO)
    if parser is None:
        return ()
    variables = {
        (path.rpartition("/")[0], name)
        for path, new in after.items()
        if path.endswith(GO) and path not in of_tests
        for name, node in _variables(parser.parse(new).root_node)
        if (node.text or b"") not in before.get(path, b"")
    }
    return tuple(
        f"{path} replaces {name}"
        for path in of_tests
        if path.endswith("_test.go") and path in after and variables
        for name in dict.fromkeys(_assigned(parser.parse(after[path]).root_node))
        if (path.rpartition("/")[0], name) in variables
    )


def _variables(root: Node) -> Iterator[tuple[str, Node]]:
    for each in root.named_children:
        if each.type == "var_declaration":
            for spec in each.named_children:
                inner = spec.named_children if spec.type == "var_spec_list" else [spec]
                for one in inner:
                    if one.child_by_field_name("value") is None:
                        continue  # who uses the package sets it
                    for name in one.children_by_field_name("name"):
                        yield text_of(name), one


def _assigned(root: Node) -> Iterator[str]:
    """Yield the variables that are assigned before any test: in `init`, `TestMain` or with a declaration."""
    for each in root.named_children:
        once = each.type == "function_declaration" and field_of(each, "name") in _ONCE
        if once or each.type == "var_declaration":
            yield from _targets(each)


def _targets(node: Node) -> Iterator[str]:
    for child in node.named_children:
        if child.type == "assignment_statement":
            left = child.child_by_field_name("left")
            for each in left.named_children if left else ():
                first, _, field = text_of(each).partition(".")
                yield first
                if field:  # a test of another package names the package first
                    yield field.partition(".")[0]
        if child.type != "func_literal" or node.type in ("call_expression", "argument_list"):
            yield from _targets(child)
