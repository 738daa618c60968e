"""Decide what to do next on the board: a pure function of the stories and the state of their runs."""

from __future__ import annotations

from collections.abc import Iterable

from setpoint.model.stories.board import ActionKind, Card, NextAction, PhaseProgress
from setpoint.model.stories.story import Status, StoryRecord

PRIORITY = {
    ActionKind.REWORK: 450,
    ActionKind.DELIVER: 400,
    ActionKind.JUDGE: 350,
    ActionKind.MAKE: 300,
    ActionKind.THINK: 200,
    ActionKind.START: 100,
    ActionKind.ANSWER: 50,
    ActionKind.LOOK: 10,
    ActionKind.WAIT: 0,
    ActionKind.REST: 0,
}
"""Rework goes first (R4: 450), then the furthest story; stories that need a person come last."""
AUTOMATIC = frozenset(
    {
        ActionKind.REWORK,
        ActionKind.DELIVER,
        ActionKind.JUDGE,
        ActionKind.MAKE,
        ActionKind.THINK,
        ActionKind.START,
    }
)
"""Actions that need no person."""


def column(record: StoryRecord, standing: PhaseProgress | None) -> Status:
    """Return the column of a story: the log knows its runs, the file later decisions of a person.

    A person's decision counts only if the file names the newest run; otherwise it is older than that run.
    """
    if standing is None:
        return Status.READY if record.status in (None, Status.WAITING) else record.status
    if standing.alive:
        return under_way(standing)
    if record.last_run == standing.trace_id and (decided := _decided(record, standing)) is not None:
        return decided
    if standing.finished:
        return Status.DONE if standing.succeeded else Status.BLOCKED
    return Status.BLOCKED if standing.waiting else under_way(standing)


def _decided(record: StoryRecord, standing: PhaseProgress) -> Status | None:
    """Return the column that a person chose for a story since its run; none if no one did.

    Status `ready` lets a finished story run again, and so does its count set back to 0 (R4).
    """
    if record.status in (Status.BACKLOG, Status.DONE):
        return record.status
    uncounted = record.status is Status.BLOCKED and not record.refinement_count
    again = record.status is Status.READY or (uncounted and len(standing.refinements) > 0)
    return Status.READY if standing.finished and again else None


def under_way(standing: PhaseProgress) -> Status:
    """Return the column of a story whose run is neither finished nor stopped."""
    if standing.target:
        return Status.REWORK
    return Status.IN_REVIEW if standing.next_phase in standing.judging else Status.IN_PROGRESS


def assess(record: StoryRecord, standing: PhaseProgress | None) -> NextAction:
    """Propose the next action; phases that are done are never proposed again."""
    status = column(record, standing)
    match status:
        case Status.BACKLOG | Status.DONE:
            return next_action(
                ActionKind.REST, "a person keeps it back" if status is Status.BACKLOG else "done"
            )
        case Status.READY:
            return next_action(ActionKind.START, _why_ready(standing))
        case _ if standing is None:
            reason = f"it says {status}, but no run of it is recorded here; set status=ready to begin one"
            return next_action(ActionKind.LOOK, reason)
        case _ if standing.alive:
            return next_action(ActionKind.WAIT, f"a process works on it: {standing.next_phase}", standing)
        case Status.BLOCKED:
            return _blocked(standing)
        case _:
            return _going_on(standing)


def _why_ready(standing: PhaseProgress | None) -> str:
    return "no run of it yet" if standing is None else f"to be done again after {standing.trace_id}"


def _blocked(standing: PhaseProgress) -> NextAction:
    reason = standing.last_error or "its run ended unverified"
    if standing.waiting and not standing.finished:
        reason = f"{reason}; see setpoint answer show {standing.trace_id}"
        return next_action(ActionKind.ANSWER, reason, standing)
    return next_action(ActionKind.LOOK, f"{reason}; set status=ready to run it again", standing)


def _going_on(standing: PhaseProgress) -> NextAction:
    phase = standing.next_phase
    if standing.target:
        count = f"{len(standing.refinements)}/{standing.limit}"
        feedback = standing.refinements[-1].review_feedback if standing.refinements else ""
        reason = f"sent back to {standing.target} ({count}): {feedback}"
        return next_action(ActionKind.REWORK, reason, standing, standing.target)
    done = ", ".join(standing.complete) or "nothing"
    reason = f"done so far: {done}; next is {phase}"
    if phase in standing.judging:
        last = phase == standing.phases[-1]
        return next_action(ActionKind.DELIVER if last else ActionKind.JUDGE, reason, standing, phase)
    making = standing.phases[len(standing.phases) - len(standing.judging) - 1]
    return next_action(ActionKind.MAKE if phase == making else ActionKind.THINK, reason, standing, phase)


def next_action(
    kind: ActionKind, reason: str, standing: PhaseProgress | None = None, phase: str = ""
) -> NextAction:
    """Make an action with its urgency; `standing` is that of the run that continues."""
    return NextAction(
        kind=kind,
        phase=phase,
        priority=PRIORITY[kind],
        reason=reason,
        automatic=kind in AUTOMATIC,
        trace_id=standing.trace_id if standing is not None else None,
    )


def by_urgency(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Sort stories by their next action, then by their own priority, then by name."""
    return tuple(sorted(cards, key=lambda card: (-card.action.priority, -card.priority, card.id)))
