"""One report of both versions of the tests: as they were at the base, and as they are now.

| as it was | as it is now | what it is |
|---|---|---|
| passes | any | what it is now |
| fails, and passed at the base | passes, or is gone | contradicted |
| fails | fails or is skipped, or did not run again | a failure |
| fails, and failed at the base | any | a failure: the test that failed there still does |

A file of tests that does not parse at the base can never load as it was: there what it is now counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from setpoint.checks.baseline import family
from setpoint.model.evidence import Cause, Failure, Outcome, TestReport

GREEN = (Outcome.PASSED, Outcome.XPASSED, Outcome.FLAKY, Outcome.ORDER_DEPENDENT)
QUIET = (Outcome.SKIPPED, Outcome.XFAILED, Outcome.DESELECTED)


def above(test: str) -> list[str]:
    """Name what a test is part of: its file or package, and the tests around it, as Go nests them by `/`."""
    file, has, name = test.partition("::")
    parts = name.split("/")
    return [file, *(f"{file}::{'/'.join(parts[:count])}" for count in range(1, len(parts)))] if has else []


@dataclass(frozen=True, kw_only=True)
class Versions:
    """What the tests of one runner gave."""

    base: TestReport
    """At the base."""
    old: TestReport | None
    """On the result, as they were at the base; none where the runner cannot run them so, though it runs them
    as they are now.
    """
    now: TestReport
    """On the result, as they are now."""
    again: Callable[[str], bool] = field(default=lambda _: True)
    """Whether a test or file would have run as it is now, were it still there."""
    edited: Callable[[str], bool] = field(default=lambda _: True)
    """Whether the change touched the file that holds a test."""

    def joined(self) -> TestReport:
        """Put them together."""
        old = self.old or TestReport(outcomes={}, complete=False)
        outcomes = {test: self._outcome(test, outcome) for test, outcome in old.outcomes.items()}
        outcomes |= {test: outcome for test, outcome in self.now.outcomes.items() if test not in outcomes}
        kept = {test: outcome for test, outcome in outcomes.items() if outcome is not None}
        order = {test: kept[test] for test in self.base.outcomes if test in kept}
        return TestReport(
            outcomes={**order, **kept},
            failures=tuple(self._failures(old, kept)),
            collection_errors=tuple(
                dict.fromkeys(
                    each
                    for each in (*old.collection_errors, *self.now.collection_errors)
                    if each.partition(": ")[0] in kept or each in self.now.collection_errors
                )
            ),
            complete=self.now.complete and (self.old is None or old.complete or bool(old.red)),
            loading=self.now.loading or old.loading,
            contradicted=tuple(self._contradicted(old)),
            as_they_were=None if self.old is None else old.outcomes,
        )

    def _outcome(self, test: str, old: Outcome) -> Outcome | None:
        """Return what counts of a test that ran as it was; none where nothing does."""
        now = self._now(test)
        if not self._covered(test) or (old.red and now in QUIET):
            return old
        failed_before = test in self.base.red and test not in self._no_source
        return old if old.red and failed_before else now

    def _now(self, test: str) -> Outcome | None:
        """Return what came of a test as it is now; none where the change removed it.

        One that is not found any more in an untouched file is there, and is left out of the run.
        """
        gone = test not in self.now.outcomes and self._covered(test)
        if gone and not self.edited(test) and family(test) not in self._families:
            return Outcome.DESELECTED
        return self.now.outcomes.get(test)

    @cached_property
    def _families(self) -> frozenset[str]:
        """Name the functions and the files of which a test ran."""
        return frozenset(
            each for test in self.now.outcomes for each in (family(test), test.partition("::")[0])
        )

    def _covered(self, test: str) -> bool:
        """Whether the run of the tests as they are now says what became of a test."""
        if test in self.now.outcomes:
            return True
        broken = not self.now.red.isdisjoint(above(test))
        return self.now.complete and self.again(test) and not broken

    @cached_property
    def _no_source(self) -> frozenset[str]:
        """Name the files of tests that do not parse at the base."""
        causes = {each.test: each.cause for each in self.base.failures if not above(each.test)}
        return frozenset(test for test, cause in causes.items() if cause is Cause.SYNTAX)

    def _contradicted(self, old: TestReport) -> Iterable[str]:
        """Name the tests whose outcome as it was is not the one that counts."""
        for test, stood in self.base.outcomes.items():
            now = self._now(test)
            if not self._covered(test) or not (now is None or now in GREEN):
                continue
            was = old.outcomes.get(test)
            red = was.red if was is not None else self._not_loaded(test, old)
            if red and (stood in GREEN or test in self._no_source):
                yield test

    def _not_loaded(self, test: str, old: TestReport) -> bool:
        """Whether a test did not run as it was because what it is part of is broken."""
        return not old.complete or not old.red.isdisjoint(above(test))

    def _failures(self, old: TestReport, kept: dict[str, Outcome]) -> Iterable[Failure]:
        """Return why each failing test fails: as it is now, or else as it was."""
        now = {each.test: each for each in self.now.failures}
        before = {each.test: each for each in old.failures}
        for test in (each for each, outcome in kept.items() if outcome.red):
            if test in now:
                yield now[test]
            elif test in before:
                yield _as_it_was(before[test]) if self._covered(test) else before[test]


def _as_it_was(failure: Failure) -> Failure:
    """Return the failure of a test that the change edits or removes, with the version of it that failed."""
    return failure.model_copy(update={"message": f"as it was at the base: {failure.message}"})
