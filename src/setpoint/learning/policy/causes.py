"""Which change cleared which failure: only where both went together between two measured trees.

One place changed: it cleared what is gone. Several: each is removed alone, and what fails again is its.
A finding is cleared by the change of the lines it points at. Nothing else is anybody's merit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from setpoint.learning.policy.changes import Change, changes_of
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import FORMATTERS, CheckState, Failure
from setpoint.model.facts.rounds import blocking, failures, signature
from setpoint.model.finding import Category, Finding, normalised
from setpoint.model.ids import Commit
from setpoint.model.run import Round
from setpoint.model.verdict import Judgement

MOST_TAKEN_OUT = 5
"""Places that are removed from one tree, one by one."""
_UNREAD = frozenset({"proof", "parse", "integrity", *FORMATTERS})
"""Sources whose findings teach nothing of the project."""
Place = tuple[str, str]
Without = Mapping[tuple[int, Place], frozenset[str] | None]
"""Tests that fail without a round's change of a place; none where that could not be found out."""


class Step(NamedTuple):
    """From one measured tree to the next."""

    round: Round
    before: Evaluation
    found: tuple[Finding, ...]
    """What blocked the tree before."""
    changes: tuple[Change, ...]

    @property
    def working(self) -> tuple[Change, ...]:
        """Changes of what runs."""
        return tuple(each for each in self.changes if each.works)

    @property
    def cleared(self) -> tuple[Failure, ...]:
        """Tests that failed before and pass now."""
        after = self.round.latest
        named = (*after.flaky, *after.known_red, *after.ours, *after.unstable, *after.contradicted)
        doubtful = {*named, *self.before.flaky, *(each.test for each in after.failures)}
        ran = bool(after.test_counts)
        return tuple(each for each in self.before.failures if ran and each.test not in doubtful)


class Cause(NamedTuple):
    """What was wrong, and the changes without which it is: one, or those that it needs together."""

    wrong: Failure | Finding
    changes: tuple[Change, ...]
    number: int
    """Of the round that cleared it."""


def steps_of(
    base: tuple[Commit, Evaluation], rounds: Sequence[Round], diff: Callable[[Round], str]
) -> tuple[Step, ...]:
    """Return the steps of a run whose both ends were measured."""
    known = {base[0]: (base[1], base[1].blocking)}
    found = []
    for each in rounds:
        if each.snapshot.parent in known:
            found.append(Step(each, *known[each.snapshot.parent], changes_of(diff(each))))
        known[each.snapshot.commit] = (each.latest, blocking(each))
    return tuple(found)


def to_take_out(steps: Sequence[Step]) -> dict[int, tuple[Change, ...]]:
    """Name the changes to remove from the last tree, one by one, by the round of the change."""
    if not steps or not (gone := _gone(steps)):
        return {}
    wanted = {
        step.round.number: step.working
        for step in steps
        if (len(step.working) > 1 and step.cleared) or _stayed(steps, step, gone)
    }
    return wanted if sum(map(len, wanted.values())) <= MOST_TAKEN_OUT else {}


def causes(steps: Sequence[Step], without: Without) -> tuple[Cause, ...]:
    """Return what was cleared in a run, each with the changes that did it, where that is known."""
    found: list[Cause] = []
    for step, failure in _gone(steps):
        needed = tuple(
            change
            for each in steps
            for change in each.working
            if (each is step and len(step.working) == 1)
            or failure.test in (without.get((each.round.number, (change.file, change.symbol))) or ())
        )
        if needed and not all(change.adds for change in needed):
            found.append(Cause(failure, needed, step.round.number))
    for place, step in enumerate(steps):
        found += _of_findings(step, steps[place + 1 :])
    return tuple(found)


def _gone(steps: Sequence[Step]) -> list[tuple[Step, Failure]]:
    """Pair each failure with the step that cleared it for good."""
    red = {each.test for each in failures(steps[-1].round)} if steps else set()
    last = {failure.test: (step, failure) for step in steps for failure in step.cleared}
    return [pair for test, pair in last.items() if test not in red]


def _stayed(steps: Sequence[Step], step: Step, gone: Sequence[tuple[Step, Failure]]) -> bool:
    """Whether a step changed how a test fails that a later one cleared: it may need both."""
    after = {each.test: signature(each) for each in failures(step.round)}
    before = {each.test: signature(each) for each in step.before.failures}
    return any(
        failure.test in after.keys() & before.keys() and after[failure.test] != before[failure.test]
        for later, failure in gone
        if steps.index(later) > steps.index(step)
    )


def _of_findings(step: Step, later: Sequence[Step]) -> Iterator[Cause]:
    still = {_same(each) for each in blocking(step.round)}
    again = {_same(each) for each in (*(f for s in later for f in s.found), *_last(later))}
    for finding in step.found:
        looked = _looked(finding, step.round)
        seen = looked or (_opinion(finding) and any(_looked(finding, each.round) for each in later))
        if _same(finding) in still | again or not _tells(finding) or not seen:
            continue
        there = [each for each in step.changes if each.file == finding.file]
        at = [each for each in there if finding.line in each.at] or [
            each for each in there if finding.line and each.near(finding.line)
        ]
        one = (at if len(at) == 1 else there) if looked else []  # what came later may have cleared it
        if len(one) == 1 or (_opinion(finding) and (there or not finding.file)):
            yield Cause(finding, tuple(one) if len(one) == 1 else (), step.round.number)


def _last(steps: Sequence[Step]) -> tuple[Finding, ...]:
    return blocking(steps[-1].round) if steps else ()


def _same(finding: Finding) -> tuple[str, str, str]:
    return finding.source, finding.rule or normalised(finding.message), finding.file


def _tells(finding: Finding) -> bool:
    """Whether a finding says something of the project: not of a rule whose fix is safe, nor of the exam."""
    safe = finding.fix is not None and finding.fix.safe
    return not (
        safe or finding.source in _UNREAD or finding.category in (Category.INTEGRITY, Category.COVERAGE)
    )


def _opinion(finding: Finding) -> bool:
    return finding.source.startswith("review")


def _looked(finding: Finding, now: Round) -> bool:
    """Whether its source looked at the tree in which it is no longer."""
    if _opinion(finding):
        return now.verdict is not None and now.verdict.judgement is not Judgement.FAILED
    seen = now.latest.evidence_of(finding.source) or now.evaluation.evidence_of(finding.source)
    return seen is not None and seen.state in (CheckState.PASS, CheckState.FAIL)
