"""What people suppressed in a project: read from what they dismissed and lifted, in the store alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from setpoint.errors import UsageError
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import CheckState
from setpoint.model.suppression import DAYS, Suppression, suppressed
from setpoint.wiring.project import Project

if TYPE_CHECKING:
    from setpoint.history.feedback import FeedbackEntry
    from setpoint.model.finding import Finding

_LOOKED_BACK = timedelta(days=366)


def active(project: Project) -> tuple[Suppression, ...]:
    """Return what is dismissed now and was not lifted, oldest first."""
    from setpoint.history.feedback import FeedbackFilter, feedback_entries
    from setpoint.model.events.people import FindingLifted

    now, found = datetime.now(UTC), dict[str, Suppression]()
    for entry in feedback_entries(project.store, str(project.root), FeedbackFilter(since=now - _LOOKED_BACK)):
        if isinstance(entry.body, FindingLifted):
            found.pop(entry.body.finding, None)
        else:
            found |= {each.id: each for each in _dismissed(project, entry)}
    return tuple(each for each in found.values() if now < each.until)


def find_suppression(project: Project, which: str) -> Suppression:
    """Return the suppression whose id begins so; raises `UsageError` for none or several."""
    found = [each for each in active(project) if each.id.startswith(which)]
    if len(found) != 1 or not which:
        message = f"{len(found)} suppressions have an id that begins with '{which}'"
        raise UsageError(message, hint="`setpoint finding suppressed` gives the ids")
    return found[0]


def without_suppressed(project: Project, seen: Evaluation) -> Evaluation:
    """Return what was measured outside of a run as people want it; the store is read if something blocks."""
    if not seen.blocking:
        return seen
    findings = suppressed(seen.findings, active(project))
    counted = {each.source for each in findings if not each.suppressed}
    calm = {each.source for each in findings if each.suppressed} - counted
    evidence = tuple(
        each.model_copy(update={"state": CheckState.PASS})
        if each.check in calm and each.state is CheckState.FAIL
        else each
        for each in seen.evidence
    )
    return seen.model_copy(update={"findings": findings, "evidence": evidence})


def _dismissed(project: Project, entry: FeedbackEntry) -> list[Suppression]:
    """Return what an entry suppresses: the finding that it names, or the objections of its question."""
    from setpoint.model.events.people import FindingDismissed
    from setpoint.model.events.run import GateAnswered

    body, reason, place = entry.body, "", ""
    if isinstance(body, FindingDismissed):
        reason, place = body.reason, body.place
        found = {body.finding: body.what or _recorded(project, entry).get(body.finding)}
    elif isinstance(body, GateAnswered) and body.answer.choice == "dismiss":
        reason, found = body.answer.reason, dict(_recorded(project, entry, body.gate))
    else:
        return []
    until = getattr(body, "until", None) or entry.at + timedelta(days=DAYS)
    return [
        Suppression(
            id=name,
            finding=what,
            place=place,
            reason=reason,
            by=entry.by,
            since=entry.at,
            until=until,
            run=entry.trace_id,
        )
        for name, what in found.items()
        if what is not None
    ]


def _recorded(project: Project, entry: FeedbackEntry, gate: str = "") -> dict[str, Finding]:
    """Return the findings of a run by fingerprint; with a question, those that it is about."""
    from setpoint.app.people.findings import list_findings
    from setpoint.model.events.run import GateOpened

    found = {each.finding.fingerprint: each.finding for each in list_findings(project, entry.trace_id)}
    if not gate:
        return found
    opened = [
        each.body.gate for each in project.log.replay(entry.trace_id) if isinstance(each.body, GateOpened)
    ]
    about = {name for each in opened if each.id == gate for name in each.objections}
    return {name: what for name, what in found.items() if name in about}
