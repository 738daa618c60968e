"""Flaky tests: how often a failing test runs again, when it counts as flaky, what that does to the evidence.

One rule for all runners: a failing test runs again, alone with the others that fail, in a new process. If it
passes then, it is flaky: it is reported and does not count.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

from setpoint.model.evidence import Cause, CheckState, Failure, Outcome, TestReport
from setpoint.model.flaky import PutBy, Quarantined, covering

MOST_RERUN = 20
"""If more tests fail than this, they are broken, not flaky: none runs again."""
MORE_TRIES = 2
"""Additional tries for a test that was flaky at the base too."""
STEADY = 3
"""Runs in which a test must pass at the base before a failure counts in spite of Setpoint's quarantine."""

Selection = tuple[str, ...] | None
"""Identifiers of tests, or of files and packages that did not load; none means the whole suite."""
RunAgain = Callable[[tuple[str, ...]], Awaitable[Mapping[str, Outcome] | None]]
"""Runs a selection of tests in a new process; returns their outcomes, or none if the runner broke."""


@dataclass(frozen=True, kw_only=True)
class FlakyRule:
    """How often the failing tests of a suite run again."""

    reruns: int = 0
    settled: frozenset[str] = frozenset()
    """Tests that failed at the base, which do not run again."""
    shaky: frozenset[str] = frozenset()
    """Tests that were flaky at the base: they get `MORE_TRIES` more tries before a failure counts."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Return everything in the rule that decides an outcome."""
        return (str(self.reruns), "settled", *sorted(self.settled), "shaky", *sorted(self.shaky))

    async def apply(
        self, report: TestReport, only: Selection, run_again: RunAgain, skip: Collection[str] = ()
    ) -> tuple[TestReport, Selection]:
        """Run what failed in `only` again, and mark as flaky what passes then.

        Args:
            report: What the first run reported.
            only: The selection of the first run.
            run_again: Runs a selection in a new process.
            skip: Failures that do not run again, such as files that cannot be collected.

        Returns:
            The report, and the selection in which the remaining tests failed the last time.

        """
        last = only
        for tried in range(self.reruns + MORE_TRIES if self.reruns else 0):
            again = self._again(report, tried, skip)
            if not again or len(again) > MOST_RERUN:
                break
            outcomes = await run_again(again)
            if outcomes is None:
                break
            passed = {test for test in again if outcomes.get(test) is Outcome.PASSED}
            report = report.with_outcome(passed, Outcome.FLAKY)
            last = again if tried < self.reruns else last
        return report, last

    def _again(self, report: TestReport, tried: int, skip: Collection[str]) -> tuple[str, ...]:
        return tuple(
            test
            for test, outcome in report.outcomes.items()
            if outcome.red and test not in self.settled and test not in skip
            if tried < self.reruns or test in self.shaky
        )


def state_of(report: TestReport, *, failing: bool | None = None) -> CheckState:
    """Return the state of a completed run from its outcomes; `failing` says whether a failure counts."""
    if report.red if failing is None else failing:
        return CheckState.FAIL
    return CheckState.FLAKY if Outcome.FLAKY in report.outcomes.values() else CheckState.PASS


def flaky_tests(report: TestReport) -> tuple[str, ...]:
    """Return the tests that failed and then passed alone."""
    return tuple(test for test, outcome in report.outcomes.items() if outcome is Outcome.FLAKY)


def still_flaky(now: TestReport, wanted: Mapping[str, Failure]) -> list[Failure]:
    """Return the tests that the work had to repair and that pass only when they run again: not repaired."""
    return [
        failure.model_copy(
            update={
                "message": f"it failed and then passed alone; at base: {failure.message}",
                "cause": Cause.FLAKY,
            }
        )
        for test, failure in wanted.items()
        if now.outcomes.get(test) is Outcome.FLAKY
    ]


def doubtful(failures: tuple[Failure, ...], quarantine: tuple[Quarantined, ...]) -> tuple[str, ...]:
    """Return the failing Python tests that Setpoint itself put into quarantine; a person's entry is final."""
    own = tuple(entry for entry in quarantine if entry.by is PutBy.SETPOINT)
    python = (failure.test for failure in failures if failure.test.partition("::")[0].endswith(".py"))
    return tuple(test for test in python if covering(own, test))[:MOST_RERUN]


async def steadily_green(tests: tuple[str, ...], run_at_base: RunAgain) -> frozenset[str]:
    """Return the tests that pass at the base each of `STEADY` times, run alone: the work broke these."""
    left = tests
    for _ in range(STEADY):
        if not left:
            break
        outcomes = await run_at_base(left) or {}
        left = tuple(test for test in left if outcomes.get(test) is Outcome.PASSED)
    return frozenset(left)
