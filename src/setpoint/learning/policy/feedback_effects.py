"""What follows from what people say and do about a run (R3, loop 4): for belief, and as a lesson."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from setpoint.learning.policy.lessons import shape
from setpoint.learning.policy.tokenizer import terms
from setpoint.model.changes.diff import added_lines
from setpoint.model.changes.redaction import orders
from setpoint.model.events.people import (
    CommentAdded,
    DeliveryFate,
    DeliveryJudged,
    Feedback,
    FindingDismissed,
    FixApplied,
    FixRewritten,
    HumanEdited,
)
from setpoint.model.ids import TraceId
from setpoint.model.learning import (
    EvidenceKind,
    Hit,
    LearningKind,
    LearningState,
    LearningStatus,
    Proposal,
    Trust,
)

MOST_MOVED = 5
"""Learnings whose belief one decision moves."""
LEAST_DECISIONS = 5
"""Decisions about fixes of a category below which its rate says nothing."""
EVEN_RATE = 0.6
"""The rate of taken fixes that speaks neither for nor against."""
LOOKED_BACK_DAYS = 30
FAST_S = 5.0
SLOW_S = 60.0
MOST_ASKED = 2000
"""Letters of a person's change that memory is searched for."""
_ABOUT = 0.3
"""Share of a learning's subject that a decision must name to move it."""
_OUT = (LearningStatus.RETIRED, LearningStatus.SUPERSEDED)
_DISMISSED = "dismissed:"
"""Begins the subject of what people do not hold for a fault."""
PREFERENCE = "human-preference"
"""The tag of what people said they want."""


def moved(body: Feedback) -> EvidenceKind | None:
    """Say what a decision is to the learnings it is about; none where it is about none."""
    match body:
        case FindingDismissed():
            return EvidenceKind.DISMISSED
        case FixApplied():
            return EvidenceKind.APPLIED if body.kept else None
        case FixRewritten():
            return EvidenceKind.REWRITTEN
        case HumanEdited() | DeliveryJudged(fate=DeliveryFate.EDITED):
            return EvidenceKind.EDITED
        case DeliveryJudged(fate=DeliveryFate.REVERTED):
            return EvidenceKind.REVERTED
        case _:
            return None


def about(body: Feedback, message: str = "") -> str:
    """Put what a decision is about into words that memory is searched for."""
    match body:
        case FindingDismissed():
            return f"{body.category} {body.rule} {body.message} {body.file}"
        case FixApplied() | FixRewritten():
            return f"{body.category} {body.file} {message}"
        case CommentAdded():
            return f"{body.file} {body.text}"
        case HumanEdited():
            return f"{' '.join(body.files)} {' '.join(line.text for line in added_lines(body.diff))}"[
                :MOST_ASKED
            ]
        case _:
            return ""


def concerned(hits: Sequence[Hit], text: str, decided_at: datetime) -> tuple[LearningState, ...]:
    """Return the learnings that a decision is about: in use, known by then, and speaking of the same.

    What people want is none of them: whoever dismisses the same thing again agrees with it.
    """
    asked = set(terms(text))
    found = []
    for hit in hits:
        subject = set(terms(hit.standing.learning.context or hit.standing.learning.title))
        known = hit.standing.learning.made_at <= decided_at
        if (
            known
            and hit.standing.status not in _OUT
            and not wanted(hit.standing.learning)
            and subject
            and len(subject & asked) / len(subject) >= _ABOUT
        ):
            found.append(hit.standing)
    return tuple(found[:MOST_MOVED])


def wanted(learning: Proposal) -> bool:
    """Whether a learning says what people want or do not mind; decisions about findings follow from it."""
    return learning.subject.startswith(_DISMISSED) or PREFERENCE in learning.tags


