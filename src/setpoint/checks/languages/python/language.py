"""Python, as the rest of Setpoint asks of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from setpoint.checks.languages.language import Canary, CanaryRequest, ChangedCode, Language
from setpoint.checks.languages.python.canary import python_canary
from setpoint.checks.languages.python.functions import changed_functions
from setpoint.checks.languages.python.public_names import lost_names
from setpoint.checks.languages.python.same_program import same_but_types, same_program
from setpoint.checks.languages.python.statements import changed_statements
from setpoint.model import syntax

_RUNNERS = ("pytest", "unittest")


class Python(Language):
    """Sources that Python itself parses."""

    name = "Python"
    runners = frozenset(("",))

    def owns(self, path: str) -> bool:
        """Whether a file is a source in Python; stubs hold only types."""
        return path.endswith(".py")

    def changed(self, path: str, before: bytes | None, after: bytes) -> ChangedCode:
        """Return what of a file's code differs from the base; what cannot be parsed there counts as new."""
        then = _parsed(before or b"") or ast.Module(body=[], type_ignores=[])
        now = _parsed(after)
        if now is None:
            return ChangedCode(unread=(f"{path}, which cannot be parsed",))
        try:
            return ChangedCode(
                functions=changed_functions(path, then, now, after, before or b""),
                statements=changed_statements(path, then, now, after),
            )
        except RecursionError:
            return ChangedCode(unread=(f"{path}, which is nested too deeply",))

    def same_program(self, before: bytes, after: bytes, path: str) -> bool:  # noqa: ARG002 -- all read alike
        """Whether two texts differ in comments, docstrings and layout alone."""
        return same_program(before, after)

    def same_but_types(self, before: bytes, after: bytes, path: str) -> bool:  # noqa: ARG002 -- all read alike
        """Whether two texts differ in annotations, and in what they import for them."""
        return same_but_types(before, after)

    def lost_names(self, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
        """Return public names that cannot be used any more as at the base, each with why."""
        return lost_names(before, after)

    def canaries(self, request: CanaryRequest) -> tuple[Canary, ...]:
        """Write one file of tests beside those of the change."""
        if request.runner not in _RUNNERS:
            return ()
        canary = python_canary(request.runner, request.beside)
        return (canary,) if canary is not None else ()


def _parsed(source: bytes) -> ast.Module | None:
    try:
        return syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
