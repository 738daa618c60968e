"""Telling a test that the work broke from one that only misses what runs before it in the whole suite.

What a test gives alone says nothing of the work as long as it is not known what it gives alone without the
work: the outcome at the base was noted in the whole suite.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.trees.checkout import nothing_more, put_at
from setpoint.model.evidence import Failure, Outcome, TestReport
from setpoint.model.ids import Commit
from setpoint.ports import Measured

_MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Footing:
    """A commit of which it is known what the whole suite gives, where a selection can run as well."""

    place: Path
    """A folder for the checkout, made where it is missing."""
    repository: Path
    """Where its objects lie."""
    commit: Commit
    known: frozenset[str]
    """Tests that were not red in the whole suite."""
    failures: tuple[Failure, ...] = ()
    """Tests that were."""
    link: Callable[[Path], Awaitable[None]] = nothing_more
    """Brings what the user has installed beside the tree into the checkout."""

    async def there(self, measured: Measured) -> Measured:
        """Check it out."""
        await put_at(self.place, self.repository, self.commit)
        await self.link(self.place)
        return measured._replace(copy=measured.copy._replace(path=str(self.place)))

    def doubtful(self, red: Iterable[str]) -> frozenset[str]:
        """Return those of some failing tests, or files that cannot be collected, that passed here."""
        files = {test.partition("::")[0] for test in self.known}
        return frozenset(test for test in red if test in self.known or test in files)

    def otherwise(self, failures: Iterable[Failure]) -> frozenset[str]:
        """Return tests that failed here, and fail for another reason now."""
        before = {failure.test: said(failure) for failure in self.failures}
        return frozenset(
            each.test for each in failures if each.test in before and before[each.test] != said(each)
        )


def said(failure: Failure) -> tuple[str, str]:
    """Return what makes two failures of one test the same."""
    return failure.error, failure.message


def stood(test: str, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether a test, or a file as a whole, ran and was not red."""
    if "::" in test:
        return test in outcomes and not outcomes[test].red
    return test not in outcomes and any(each.startswith(f"{test}::") for each in outcomes)


def without(report: TestReport, apart: frozenset[str]) -> TestReport:
    """Take tests whose outcome depends on the order out of those that fail."""
    return report.with_outcome(apart, Outcome.ORDER_DEPENDENT)


def reason(report: TestReport) -> str:
    """Say which tests are left to the whole suite; empty for none."""
    named = [test for test, outcome in report.outcomes.items() if outcome is Outcome.ORDER_DEPENDENT]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    told = ", ".join(named[:_MOST_NAMED])
    return f"left to the whole suite, as they fail without it at the base too: {told}{more}" if named else ""
