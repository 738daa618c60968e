"""Telling a test that fails by chance from one that the work broke, where quarantine would excuse both."""

from __future__ import annotations

from dataclasses import replace

from setpoint.domain.evidence import Failure, Outcome
from setpoint.domain.quarantine import PutBy, Quarantined, covering
from setpoint.evaluators.suites.python import MOST_RERUN, Runner, run_once
from setpoint.ports import Measured

TIMES = 3
"""Runs in which a test must be green at the base, as it was red in as many on the tree."""


def doubtful(failures: tuple[Failure, ...], quarantine: tuple[Quarantined, ...]) -> tuple[str, ...]:
    """Name the failures that Setpoint's own quarantine would excuse; a person's word is not doubted."""
    own = tuple(entry for entry in quarantine if entry.by is PutBy.SETPOINT)
    python = (failure.test for failure in failures if failure.test.partition("::")[0].endswith(".py"))
    found = tuple(test for test in python if covering(own, test))
    return found[:MOST_RERUN]


async def steadily_green(runner: Runner, base: Measured, tests: tuple[str, ...]) -> frozenset[str]:
    """Give those of some tests that pass at the base each time, run alone; `base` is checked out there."""
    left = tests
    for _ in range(TIMES):
        if not left:
            break
        _, suite, broken = await run_once(replace(runner, cover=None), base, left)
        left = tuple(test for test in left if not broken and suite.outcomes.get(test) is Outcome.PASSED)
    return frozenset(left)
