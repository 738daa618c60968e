"""What people say and do about a run: recorded in its log, and what follows from it for memory."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from setpoint.app.people.finding_viewed import viewed_for_s as seen_for_s
from setpoint.app.people.findings import find_finding
from setpoint.app.people.gates import current_person
from setpoint.app.people.suppressions import find_suppression
from setpoint.errors import UsageError
from setpoint.history.feedback import FeedbackEntry, FeedbackFilter, feedback_entries
from setpoint.history.replay import history
from setpoint.learning.policy.feedback_effects import (
    concerned,
    learning_from,
    moved,
    weight_of_thought,
)
from setpoint.learning.store import SqlMemory
from setpoint.model.changes.path_globs import matches
from setpoint.model.changes.redaction import without_secrets
from setpoint.model.events import Event
from setpoint.model.events.learning import ConfidenceDecreased, ConfidenceIncreased, LearningsJudged
from setpoint.model.events.people import (
    CommentAdded,
    DeliveryJudged,
    Feedback,
    FindingDismissed,
    FindingLifted,
    Fix,
)
from setpoint.model.events.run import RunFinished
from setpoint.model.ids import LearningId, TraceId
from setpoint.model.learning import WEIGHTS, EvidenceKind, LearningEvidence, LearningState
from setpoint.model.suppression import DAYS, Suppression
from setpoint.model.value import Instant
from setpoint.wiring.memory import memory_of
from setpoint.wiring.project import Project, find_run


class Terms(NamedTuple):
    """Where and for how long a finding is dismissed."""

    days: int = DAYS
    place: str = ""
    """A path or glob, with `::symbol` where one is meant; empty: the line of code that it was found in."""
    considered_s: float | None = None
    """Seconds between seeing it and deciding, where a face can tell."""


class DecisionOutcome(NamedTuple):
    """What came of a decision."""

    body: Feedback
    at: Instant
    moved: tuple[ConfidenceIncreased | ConfidenceDecreased, ...] = ()
    learnt: LearningId | None = None


def dismiss_finding(
    project: Project, trace_id: TraceId, which: str, reason: str, terms: Terms | None = None
) -> DecisionOutcome:
    """Record that a finding is none: it is suppressed at its place until that ends or is lifted.

    Where no face tells how long was thought about it, it counts from when the finding was shown.
    """
    terms = terms or Terms()
    finding = find_finding(project, trace_id, which).finding
    thought_s = terms.considered_s
    if thought_s is None:
        thought_s = seen_for_s(project, trace_id, finding.fingerprint)
    path, _, symbol = terms.place.partition("::")
    if terms.place and not (matches(finding.file, (path,)) and symbol in ("", finding.symbol)):
        where = f"{finding.file}::{finding.symbol}".removesuffix("::") or "a finding that names no file"
        raise UsageError(f"'{terms.place}' does not hold {where}", hint="name a path or glob that matches it")
    body = FindingDismissed(
        finding=finding.fingerprint,
        category=finding.category,
        rule=finding.rule,
        file=finding.file,
        message=finding.message,
        reason=reason,
        by=current_person(project),
        after_s=after_s(project, trace_id),
        considered_s=thought_s,
        what=finding.model_copy(update={"fix": None, "detail": "", "suppressed": ""}),
        place=terms.place,
        until=datetime.now(UTC) + timedelta(days=terms.days),
    )
    turn = _lifted(project, trace_id, finding.fingerprint)
    return record(project, trace_id, f"feedback:dismissed:{finding.fingerprint}{turn}", body)


def lift_finding(project: Project, which: str) -> Suppression:
    """Take a dismissal back: the finding counts again from the next run and check on."""
    found = find_suppression(project, which)
    turn = _lifted(project, found.run, found.id)
    body = FindingLifted(finding=found.id, by=current_person(project))
    record(project, found.run, f"feedback:lifted:{found.id}{turn}", body)
    return found


def _lifted(project: Project, trace_id: TraceId, finding: str) -> str:
    """End the key of a decision with how often the dismissal was lifted in its run."""
    bodies = (each.body for each in project.log.replay(trace_id))
    count = sum(isinstance(each, FindingLifted) and each.finding == finding for each in bodies)
    return f":{count}" if count else ""


def add_comment(
    project: Project, trace_id: TraceId, place: str, text: str, iteration: int = 0
) -> DecisionOutcome:
    """Record that a person points at a line that no reviewer objected to.

    The line is counted as the change of that iteration has it; 0: all that was changed.
    """
    file, _, line = place.rpartition(":")
    if not file or not line.isdigit() or not text.strip():
        raise UsageError(
            f"'{place}' is not a location", hint="give FILE:LINE and a text, as in src/a.py:12 'why?'"
        )
    told = history(project.log.replay(trace_id))
    if iteration and iteration not in {past.number for past in told.rounds}:
        raise UsageError(f"{trace_id} has no iteration {iteration}", hint="load the page again")
    body = without_secrets(
        CommentAdded(
            file=file,
            line=int(line),
            text=text,
            by=current_person(project),
            after_s=after_s(project, trace_id),
            iteration=iteration,
        )
    )
    # Not the words themselves: a key is kept as it is, and they may hold a secret.
    said = hashlib.sha256(f"{iteration} {body.file}:{body.line} {body.text}".encode()).hexdigest()[:16]
    return record(project, trace_id, f"feedback:comment:{said}", body)


def record(project: Project, trace_id: TraceId, key: str, body: Feedback) -> DecisionOutcome:
    """Append a decision to a run's log, once, and let memory follow it.

    What is recorded already moves nothing again, also where more is known about the same thing by now.
    """
    before = {event.key for event in project.log.replay(trace_id)}
    (event,) = project.log.append(trace_id, key, (without_secrets(body),))
    stands = event.body
    if not isinstance(stands, Feedback):
        raise TypeError(f"'{key}' is recorded as {stands.kind}")
    memory = memory_of(project)
    source = f"{trace_id}/{key}"
    moved_already = any(name.startswith(f"{key}:lrn-") for name in before)
    changed = () if moved_already else _moved(project, event, memory, stands, source)
    proposal = learning_from(stands, str(project.root), trace_id)
    learnt = memory.learn([proposal])[0] if proposal is not None else None
    for each in changed:
        project.log.append(trace_id, f"{key}:{each.learning}", (each,))
    return DecisionOutcome(stands, event.at, changed, learnt)


def _moved(
    project: Project, event: Event, memory: SqlMemory, body: Feedback, source: str
) -> tuple[ConfidenceIncreased | ConfidenceDecreased, ...]:
    kind = moved(body)
    if kind is None:
        return ()
    weight = WEIGHTS[kind]
    if isinstance(body, FindingDismissed):
        weight = round(weight * weight_of_thought(body.considered_s), 4)
    now = datetime.now(UTC)
    before = {each.learning.id: each for each in _concerned(project, event, memory, body)}
    new = memory.weigh(
        [
            LearningEvidence(
                learning=id_,
                source=source,
                kind=kind,
                weight=weight,
                at=now,
                by=str(getattr(body, "by", "git")),
                trace_id=event.trace_id,
            )
            for id_ in before
        ]
    )
    after = {each.learning.id: each for each in memory.standings([each.learning for each in new])}
    return tuple(_change(before[id_], after[id_], kind) for id_ in after)


def _change(
    before: LearningState, after: LearningState, kind: EvidenceKind
) -> ConfidenceIncreased | ConfidenceDecreased:
    was, now = before.confidence.mean, after.confidence.mean
    body = ConfidenceIncreased if now > was else ConfidenceDecreased
    return body(learning=after.learning.id, before=round(was, 4), after=round(now, 4), reason=str(kind))


def _concerned(
    project: Project, event: Event, memory: SqlMemory, body: Feedback
) -> tuple[LearningState, ...]:
    trace_id = event.trace_id
    if isinstance(body, DeliveryJudged):
        told = history(project.log.replay(trace_id)).memory
        judged = [item for each in told if isinstance(each, LearningsJudged) for item in each.items]
        return memory.standings([item.learning for item in judged if item.followed])
    if not isinstance(body, FindingDismissed | Fix):
        return ()
    named = body.finding
    what = body.what if isinstance(body, FindingDismissed) else find_finding(project, trace_id, named).finding
    return concerned(memory.standings(), what, named, event.at) if what is not None else ()


def after_s(project: Project, trace_id: TraceId) -> float | None:
    """Return the seconds since a run ended; none where it has not."""
    ended = [each.at for each in project.log.replay(trace_id) if isinstance(each.body, RunFinished)]
    return round((datetime.now(UTC) - ended[0]).total_seconds(), 3) if ended else None


def list_feedback(
    project: Project, sought: FeedbackFilter | None = None, most: int | None = None
) -> tuple[FeedbackEntry, ...]:
    """Return the last of what people said and did, oldest first; a run may be named by its beginning."""
    if sought is not None and sought.run:
        sought = sought.model_copy(update={"run": find_run(project, sought.run).trace_id})
    return feedback_entries(project.store, str(project.root), sought, most)
