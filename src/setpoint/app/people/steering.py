"""What a person does with a run while it works, from any process: hint, pause, continue, stop."""

from __future__ import annotations

import contextlib
import uuid

from setpoint.app.people.gates import current_person
from setpoint.errors import UsageError
from setpoint.history.replay import history
from setpoint.model.changes.redaction import without_secrets
from setpoint.model.events.live import HintGiven, PauseEnded, PauseRequested
from setpoint.model.events.run import CancelRequested
from setpoint.model.ids import TraceId
from setpoint.wiring.project import Project, only_run

MOST_CHARS = 4000
"""Longest hint."""


def give_hint(project: Project, which: str, text: str, *, by: str = "") -> None:
    """Tell the maker of a run something; it reads it at its next prompt, or behind its present tool call.

    `by` names a person who is not the one that sits here.
    """
    told = text.strip()
    if not told or len(told) > MOST_CHARS:
        raise UsageError(
            f"a hint has between 1 and {MOST_CHARS} characters", hint='setpoint hint "use Decimal"'
        )
    trace_id = _unfinished(project, which)
    given = without_secrets(HintGiven(text=told, by=by or current_person(project)))
    project.log.append(trace_id, f"hint:{uuid.uuid4().hex}", (given,))


def pause_run(project: Project, which: str) -> None:
    """Let a run hold before its next step; the time until it continues does not count as work."""
    body = PauseRequested(by=current_person(project))
    project.log.append(_unfinished(project, which), f"pause:{uuid.uuid4().hex}", (body,))


def continue_run(project: Project, which: str) -> None:
    """End the pause of a run."""
    body = PauseEnded(by=current_person(project))
    project.log.append(_unfinished(project, which), f"unpause:{uuid.uuid4().hex}", (body,))


def stop_run(project: Project, which: str, reason: str = "", *, by: str = "") -> None:
    """Ask the process that drives a run to end it with its best state, without waiting for that.

    `by` names a person who is not the one that sits here.
    """
    trace_id = _unfinished(project, which)
    asked = without_secrets(CancelRequested(by=by or current_person(project), reason=reason))
    project.log.append(trace_id, "cancel", (asked,))
    with contextlib.suppress(UsageError):  # its process has only just begun and meets the event itself
        project.engine.cancel(trace_id)


def _unfinished(project: Project, which: str) -> TraceId:
    trace_id = only_run(project, which).trace_id
    told = history(project.log.replay(trace_id))
    if told.outcome is not None:
        raise UsageError(
            f"{trace_id} is finished already: {told.outcome.ending}", hint="`setpoint status` lists the runs"
        )
    return trace_id
