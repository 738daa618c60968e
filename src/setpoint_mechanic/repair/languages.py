"""Which failing tests the mechanic can search with: those of Python."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.attempt import Breakage, BreakageKind
from setpoint.model.evidence import Failure


def of_python(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Return the failing tests that a search can run."""
    tests = (failure.test for failure in failures)
    return tuple(test for test in tests if test.partition("::")[0].endswith(".py"))


def not_mine(failures: Sequence[Failure]) -> Breakage:
    """Say why nothing is searched, and what to do: another agent can go on at once."""
    first = failures[0].test
    message = (
        "the mechanic searches for repairs of Python tests alone, and no failing test is one (first "
        f"{first}); hint: choose another agent with --agent (`setpoint agents` lists them)"
    )
    return Breakage(kind=BreakageKind.MISSING, message=message)
