"""Rust, as the rest of Setpoint asks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from setpoint.checks.languages.changed_function import ChangedFunction
from setpoint.checks.languages.language import Canary, CanaryRequest
from setpoint.checks.languages.parsed_language import ParsedLanguage
from setpoint.checks.languages.rust import inline_tests
from setpoint.checks.languages.rust.canary import rust_canaries
from setpoint.checks.languages.rust.exports import exported
from setpoint.checks.languages.rust.functions import described, described_macro
from setpoint.checks.languages.rust.macros import EXPRESSION, functions_in_macros
from setpoint.checks.languages.tokens import comments
from setpoint.checks.parsing import RUST, functions_of

if TYPE_CHECKING:
    from tree_sitter import Node

_DOCUMENTATION = ("///", "//!", "/**", "/*!")
_EXAMPLE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_RUNNER = "cargo_test"


class Rust(ParsedLanguage):
    """Sources in Rust."""

    name = "Rust"
    runners = frozenset((_RUNNER,))
    suffixes = (RUST,)

    def canaries(self, request: CanaryRequest) -> tuple[Canary, ...]:
        """Write tests into the sources that the change touches."""
        return tuple(rust_canaries(request.tree, request.code)) if request.runner == _RUNNER else ()

    def inline_tests(self, path: str, source: bytes) -> frozenset[str]:  # noqa: ARG002 -- any file has them
        """Return names of functions in the items that attributes mark as tests."""
        return inline_tests.names(source)

    def with_tests_of(self, code: bytes, tests: bytes, path: str) -> bytes:  # noqa: ARG002 -- as above
        """Return the code of one text of a file with the inline tests of another."""
        return inline_tests.with_tests_of(code, tests)

    def functions_in(self, root: Node) -> Iterator[tuple[str, Node]]:
        """Yield the functions of a file, those in macros and macros that become an expression."""
        yield from functions_of(root)
        yield from functions_in_macros(root)

    def described(self, path: str, name: str, node: Node) -> ChangedFunction:
        """Return a function or macro with the ways to break it."""
        if node.type == EXPRESSION:
            return described_macro(path, name, node)
        return described(path, name, node, in_macro="!." in name)

    def addresses_tool(self, comment: str) -> bool:  # noqa: ARG002 -- attributes do that
        """Return false: attributes address the compiler."""
        return False

    def exported(self, path: str, root: Node) -> tuple[str, Iterator[str]]:  # noqa: ARG002 -- one crate
        """Return the crate, and the public names of a file."""
        return "crate", exported(root)

    def documented(self, root: Node) -> Sequence[str]:
        """Return the examples in documentation, which are tests."""
        lines = (each.lstrip("/!* ") for each in comments(root) if each.startswith(_DOCUMENTATION))
        return tuple(_EXAMPLE.findall("\n".join(lines)))
