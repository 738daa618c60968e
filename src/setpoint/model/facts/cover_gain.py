"""What rounds that write tests gain: code that tests reach, and mutants that they notice."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.model.cover_quality import SOURCE
from setpoint.model.evaluation import Evaluation
from setpoint.model.finding import Finding

_WRONG = frozenset({"only-tests", "failing"})
"""Rules of findings that say more than that tests do not reach enough."""


class Strength(NamedTuple):
    """How strong the tests of named files are; shares are counted in tenths of a percent."""

    coverage: int
    mutation: int | None
    """None where it was not measured, as at the base."""
    tests: int

    @property
    def order(self) -> tuple[int, int, int]:
        """A key that sorts stronger tests last; of equally strong ones the fewer count as stronger."""
        return (self.coverage, self.mutation or 0, -self.tests)


def strength_of_tests(evaluation: Evaluation) -> Strength | None:
    """Return how strong the tests are; none where that was not measured."""
    evidence = evaluation.evidence_of(SOURCE)
    if evidence is None or not evidence.counts.get("files"):
        return None
    counts = evidence.counts
    return Strength(
        counts.get("coverage_per_mille", 0), counts.get("mutation_per_mille"), counts.get("tests", 0)
    )


def gains(now: Evaluation, before: Evaluation) -> bool:
    """Whether tests are stronger than before: they reach more, or as much and notice more.

    Where nobody measured what they notice, more tests count as stronger.
    """
    here, there = strength_of_tests(now), strength_of_tests(before)
    if here is None or there is None:
        return False
    if here.coverage != there.coverage:
        return here.coverage > there.coverage
    if here.mutation is not None and there.mutation is not None:
        return here.mutation > there.mutation
    return here.tests > there.tests


def hindering(evaluation: Evaluation) -> tuple[Finding, ...]:
    """Return findings that block delivery: all that block, but not that tests reach too little as yet."""
    return tuple(each for each in evaluation.blocking if not is_about_reach(each))


def is_about_reach(finding: Finding) -> bool:
    """Whether a finding says no more than that tests reach or notice too little."""
    return finding.source == SOURCE and finding.rule not in _WRONG
