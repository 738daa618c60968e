"""Which reviewed trees were right and which wrong, by what happened afterwards; never by a reviewer alone.

Wrong is a tree that failed a later measurement, that a person edited, changed before merging or reverted, or
in which the maker fixed what a finding names, if the run ended with work that counts. Right is a tree that
was verified on a witness that the maker did not write, or that a person merged as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from setpoint.history.replay import History, history
from setpoint.model.ending import Ending
from setpoint.model.events import Event
from setpoint.model.events.people import (
    DeliveryFate,
    DeliveryJudged,
    FindingDismissed,
    FixApplied,
    FixRewritten,
    HumanEdited,
)
from setpoint.model.events.run import AgentFinished, PhaseEntered, ReviewAnswered
from setpoint.model.exam import Examiner
from setpoint.model.finding import Finding
from setpoint.model.ids import TraceId
from setpoint.model.run import Round
from setpoint.model.value import Value

_BY_OTHERS = (Examiner.HIDDEN_TESTS, Examiner.FAILING_TESTS, Examiner.COMMAND)
"""Authors of a witness that neither the maker nor a reviewer wrote."""
_COUNTS = (Ending.VERIFIED, Ending.ACCEPTED)


class Truth(StrEnum):
    """What is known of a reviewed tree."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


class ReviewedTree(Value):
    """A tree that reviewers of one kind judged, and what is known of it now."""

    trace_id: TraceId
    iteration: int
    kind: str
    """Kind of the review, for example `security`."""
    phase: str
    """Name of the phase that reviewed it."""
    seq: int
    """Number of the run's events before it was reviewed."""
    truth: Truth
    why: str = ""
    """What shows it; empty where nothing is known."""
    files: tuple[str, ...] = ()
    """Where a wrong tree was wrong; empty where that is not known."""
    dismissed: frozenset[str] = frozenset()
    """Findings that a person dismissed, by fingerprint."""

    def judged(self, finding: Finding) -> Truth:
        """Return whether a blocking finding on this tree is right, as far as that is known."""
        if self.truth is Truth.RIGHT or finding.fingerprint in self.dismissed:
            return Truth.WRONG
        if self.truth is Truth.WRONG and (not self.files or finding.file in self.files):
            return Truth.RIGHT
        return Truth.UNKNOWN


def reviewed_trees(events: Sequence[Event]) -> tuple[ReviewedTree, ...]:
    """Return every tree of a run that was reviewed, once for each kind of review, in order."""
    told = history(events)
    rounds = {each.number: each for each in told.rounds}
    dismissed = frozenset(each.finding for each in told.feedback if isinstance(each, FindingDismissed))
    entered: dict[tuple[str, int], int] = {}
    found: dict[tuple[int, str], ReviewedTree] = {}
    phase, iteration = "", 0
    for place, event in enumerate(events):
        if isinstance(event.body, PhaseEntered):
            phase, iteration = event.body.phase, event.body.iteration
            entered.setdefault((phase, iteration), place)
        if not isinstance(event.body, ReviewAnswered) or event.body.iteration not in rounds:
            continue
        answer = event.body
        if (answer.iteration, answer.review) in found or answer.iteration != iteration:
            continue
        truth, why, files = _truth(told, events, rounds[answer.iteration], answer.review)
        found[answer.iteration, answer.review] = ReviewedTree(
            trace_id=told.trace_id,
            iteration=answer.iteration,
            kind=answer.review,
            phase=phase,
            seq=entered[phase, iteration],
            truth=truth,
            why=why,
            files=files,
            dismissed=dismissed,
        )
    return tuple(found.values())


def _truth(
    told: History, events: Sequence[Event], past: Round, kind: str
) -> tuple[Truth, str, tuple[str, ...]]:
    wrong = [*_by_measuring(told, past), *_by_people(told, events, past), *_by_the_maker(told, past, kind)]
    if wrong:
        files = [files for _, files in wrong]
        named = () if not all(files) else tuple(dict.fromkeys(file for each in files for file in each))
        return Truth.WRONG, "; ".join(why for why, _ in wrong), named
    why = _right(told, past)
    return (Truth.RIGHT, why, ()) if why else (Truth.UNKNOWN, "", ())


_Wrong = list[tuple[str, tuple[str, ...]]]


def _later_files(told: History, past: Round) -> tuple[str, ...]:
    later = (each.snapshot.files for each in told.rounds if each.number > past.number)
    return tuple(dict.fromkeys(file for files in later for file in files))


def _by_measuring(told: History, past: Round) -> _Wrong:
    failed = [each for each in (past.tests, past.confirmation) if each is not None and each.failures]
    if not failed:
        return []
    return [(f"{failed[0].failures[0].test} failed on it", _later_files(told, past))]


def _by_people(told: History, events: Sequence[Event], past: Round) -> _Wrong:
    found: _Wrong = []
    number = 0
    for event in events:
        if isinstance(event.body, AgentFinished):
            number = event.body.iteration
        elif isinstance(event.body, HumanEdited) and number == past.number:
            found.append((f"{event.body.by} edited it", event.body.files))
    if _is_delivered(told, past):
        for each in told.feedback:
            if isinstance(each, DeliveryJudged) and each.fate is DeliveryFate.REVERTED:
                found.append(("it was reverted", ()))
            elif isinstance(each, DeliveryJudged) and each.fate is DeliveryFate.EDITED:
                found.append(("it was changed before it was merged", each.files))
    return found


def _by_the_maker(told: History, past: Round, kind: str) -> _Wrong:
    """Return the findings of this kind of review that were fixed, or for which a person took a fix."""
    dismissed = {each.finding for each in told.feedback if isinstance(each, FindingDismissed)}
    fixed = {
        each.finding for each in told.feedback if isinstance(each, FixApplied | FixRewritten) and each.kept
    }
    answers = [each for each in told.answers if each.review == kind]
    withdrawn = {each.fingerprint for one in answers for each in one.verdict.settled if each.withdrawn}
    ended_well = told.outcome is not None and told.outcome.ending in _COUNTS
    later = _later_files(told, past) if ended_well else ()
    found: _Wrong = []
    for answer in answers:
        for finding in answer.verdict.blocking if answer.iteration == past.number else ():
            if finding.fingerprint in dismissed | withdrawn:
                continue
            if finding.fingerprint in fixed:
                found.append((f"a person fixed: {finding.message}", (finding.file,) if finding.file else ()))
            elif finding.file in later or (later and not finding.file):
                files = (finding.file,) if finding.file else later
                found.append((f"the maker fixed: {finding.message}", files))
    return found


def _is_delivered(told: History, past: Round) -> bool:
    return told.outcome is not None and told.outcome.best == past.snapshot.commit


def _right(told: History, past: Round) -> str:
    """Say what shows that a tree was right; empty where nothing does."""
    if told.outcome is None or told.outcome.ending not in _COUNTS or not _is_delivered(told, past):
        return ""
    merged = (each for each in told.feedback if isinstance(each, DeliveryJudged))
    if any(each.fate is DeliveryFate.MERGED for each in merged):
        return "it was merged as it was"
    by = [each for each in told.outcome.by if each.examiner in _BY_OTHERS]
    proved = told.outcome.ending is Ending.VERIFIED and by
    return f"it was verified by {by[0].words}" if proved else ""
