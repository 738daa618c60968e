"""JavaScript and TypeScript, as the rest of Setpoint asks of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.languages.changed_function import ChangedFunction
from setpoint.checks.languages.javascript.canary import RUNNERS, javascript_canary
from setpoint.checks.languages.javascript.exports import exported
from setpoint.checks.languages.javascript.functions import described
from setpoint.checks.languages.language import Canary, CanaryRequest
from setpoint.checks.languages.parsed_language import ParsedLanguage
from setpoint.checks.parsing import is_typed, suffix_of

if TYPE_CHECKING:
    from tree_sitter import Node

_FOR_TOOLS = re.compile(
    r"#!|//\s*[@#]|/\*\s*[@#]|/\*\*?\s*@(?:jsx\w*|\w+-environment|__\w+__)|///\s*<|/\*\s*[a-z]+[A-Z]\w*\s*:"
)
"""Comments that begin with a sign or a key for a tool."""


class JavaScript(ParsedLanguage):
    """Sources in JavaScript, TypeScript and JSX."""

    name = "JavaScript and TypeScript"
    runners = RUNNERS
    suffixes = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")

    def canaries(self, request: CanaryRequest) -> tuple[Canary, ...]:
        """Write tests beside the first test of the change, and at the end of its file."""
        if request.runner not in RUNNERS or not request.beside:
            return ()
        path = request.beside[0].partition("::")[0]
        try:
            source = (request.tree / path).read_text("utf-8", "replace")
        except OSError:
            return ()
        return (javascript_canary(request.runner, path, source),)

    def described(self, path: str, name: str, node: Node) -> ChangedFunction:
        """Return a function with the ways to break it."""
        return described(path, name, node, typed=is_typed(suffix_of(path)))

    def addresses_tool(self, comment: str) -> bool:
        """Whether a comment addresses a bundler, a compiler or a runner of tests."""
        return _FOR_TOOLS.match(comment) is not None

    def exported(self, path: str, root: Node) -> tuple[str, Iterator[str]]:
        """Return the module of a file, and the names that it exports."""
        return path.removesuffix(suffix_of(path)), exported(root)
