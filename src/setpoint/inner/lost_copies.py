"""Record that a work copy was not where it was, and what that means for the attempt that was under way."""

from __future__ import annotations

from setpoint.model.events.candidates import CandidateMade
from setpoint.model.events.live import CopyRemade
from setpoint.model.events.run import AgentFinished, AgentStarted
from setpoint.ports.workspace import NoticesLosses
from setpoint.runs.context import RunContext


def note_loss(run: RunContext) -> None:
    """Record what opening the work copy did to one that was not where it was."""
    workspace = run.ports.workspace
    if not isinstance(workspace, NoticesLosses) or (loss := workspace.loss(run.copy)) is None:
        return
    body = CopyRemade(
        former=loss.former,
        path=run.copy.path,
        commit=loss.commit,
        kept=loss.kept,
        label=_under_way(run),
    )
    at = run.ports.clock.now().isoformat()
    run.journal.note(f"copy-remade:{run.copy.trace_id}:{at}", body)


def _under_way(run: RunContext) -> str:
    """Return the label of the attempt in this work copy that was begun and not finished; empty if none is."""
    candidate = run.copy.trace_id.removeprefix(run.order.trace_id)
    begun: list[str] = []
    for event in run.journal.events:
        body = event.body
        if isinstance(body, AgentStarted) and body.label not in begun:
            begun.append(body.label)
        elif isinstance(body, AgentFinished | CandidateMade) and body.snapshot.label in begun:
            begun.remove(body.snapshot.label)
    return next((label for label in reversed(begun) if label.endswith(candidate)), "")
