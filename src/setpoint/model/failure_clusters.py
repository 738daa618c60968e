"""Which failures have the same cause, and which of all that is wrong is told first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from setpoint.model.evidence import NOT_RUN, Cause, Failure
from setpoint.model.finding import Category, Finding, Nearness, normalised

WORST_FIRST = (
    Cause.SYNTAX,
    Cause.IMPORT,
    Cause.CRASH,
    Cause.TIMEOUT,
    Cause.RUNTIME,
    Cause.ASSERTION,
    Cause.FLAKY,
    Cause.ENVIRONMENT,
)
"""What hides most comes first; what the work can do least about comes last."""
_URGENCY = {
    category: place
    for place, category in enumerate(
        (
            Category.INTEGRITY,
            Category.SECURITY,
            Category.CORRECTNESS,
            Category.REQUIREMENTS,
            Category.MISUNDERSTANDING,
            Category.MISSING_INFORMATION,
            Category.TESTS,
            Category.TYPES,
            Category.ARCHITECTURE,
            Category.DESIGN,
            Category.APPROACH,
            Category.SCOPE,
            Category.PERFORMANCE,
            Category.COVERAGE,
            Category.DOCUMENTATION,
            Category.STYLE,
        )
    )
}
"""What a finding is about, most urgent first: equally bad findings are not told by line."""
_BY_MESSAGE = (Cause.SYNTAX, Cause.IMPORT, Cause.ENVIRONMENT)
_READ = 400
"""Characters of a message that tell it from another."""
_NUMBER = re.compile(r"\d+")


class Cluster(NamedTuple):
    """Failures with the same cause, the one that tells most first."""

    failures: tuple[Failure, ...]

    @property
    def first(self) -> Failure:
        """The one that stands for all."""
        return self.failures[0]

    @property
    def more(self) -> int:
        """How many others there are."""
        return len(self.failures) - 1


def clustered(failures: Sequence[Failure]) -> tuple[Cluster, ...]:
    """Put failures with the same cause together, new and worst causes first, near the changes first.

    A test that failed only because a part of it did shares the cause of that part.
    """
    found: dict[tuple[str, ...], list[Failure]] = {}
    for failure in failures:
        found.setdefault(_cause(failed_part(failure, failures) or failure), []).append(failure)
    clusters = [Cluster(tuple(sorted(same, key=_tells_most))) for same in found.values()]
    return tuple(sorted(clusters, key=_weight))


def failed_part(failure: Failure, failures: Sequence[Failure]) -> Failure | None:
    """Return the part (`TestX/sub`) that made a test fail that says nothing itself; none for other tests."""
    if failure.file:
        return None
    parts = (each for each in failures if each.test.startswith(f"{failure.test}/"))
    return next((each for each in parts if failed_part(each, failures) is None), None)


def by_importance(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Order findings: those that block, those on changed lines, the worst, then by what they are about."""
    return tuple(
        sorted(
            findings,
            key=lambda f: (
                not f.blocking,
                _distance(f.nearness),
                -f.severity.rank,
                _URGENCY.get(f.category, len(_URGENCY)),
                f.file,
                f.line,
                f.message,
            ),
        )
    )


def _cause(failure: Failure) -> tuple[str, ...]:
    """Name the cause: type and place of the exception, its message where the place says too little.

    A test that breaks by itself shares its cause with others by message; an assertion in a test is its own
    cause, but for the test's other parameters.
    """
    kind = failure.error or str(failure.cause)
    said = _NUMBER.sub("0", normalised(failure.message[:_READ]))
    in_test = failure.file in ("", failure.test.partition("::")[0])
    if failure.cause in _BY_MESSAGE or not failure.line:
        return (failure.cause, said)
    if in_test and failure.cause is not Cause.ASSERTION:
        return (kind, said)
    return (kind, failure.file, str(failure.line))


def _distance(nearness: Nearness | None) -> int:
    return Nearness.NONE.rank if nearness is None else nearness.rank


def _tells_most(failure: Failure) -> tuple[bool, bool, int, bool]:
    return (not failure.new, not failure.code, _distance(failure.nearness), not failure.file)


def _weight(cluster: Cluster) -> tuple[bool, bool, int, int, int]:
    """Weigh a cause; tests that something else kept from running come after all causes."""
    first = cluster.first
    consequence, place = first.message.startswith(NOT_RUN), WORST_FIRST.index(first.cause)
    return (consequence, not first.new, place, _distance(first.nearness), -len(cluster.failures))
