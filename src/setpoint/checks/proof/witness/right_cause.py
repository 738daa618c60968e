"""Judge why a test fails without a change: for the lack of the change, or for another reason.

Rules, never lists of messages: an assertion; a failure that the request names; a failure that names what the
change adds; a failure inside code that the change rewrites; a test that breaks off where it asserts something
or passes what the change adds. A machine that lacks something, a timeout and a broken fixture prove nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from setpoint.checks.proof.witness.added_names import Added
from setpoint.model import syntax
from setpoint.model.evidence import Cause, Failure, Outcome

_MOST = 100
_PLACE = re.compile(r"(?P<file>[\w@+\-./\[\]]{1,400}?\.\w{1,6}):(?P<line>\d{1,7})\b")
_ASSERTS = re.compile(
    r"\bassert\w*\b|\bexpect\s*\(|\.should\b|\bt\.(?:Error|Fatal)|\brequire\.\w+\(", re.IGNORECASE
)
_RAISES = re.compile(
    r"^\s*(?:import\b|from\s+\S+\s+import\b|sys\.exit|os\._exit)|\b(?:raise|throw)\b|\bpanic!?\("
)
_OPENS = re.compile(r"^\s*(?:async\s+)?(?:def |func |fn |(?:it|test|describe)\b)|#\[\w*test")
_PROVES_NOTHING = {Cause.TIMEOUT: "it times out", Cause.FLAKY: "it fails by chance"}
_ERROR = re.compile(r"^\s*(?:\[?\w*Error\b|error\b|panic:|thread .* panicked)")
_LEAST_WORDS = 12
"""Characters that a message needs at least before a request can be said to quote it."""


@dataclass(frozen=True, kw_only=True)
class Lack:
    """What a test has to fail for."""

    added: Added
    request: str = ""
    """The request, which may name the failure itself."""
    tests: Mapping[str, str] = field(default_factory=dict)
    """Sources of the tests, by path."""
    inline: frozenset[str] = frozenset()
    """Names of tests inside sources that the change adds as a whole, so that they cannot exist without it."""

    def other_reason(self, failure: Failure, outcome: Outcome | None) -> str:
        """Say for which other reason a test fails; empty where it fails for the lack of the change."""
        if failure.cause in _PROVES_NOTHING:
            return f"{_PROVES_NOTHING[failure.cause]}, which proves nothing"
        compiled = failure.cause is Cause.SYNTAX and not failure.test.partition("::")[0].endswith(".py")
        said = f"{failure.message}\n{failure.detail}" if compiled else _said(failure)
        if self.added.named_in(said, loosely=compiled):
            return ""
        prepared = in_setup(failure, outcome)
        absent = failure.cause in (Cause.IMPORT, Cause.ENVIRONMENT)
        right = failure.cause is Cause.ASSERTION or self._asked_for(failure) or self._by_place(failure)
        if self._uses(failure) if compiled else right and not (prepared or absent):
            return ""
        return f"it fails for another reason: {failure.message[:_MOST]}"

    def _asked_for(self, failure: Failure) -> bool:
        """Whether the request names the failure: its type, or what it says."""
        kind = (failure.error or failure.message.partition(":")[0]).rpartition(".")[2].strip()
        named = bool(re.fullmatch(r"\w{4,}", kind)) and re.search(rf"\b{kind}\b", self.request) is not None
        said = failure.message.partition(": ")[2] or failure.message
        return named or (len(said) >= _LEAST_WORDS and said.casefold() in self.request.casefold())

    def _by_place(self, failure: Failure) -> bool:
        """Whether it breaks in code that the change rewrites, or in a test that asks for the change."""
        places = tuple(places_of(failure))
        of_code = [each for each in places if each[0] not in self.tests]
        if any(self.added.holds(*each) for each in of_code):
            return True
        in_test = [each for each in places if each[0] in self.tests]
        return bool(in_test) and self._test_asks(*in_test[-1], alone=not of_code)

    def _uses(self, failure: Failure) -> bool:
        """Whether a test cannot be built in a line that uses what the change adds or rewrites."""
        places = [each for each in places_of(failure) if each[0] in self.tests]
        return any(
            self.added.used_in(_statement(path, self.tests[path].splitlines(), line)) for path, line in places
        )

    def _test_asks(self, path: str, line: int, *, alone: bool) -> bool:
        """Whether a test asks for the change in the line it breaks in, or, `alone`, breaks after using it."""
        lines = self.tests[path].splitlines()
        said = _statement(path, lines, line)
        if not said or _RAISES.search(said):
            return False
        if self.added.passes(said):
            return True
        if not alone:
            return False
        start = line - 1
        while start > 0 and not _OPENS.search(lines[start]):
            start -= 1
        return bool(_ASSERTS.search(said)) or self.added.used_in("\n".join(lines[start:line]))


def _said(failure: Failure) -> str:
    """Return what a failure says of itself: of a stack trace the lines that name an error."""
    if failure.test.partition("::")[0].endswith(".py"):
        return failure.message
    lines = [line for line in failure.detail.splitlines() if _ERROR.search(line)]
    return "\n".join([failure.message, *lines])


def in_setup(failure: Failure, outcome: Outcome | None) -> bool:
    """Whether what prepares a test of Python broke, or what cleans up after it."""
    return outcome is Outcome.ERROR and "::" in failure.test and bool(failure.error)


def _statement(path: str, lines: Sequence[str], line: int) -> str:
    """Return the whole statement that a line belongs to; for other languages than Python the line."""
    if not 0 < line <= len(lines):
        return ""
    if path.endswith(".py"):
        try:
            every = [
                each
                for each in ast.walk(syntax.parse("\n".join(lines).encode()))
                if isinstance(each, ast.stmt)
            ]
        except (SyntaxError, ValueError, RecursionError):
            every = []
        spans = [(each.lineno, each.end_lineno or each.lineno) for each in every if not hasattr(each, "body")]
        if holding := [span for span in spans if span[0] <= line <= span[1]]:
            start, end = min(holding, key=lambda span: span[1] - span[0])
            return "\n".join(lines[start - 1 : end])
    return lines[line - 1]


def places_of(failure: Failure) -> Iterator[tuple[str, int]]:
    """Yield the places of a failure in the project, the outermost first where the runner tells."""
    if failure.frames:
        yield from ((each.file, each.line) for each in failure.frames)
        return
    for found in reversed(list(_PLACE.finditer(failure.detail))):
        yield found["file"].lstrip("/").removeprefix("./"), int(found["line"])
    if failure.file:
        yield failure.file, failure.line
