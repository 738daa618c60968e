"""What follows from what people say and do about a run (R3, loop 4): for belief, and as a lesson."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

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
from setpoint.model.finding import Finding
from setpoint.model.ids import TraceId
from setpoint.model.learning import (
    ON_APPROVAL,
    EvidenceKind,
    Hint,
    LearningKind,
    LearningState,
    LearningStatus,
    Proposal,
    Trust,
)

FAST_S = 5.0
SLOW_S = 60.0
_OUT = (LearningStatus.RETIRED, LearningStatus.SUPERSEDED)
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
        case DeliveryJudged(fate=DeliveryFate.EDITED):
            return EvidenceKind.EDITED
        case DeliveryJudged(fate=DeliveryFate.REVERTED):
            return EvidenceKind.REVERTED
        case _:
            return None


def concerned(
    known: Iterable[LearningState], what: Finding, named: str, decided_at: datetime
) -> tuple[LearningState, ...]:
    """Return the learnings that a decision about a finding is about: those that cite it, or its rule there.

    A learning about the same rule in other files is none of them, nor is what people want.
    """
    return tuple(
        each
        for each in known
        if each.learning.made_at <= decided_at
        and each.status not in _OUT
        and each.learning.trust is not Trust.HUMAN
        and (named in each.learning.source or _cites(each.learning.hint, what))
    )


def _cites(hint: Hint, what: Finding) -> bool:
    there = not hint.files or what.file in hint.files
    return there and bool(({what.rule, what.fingerprint} - {""}) & set(hint.rules))


def learning_from(body: Feedback, scope: str, run: TraceId) -> Proposal | None:
    """Return what a decision teaches, in a person's name; none where it teaches nothing new."""
    match body:
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
        case CommentAdded() if not body.text.rstrip().endswith("?"):
            return Proposal(
                kind=LearningKind.SEMANTIC,
                title=" ".join(body.text.split())[:200],
                body=f"{body.by} said so of {body.file}:{body.line} in {run}.",
                context=f"{body.file} {body.text}",
                scope=scope,
                believed=0.7,
                trust=Trust.HUMAN,
                tags=("review", ON_APPROVAL),
                hint=Hint(files=(body.file,)),
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
        context=f"{' '.join(body.files)} {' '.join(line.text for line in added_lines(body.diff))}"[:400],
        scope=scope,
        believed=0.8,
        trust=Trust.HUMAN,
        tags=("human-edit", "approval"),
        source=f"gate:{run}:{body.gate}",
        by=body.by,
    )


def weight_of_thought(considered_s: float | None) -> float:
    """Weigh a dismissal by the time it took: at once, it was plainly wrong; after a minute, worth a thought.

    1 up to five seconds or where nobody knows, falling to one half after a minute.
    """
    if considered_s is None or considered_s <= FAST_S:
        return 1.0
    return 1.0 - 0.5 * min(1.0, (considered_s - FAST_S) / (SLOW_S - FAST_S))