def learning_from(body: Feedback, scope: str, run: TraceId) -> Proposal | None:
    """Return what a decision teaches, in a person's name; none where it teaches nothing new."""
    match body:
        case FindingDismissed():
            return _dismissed(body, scope, run)
        case FixRewritten() if body.kept:
            return Proposal(
                kind=LearningKind.PROCEDURAL,
                title=f"{body.by} fixes {body.category} in {body.file or 'this project'} differently"[:200],
                body=f"Suggested: {body.suggested[:600]}\nThe person's own:\n{body.written[:1800]}",
                context=f"{body.category} {body.file} fix",
                scope=scope,
                believed=0.8,
                trust=Trust.HUMAN,
                tags=(body.category, PREFERENCE),
                source=f"finding:{body.finding}",
                by=body.by,
                alarms=orders(f"{body.category} {body.file}\n{body.suggested}"),
            )
        case CommentAdded():
            return Proposal(
                kind=LearningKind.SEMANTIC,
                title=f"Reviews miss: {' '.join(body.text.split())}"[:200],
                body=f"{body.by} pointed at {body.file}:{body.line} in {run}; no reviewer had.",
                context=f"review {body.file} {body.text}",
                scope=scope,
                believed=0.7,
                trust=Trust.HUMAN,
                tags=("review", "gap"),
                source=f"comment:{run}:{body.file}:{body.line}",
                by=body.by,
            )
        case HumanEdited():
            return _changed_by_hand(body, scope, run)
        case DeliveryJudged(fate=DeliveryFate.EDITED):
            return Proposal(
                kind=LearningKind.PROCEDURAL,
                title=f"Before merging, people changed {', '.join(body.files[:3])}"[:200],
                body=body.diff[:1800],
                context=" ".join(body.files),
                scope=scope,
                believed=0.65,
                trust=Trust.HUMAN,
                tags=("human-edit",),
                source=f"run:{run}",
                by="git",
                alarms=orders(f"{' '.join(body.files)}\n{body.diff}"),
            )
        case _:
            return None


def _changed_by_hand(body: HumanEdited, scope: str, run: TraceId) -> Proposal:
    title = f"{body.by} changed {', '.join(body.files[:3])} by hand before the work continued"
    return Proposal(
        kind=LearningKind.PROCEDURAL,
        title=title[:200],
        body=body.diff[:1800],
        context=about(body)[:400],
        scope=scope,
        believed=0.8,
        trust=Trust.HUMAN,
        tags=("human-edit", "approval"),
        source=f"gate:{run}:{body.gate}",
        by=body.by,
    )


def _dismissed(body: FindingDismissed, scope: str, run: TraceId) -> Proposal:
    what = f"{body.category}{f' ({body.rule})' if body.rule else ''}: {shape(body.message)}"
    return Proposal(
        kind=LearningKind.SEMANTIC,
        title=f"People do not hold this for a fault here: {what}"[:200],
        body=f"Reason: {body.reason}"[:1800] if body.reason else "",
        context=f"{body.category} {body.rule} {body.message} {body.file}",
        scope=scope,
        subject=f"{_DISMISSED}{body.category}:{body.rule}:{shape(body.message)}",
        believed=0.7,
        trust=Trust.HUMAN,
        tags=(body.category, "dismissed"),
        source=f"finding:{body.finding}@{run}",
        by=body.by,
        alarms=orders(f"{body.category} {body.rule} {body.file}\n{body.message}"),
    )


def weight_of_thought(considered_s: float | None) -> float:
    """Weigh a dismissal by the time it took: at once, it was plainly wrong; after a minute, worth a thought.

    1 up to five seconds or where nobody knows, falling to one half after a minute.
    """
    if considered_s is None or considered_s <= FAST_S:
        return 1.0
    return 1.0 - 0.5 * min(1.0, (considered_s - FAST_S) / (SLOW_S - FAST_S))


def apply_rates(decisions: Iterable[Feedback]) -> dict[str, tuple[int, int]]:
    """Count, by category, the fixes that people took and those they decided on at all."""
    took: Counter[str] = Counter()
    decided: Counter[str] = Counter()
    for body in decisions:
        if isinstance(body, FixApplied | FixRewritten | FindingDismissed):
            decided[body.category] += 1
            took[body.category] += isinstance(body, FixApplied)
    return {category: (took[category], count) for category, count in sorted(decided.items())}


def rate_weight(took: int, decided: int) -> float:
    """Weigh a category's rate of taken fixes as evidence; 0 where too few decisions were made."""
    return round(took / decided - EVEN_RATE, 4) if decided >= LEAST_DECISIONS else 0.0
