"""A person's own change as part of an answer: the run continues from its newest state with that change."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime
from pathlib import Path

from setpoint.app.people.feedback import record
from setpoint.app.people.gates import AnswerRequest, OpenGate, answer_gate, current_person
from setpoint.errors import RunInUse, UsageError
from setpoint.history.replay import History, history
from setpoint.model.attempt import Attempt, Stop
from setpoint.model.changes.redaction import redacted
from setpoint.model.changes.text_edits import with_carriage_returns
from setpoint.model.events.people import HumanEdited
from setpoint.model.gate import Answer, Choice, Edited, Via
from setpoint.model.run import Snapshot
from setpoint.ports import WorkCopy
from setpoint.wiring.project import Project
from setpoint.workspace.work_copy import GitWorkspace

EDITABLE = (Choice.APPROVE, Choice.CONTINUE, Choice.RETRY)
"""Answers after which the run works on, so that a change can be part of it and is measured with it."""


def answer_with_edit(
    project: Project, opened: OpenGate, wanted: AnswerRequest, patch: str, *, via: Via = Via.CLI
) -> Answer:
    """Record an answer together with a change of the person's own, given as a unified diff.

    The run continues from its newest state with that change, and measures it like everything else. Raises
    `UsageError` where the diff does not apply or the run would not continue; then nothing is recorded.
    """
    if wanted.choice not in EDITABLE or wanted.new_approach:
        message = f"'{wanted.choice}' does not continue from the current state, so it cannot include a change"
        hint = "approve or continue with a change; a finished run takes one by `setpoint finding rewrite`"
        raise UsageError(message, hint=hint)
    locks = project.locks
    owner = locks.owner(opened.trace_id)
    if owner is not None:
        message = f"process {owner} drives {opened.trace_id}, so its work copy is in use"
        raise RunInUse(message, hint="let it end ('later' in its menu), then answer with the change")
    with locks.held(opened.trace_id):
        told = history(project.log.replay(opened.trace_id))
        edited = asyncio.run(_edited(project, told, patch, current_person(project)))
    given = answer_gate(project, opened, wanted._replace(edited=edited), via=via)
    body = HumanEdited(
        gate=opened.gate.id, files=edited.files, diff=edited.diff, commit=edited.commit, by=given.by
    )
    record(project, opened.trace_id, f"feedback:edited:{opened.gate.id}", body)
    return given


async def _edited(project: Project, told: History, patch: str, who: str) -> Edited:
    """Commit the change on top of the newest round; the same change twice gives the first commit."""
    workspace = GitWorkspace(project.folders)
    start = told.rounds[-1].snapshot.commit if told.rounds else told.order.base
    copy = await workspace.open(told.trace_id, told.order.base)
    label = f"edit-{hashlib.sha256(f'{start} {patch}'.encode()).hexdigest()[:12]}"
    made = await workspace.find(copy, label)
    if made is None:
        await workspace.restore(copy, start)
        if why := await _applied(workspace, copy, patch):
            raise UsageError(
                f"the change does not fit {start[:10]}: {why}",
                hint=f"base it on the current state: `setpoint show {told.trace_id}` lists the iterations",
            )
        now = datetime.now(UTC)
        by_hand = Attempt(agent=who, stop=Stop.END_TURN, started_at=now, duration_s=0.0)
        made = await workspace.snapshot(copy, label, by_hand)
    return _told(made, await workspace.diff(copy, start, made.commit))


async def _applied(workspace: GitWorkspace, copy: WorkCopy, patch: str) -> str:
    """Apply a change to a work copy; gives why it does not fit, nothing where it does.

    A browser sends a text without the carriage returns that its file has, so they are tried too.
    """
    why, root = "", Path(copy.path)
    for each in dict.fromkeys((patch, with_carriage_returns(patch, lambda name: _has_them(root, name)))):
        found = await workspace.apply(copy, each)
        if not found:
            return ""
        why = why or found
    return why


def _has_them(root: Path, name: str) -> bool:
    try:
        file = (root / name).resolve()
        return file.is_relative_to(root.resolve()) and b"\r\n" in file.read_bytes()
    except (OSError, ValueError):  # no such file, or no name of one: git says so
        return False


def _told(made: Snapshot, diff: str) -> Edited:
    if not made.files:
        raise UsageError("the diff changes nothing", hint="write a diff that changes a file")
    return Edited(commit=made.commit, files=made.files, diff=redacted(diff))
