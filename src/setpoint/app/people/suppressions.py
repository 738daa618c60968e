"""What people suppressed in a project: read from what they dismissed and lifted, in the store alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from setpoint.app.people.findings import find_finding
from setpoint.errors import UsageError
from setpoint.history.feedback import FeedbackEntry, FeedbackFilter, feedback_entries
from setpoint.model.events.people import FindingDismissed, FindingLifted
from setpoint.model.events.run import GateAnswered, GateOpened
from setpoint.model.finding import Finding
from setpoint.model.gate import Choice
from setpoint.model.ids import TraceId
from setpoint.model.suppression import DAYS, Suppression
from setpoint.wiring.project import Project

MOST_DAYS = 365


def suppressions(project: Project) -> tuple[Suppression, ...]:
    """Return what is dismissed and was not lifted, oldest first, also what has ended within a year."""
    since = datetime.now(UTC) - timedelta(days=2 * MOST_DAYS)
    found: dict[str, Suppression] = {}
    for entry in feedback_entries(project.store, str(project.root), FeedbackFilter(since=since)):
        body = entry.body
        if isinstance(body, FindingLifted):
            found.pop(body.finding, None)
        elif isinstance(body, FindingDismissed):
            what = body.what or _finding(project, entry.trace_id, body.finding)
            found |= _made(entry, what, body)
        elif isinstance(body, GateAnswered) and body.answer.choice is Choice.DISMISS:
            for objection in _objections(project, entry.trace_id, body):
                found |= _made(entry, _finding(project, entry.trace_id, objection), body)
    return tuple(found.values())


def active(project: Project) -> tuple[Suppression, ...]:
    """Return what is suppressed now."""
    now = datetime.now(UTC)
    return tuple(each for each in suppressions(project) if each.active(now))


def find_suppression(project: Project, which: str) -> Suppression:
    """Return the suppression whose id begins so; raises `UsageError` for none or several."""
    found = [each for each in active(project) if each.id.startswith(which)]
    if len(found) != 1 or not which:
        message = f"{len(found)} suppressions have an id that begins with '{which}'"
        raise UsageError(message, hint="`setpoint finding suppressed` gives the ids")
    return found[0]


def _made(
    entry: FeedbackEntry, what: Finding | None, body: FindingDismissed | GateAnswered
) -> dict[str, Suppression]:
    if what is None:
        return {}
    said = body if isinstance(body, FindingDismissed) else None
    id_ = said.finding if said else what.fingerprint
    until = (said.until if said else None) or entry.at + timedelta(days=DAYS)
    return {
        id_: Suppression(
            id=id_,
            finding=what,
            place=said.place if said else "",
            reason=body.reason if isinstance(body, FindingDismissed) else body.answer.reason,
            by=entry.by,
            since=entry.at,
            until=until,
            run=entry.trace_id,
        )
    }


def _finding(project: Project, trace_id: TraceId, which: str) -> Finding | None:
    """Return the finding as the run recorded it, where no later version of Setpoint refuses to read it."""
    try:
        return find_finding(project, trace_id, which).finding
    except UsageError:
        return None


def _objections(project: Project, trace_id: TraceId, body: GateAnswered) -> tuple[str, ...]:
    opened = [each.body.gate for each in project.log.replay(trace_id) if isinstance(each.body, GateOpened)]
    return next((each.objections for each in opened if each.id == body.gate), ())
