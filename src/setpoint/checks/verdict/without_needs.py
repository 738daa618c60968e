"""Broken code and hidden tests never meet the ignored files and variables that the checks get.

A test that needs these says nothing there. Where such tests are left out, a run that would fail is not
measured instead: nobody can tell whether they would have noticed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from setpoint.checks.verdict.steps import Found
from setpoint.checks.verdict.subject import Subject
from setpoint.checks.verdict.witness import passed_in
from setpoint.model.evidence import CheckResult
from setpoint.model.proof import ObligationState
from setpoint.model.wording import counted


class Bare(NamedTuple):
    """A change without what its tests got beside what git holds."""

    subject: Subject
    needing: str = ""
    """Which tests need it, in words; empty where none does."""

    def judged(self, found: Found) -> Found:
        """Return what a run found, which tests that were left out may explain."""
        if not self.needing:
            return found
        judged = tuple(
            each.model_copy(update={"state": ObligationState.NOT_APPLICABLE, "reason": self.needing})
            if each.state is ObligationState.NOT_MET
            else each
            for each in found.obligations
        )
        return found.model_copy(update={"obligations": judged})


def bare(subject: Subject) -> Subject:
    """Return a change whose tests get nothing beside what git holds."""
    project = subject.task.project
    if not project.needs:
        return subject
    task = replace(subject.task, project=project.bare)
    plan = subject.measuring.plan(task, subject.place.copy.trace_id, subject.scratch)
    return replace(subject, task=task, plan=plan)


async def without_needs(subject: Subject) -> Bare:
    """Return a change with those of its tests alone that pass without what the checks get."""
    needs = subject.task.project.needs
    if not needs:
        return Bare(subject)
    found, passed = bare(subject), passed_in(subject.now.tests)
    ran = passed_in(await found.run_tests(passed, await found.checked_out()))
    lost = passed - ran
    if not lost:
        return Bare(found)
    results = tuple(_without(each, lost) for each in found.now.results)
    found = replace(found, now=found.now.model_copy(update={"results": results}))
    tests = counted(len(lost), "test")
    return Bare(found, f"not measured: {tests} cannot do without {needs.words}, which broken code never gets")


def _without(result: CheckResult, lost: Collection[str]) -> CheckResult:
    if result.tests is None:
        return result
    kept = {test: outcome for test, outcome in result.tests.outcomes.items() if test not in lost}
    return result.model_copy(update={"tests": result.tests.changed(outcomes=kept)})
