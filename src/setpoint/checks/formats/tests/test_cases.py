"""Making a test report of the cases that a report lists one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from setpoint.checks.formats.report import Sources
from setpoint.model.evidence import Cause, Failure, Outcome, TestReport

DETAIL = 900
"""Characters kept of the end of what a test printed when it failed."""
_LONGEST = 400


@dataclass(frozen=True, kw_only=True)
class Case:
    """One test as a report tells it."""

    id: str
    outcome: Outcome
    message: str = ""
    text: str = ""
    file: str = ""
    line: int = 0
    cause: Cause | None = None
    """Why it failed, if the report says so; none: by its outcome."""


def report_of(cases: Iterable[Case], sources: Sources, errors: tuple[str, ...] = ()) -> TestReport:
    """Make the report; a number separates tests of one name."""
    seen: Counter[str] = Counter()
    outcomes: dict[str, Outcome] = {}
    failures: list[Failure] = []
    tree = f"{sources.tree}/"
    for case in cases:
        name = case.id.replace(tree, "")
        seen[name] += 1
        test = name if seen[name] == 1 else f"{name} #{seen[name]}"
        while test in outcomes:
            test += "'"
        outcomes[test] = case.outcome
        if case.outcome.red:
            failures.append(_failure(test, case, sources))
    return TestReport(outcomes=outcomes, failures=tuple(failures), collection_errors=errors)


def _failure(test: str, case: Case, sources: Sources) -> Failure:
    tree = f"{sources.tree}/"
    first = next(iter((case.message.strip() or case.text.strip()).splitlines()), "no message")
    return Failure(
        test=test,
        cause=case.cause or (Cause.ASSERTION if case.outcome is Outcome.FAILED else Cause.RUNTIME),
        message=first.replace(tree, "")[:_LONGEST],
        file=sources.relative(case.file) if case.file else "",
        line=max(0, case.line),
        detail=case.text.strip().replace(tree, "")[-DETAIL:],
    )
