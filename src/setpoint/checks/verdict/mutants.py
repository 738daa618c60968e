"""Which mutants of changed lines tests notice; they are listed, and decide about plain values alone."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.languages.language import Statement
from setpoint.checks.mutation.check import is_source
from setpoint.checks.verdict.broken_code import suite_s
from setpoint.checks.verdict.subject import Subject, listed
from setpoint.model.mutation import Fate, MutantShare, MutationReport
from setpoint.system.git.git import changed_lines

_NOTICED = (Fate.KILLED, Fate.TIMEOUT)
_MOST_S, _LEAST_S = 30.0, 3.0
_LARGE_SUITE_S = 5.0
"""Seconds of a suite above which mutants are tried only where the verdict rests on them."""
_MOST_SURVIVORS, _MOST_SHOWN = 10, 120
"""Mutants that no test notices which are named, and characters of each."""


class Noticed(NamedTuple):
    """What the tests make of the mutants of the changed lines."""

    report: MutationReport | None
    why: str = ""
    """Why there is no report."""

    def of(self, statement: Statement) -> bool | None:
        """Whether a test notices any mutant of a statement; none where not all of them were tried."""
        if self.report is None or self.report.traced < self.report.tests:
            return None
        own = [
            each.verdict
            for each in self.report.mutants
            if each.file == statement.path and statement.line <= each.line <= statement.last
        ]
        if any(each in _NOTICED for each in own):
            return True
        return False if own and Fate.UNTRIED not in own else None

    def none_of(self, statements: Collection[Statement]) -> bool:
        """Whether mutants of statements were judged, and no test notices a single one."""
        told = [self.of(each) for each in statements]
        return False in told and True not in told

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
        """How many mutants tests notice, in words, with some that they do not; empty where not measured."""
        if self.report is None or (counted := self.counted) is None:
            return ""
        untried = self.report.counts["untried"]
        left = f" ({untried} more were not tried in the time)" if untried else ""
        alive = f", not {listed(counted.survivors)}" if counted.survivors else ""
        return f"tests notice {counted.noticed} of {counted.tried} mutants of the changed lines{left}{alive}"


async def noticed_mutants(subject: Subject, statements: tuple[Statement, ...], seconds: float) -> Noticed:
    """Judge mutants of some statements, on which a verdict rests; without them, of all changed lines."""
    place = Path(subject.place.copy.path)
    changed = await changed_lines(place, subject.base.commit, subject.place.commit)
    lines = {file: set(wanted) for file, wanted in changed.items() if is_source(file)}
    if statements:
        lines = {}
        for each in filter(lambda one: is_source(one.path), statements):
            lines.setdefault(each.path, set()).update(range(each.line, each.last + 1))
    if not lines:
        return Noticed(None, "mutants of no changed line can be made")
    if seconds < _LEAST_S:
        return Noticed(None, "no time was left for mutants")
    if not statements and suite_s(subject) > _LARGE_SUITE_S:
        return Noticed(None, "the suite is large, so mutants were not tried")
    engine = subject.plan.engine(min(seconds, _MOST_S))
    if isinstance(engine, str):
        return Noticed(None, engine)
    there = await subject.checked_out()
    _, report, why = await engine.judge(Path(there.copy.path), lines)
    return Noticed(report, why)
