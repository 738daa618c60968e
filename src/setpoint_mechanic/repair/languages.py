"""Which failing tests the mechanic can search with: those of Python, Go, JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.attempt import Breakage, BreakageKind
from setpoint.model.evidence import Failure


def of_python(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Return the failing tests that a search can run in the project's interpreter."""
    tests = (failure.test for failure in failures)
    return tuple(test for test in tests if test.partition("::")[0].endswith(".py"))


def not_mine(failures: Sequence[Failure]) -> Breakage:
    """Say why nothing is searched, and what to do: another agent can go on at once."""
    first = failures[0]
    unbuilt = " does not build, and it repairs tests that fail" if first.unbuilt else " is none of these"
    message = (
        "the mechanic searches for repairs of tests of Python, of `go test`, and of vitest, jest, mocha and "
        f"`node --test`; {first.test}{unbuilt}; "
        "hint: choose another agent with --agent (`setpoint agents` lists them)"
    )
    return Breakage(kind=BreakageKind.MISSING, message=message)
