"""Feedback that an agent suggests: recorded as the agent's, and a person's only once a person confirms it."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from setpoint.app.people.feedback import DecisionOutcome, add_comment, dismiss_finding
from setpoint.app.people.findings import find_finding
from setpoint.app.people.gates import current_person
from setpoint.errors import UsageError
from setpoint.history.feedback import suggestions
from setpoint.history.replay import history
from setpoint.model.changes.redaction import without_secrets
from setpoint.model.events.own_agents import FeedbackSuggested, SuggestedAction, SuggestionSettled
from setpoint.model.ids import TraceId
from setpoint.model.value import Instant
from setpoint.wiring.project import Project

MOST_OPEN = 20
"""Suggestions of one run that may wait for a person."""
MOST_TEXT = 2000


class Suggestion(NamedTuple):
    """What an agent suggested about a run."""

    trace_id: TraceId
    at: Instant
    body: FeedbackSuggested


def suggest_dismissal(
    project: Project, trace_id: TraceId, which: str, reason: str, client: str
) -> FeedbackSuggested:
    """Record that an agent holds a finding for wrong; nothing follows until a person confirms it."""
    finding = find_finding(project, trace_id, which).finding
    return _suggested(
        project,
        trace_id,
        FeedbackSuggested(
            suggestion="",
            action=SuggestedAction.DISMISS,
            finding=finding.fingerprint,
            file=finding.file,
            line=finding.line,
            message=finding.message,
            text=reason,
            client=client,
        ),
    )


def suggest_comment(
    project: Project, trace_id: TraceId, place: str, text: str, client: str
) -> FeedbackSuggested:
    """Record a comment of an agent on a line of a change; nothing follows until a person confirms it."""
    file, _, line = place.rpartition(":")
    if not file or not line.isdigit():
        raise UsageError(f"'{place}' is not a location", hint="give FILE:LINE, as in src/a.py:12")
    history(project.log.replay(trace_id))  # a record that cannot be read is reported before anything is added
    body = FeedbackSuggested(
        suggestion="", action=SuggestedAction.COMMENT, file=file, line=int(line), text=text, client=client
    )
    return _suggested(project, trace_id, body)


def open_suggestions(project: Project) -> tuple[Suggestion, ...]:
    """Return what agents suggested and no person has settled, oldest first."""
    found: dict[str, Suggestion] = {}
    for trace_id, at, body in suggestions(project.store, str(project.root)):
        if isinstance(body, FeedbackSuggested):
            found[body.suggestion] = Suggestion(trace_id, at, body)
        else:
            found.pop(body.suggestion, None)
    return tuple(found.values())


def confirm_suggestion(project: Project, which: str) -> DecisionOutcome:
    """Take a suggestion over as the person's own feedback, with all that follows from it for learnings."""
    found = _open(project, which)
    body, person = found.body, current_person(project)
    if body.action is SuggestedAction.DISMISS:
        outcome = dismiss_finding(project, found.trace_id, body.finding, body.text)
    else:
        outcome = add_comment(project, found.trace_id, f"{body.file}:{body.line}", body.text)
    _settle(project, found, person, confirmed=True)
    return outcome


def refuse_suggestion(project: Project, which: str) -> Suggestion:
    """Refuse a suggestion: nothing follows from it."""
    found = _open(project, which)
    _settle(project, found, current_person(project), confirmed=False)
    return found


def _suggested(project: Project, trace_id: TraceId, body: FeedbackSuggested) -> FeedbackSuggested:
    if not body.text.strip():
        raise UsageError("the text is empty", hint="say in one sentence why")
    body = without_secrets(body.model_copy(update={"text": body.text.strip()[:MOST_TEXT]}))
    said = f"{trace_id} {body.action} {body.finding} {body.file}:{body.line} {body.text}"
    name = f"sug-{hashlib.sha256(said.encode('utf-8', 'surrogateescape')).hexdigest()[:10]}"
    waiting = [each.body.suggestion for each in open_suggestions(project) if each.trace_id == trace_id]
    if name not in waiting and len(waiting) >= MOST_OPEN:
        message = f"{len(waiting)} suggestions about {trace_id} wait for a person already"
        raise UsageError(message, hint="a person settles them: `setpoint finding suggested`")
    body = body.model_copy(update={"suggestion": name})
    project.log.append(trace_id, f"suggestion:{name}", (body,))
    return body


def _open(project: Project, which: str) -> Suggestion:
    begins = which if which.startswith("sug-") else f"sug-{which}"
    found = [each for each in open_suggestions(project) if each.body.suggestion.startswith(begins)]
    if len(found) != 1 or not which:
        message = f"{len(found)} open suggestions have an id that begins with '{which}'"
        raise UsageError(message, hint="`setpoint finding suggested` lists them")
    return found[0]


def _settle(project: Project, found: Suggestion, person: str, *, confirmed: bool) -> None:
    name = found.body.suggestion
    settled = SuggestionSettled(suggestion=name, confirmed=confirmed, by=person)
    project.log.append(found.trace_id, f"suggestion:{name}:settled", (settled,))
