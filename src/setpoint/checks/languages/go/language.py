"""Go, as the rest of Setpoint asks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from setpoint.checks.languages.changed_function import ChangedFunction
from setpoint.checks.languages.go.canary import go_canaries
from setpoint.checks.languages.go.exports import exported
from setpoint.checks.languages.go.functions import described
from setpoint.checks.languages.language import Canary, CanaryRequest
from setpoint.checks.languages.parsed_language import ParsedLanguage
from setpoint.checks.languages.tokens import comments
from setpoint.checks.parsing import GO

if TYPE_CHECKING:
    from tree_sitter import Node

_DIRECTIVE = re.compile(r"//(?:line |extern |export |[a-z0-9]+:[a-z0-9])|//\s*\+build\b|/\*line ")
"""Directives, as `go/ast` distinguishes them from documentation."""
_IMPORTS_C = re.compile(rb"^\s*(?:import\s+(?:_\s+)?)?\"C\"", re.MULTILINE)
_RUNNER = "go_test"


class Go(ParsedLanguage):
    """Sources in Go."""

    name = "Go"
    runners = frozenset((_RUNNER,))
    suffixes = (GO,)

    def canaries(self, request: CanaryRequest) -> tuple[Canary, ...]:
        """Write tests into the packages that the change touches."""
        if request.runner != _RUNNER:
            return ()
        return tuple(go_canaries(request.tree, request.folders, request.code))

    def described(self, path: str, name: str, node: Node) -> ChangedFunction:
        """Return a function with the ways to break it."""
        return described(path, name, node)

    def addresses_tool(self, comment: str) -> bool:
        """Whether a comment is a directive, such as a build constraint."""
        return _DIRECTIVE.match(comment) is not None

    def exported(self, path: str, root: Node) -> tuple[str, Iterator[str]]:
        """Return the folder of a file, and the names that it exports."""
        return path.rpartition("/")[0] or ".", exported(root)

    def documented(self, root: Node) -> Sequence[str]:
        """Return all comments where C is imported: the one before the import is compiled."""
        return tuple(comments(root)) if _IMPORTS_C.search(root.text or b"") else ()
