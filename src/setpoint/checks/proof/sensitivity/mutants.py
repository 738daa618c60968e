"""Which mutants of the changed lines the tests notice, within a bounded time."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.sensitivity.outside_functions import Statement
from setpoint.checks.proof.subject import Subject
from setpoint.model.mutation import Fate, MutantShare, MutationReport
from setpoint.system.git.git import changed_lines

_NOTICED = (Fate.KILLED, Fate.TIMEOUT)
_MOST_S = 30.0
"""Most seconds for the mutants of statements outside functions, on which a verdict rests."""
_MOST_OF_SHARE_S = 10.0
"""Most seconds where only the share of noticed mutants is wanted, which no verdict rests on."""
_LARGE_SUITE_S = 5.0
"""Seconds of a suite above which mutants are tried for statements outside functions alone."""
_LEAST_S = 5.0
_MOST_SURVIVORS, _MOST_SHOWN = 10, 120
"""Mutants that no test notices which are named, and characters of each."""


class Noticed(NamedTuple):
    """What the tests make of the mutants of the changed lines."""

    report: MutationReport | None
    why: str
    """Why there is no report."""

    def of(self, statement: Statement) -> bool | None:
        """Whether a test notices any mutant of a statement; none where none was tried."""
        if self.report is None or self.report.traced < self.report.tests:
            return None
        own = [
            each.verdict
            for each in self.report.mutants
            if each.file == statement.path and statement.line <= each.line <= statement.last
        ]
        tried = [each for each in own if each is not Fate.UNTRIED]
        return any(each in _NOTICED for each in tried) if tried else None

    @property
    def counted(self) -> MutantShare | None:
        """How many mutants tests notice, with some that they do not; none where that was not measured."""
        if self.report is None or self.report.score is None:
            return None
        counts = self.report.counts
        return MutantShare(
            noticed=counts["killed"] + counts["timeout"],
            tried=counts["mutants"] - counts["untried"],
            survivors=tuple(
                f"{each.file}:{each.line} as {' '.join(each.after.split())[:_MOST_SHOWN]}"
                for each in self.report.survivors[:_MOST_SURVIVORS]
            ),
        )

    @property
    def share(self) -> str:
        """How many mutants tests notice, in words; empty where it was not measured."""
        if self.report is None or (counted := self.counted) is None:
            return ""
        untried = self.report.counts["untried"]
        left = f" ({untried} more were not tried in the time)" if untried else ""
        return f"tests notice {counted.noticed} of {counted.tried} mutants of the changed lines{left}"


async def noticed_mutants(subject: Subject, statements: tuple[Statement, ...], seconds: float) -> Noticed:
    """Judge the mutants of the changed lines; of a large suite, those of the statements alone."""
    place = Path(subject.place.copy.path)
    changed = await changed_lines(place, subject.base.commit, subject.place.commit)
    lines = {file: set(wanted) for file, wanted in changed.items() if is_source(file)}
    if not lines:
        return Noticed(None, "no line of Python is changed")
    engine = subject.plan.engine(min(seconds, _MOST_S if statements else _MOST_OF_SHARE_S))
    if isinstance(engine, str):
        return Noticed(None, engine)
    if seconds < _LEAST_S:
        return Noticed(None, "no time was left for mutants")
    if _suite_s(subject) > _LARGE_SUITE_S:
        lines = {}
        for each in statements:
            lines.setdefault(each.path, set()).update(range(each.line, each.last + 1))
        if not lines:
            return Noticed(None, "the suite is large, so mutants were not tried")
    there = await subject.checked_out()
    _, report, why = await engine.judge(Path(there.copy.path), lines)
    return Noticed(report, why)


def _suite_s(subject: Subject) -> float:
    return sum(each.evidence.duration_s for each in subject.base.results if each.evidence.check == "pytest")
