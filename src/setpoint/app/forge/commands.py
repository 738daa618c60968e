"""Commands in comments at a forge, carried out on the newest run of a story."""

from __future__ import annotations

from setpoint.app.people.gates import AnswerRequest, answer_gate, open_gate
from setpoint.app.people.steering import give_hint, stop_run
from setpoint.errors import SetpointError
from setpoint.history.phrases import one_line, prose
from setpoint.history.queries import RunState, RunSummary
from setpoint.model.changes.redaction import redacted
from setpoint.model.forge import CommandName, ForgeCommand
from setpoint.model.gate import Choice, Via
from setpoint.model.wording import counted
from setpoint.wiring.project import Project

_ANSWERS = {
    CommandName.CONTINUE: Choice.CONTINUE,
    CommandName.ACCEPT: Choice.ACCEPT,
    CommandName.APPROVE: Choice.APPROVE,
    CommandName.REJECT: Choice.REJECT,
}


def carried_out(project: Project, run: RunSummary | None, command: ForgeCommand, by: str) -> str:
    """Carry out a command in the name of a person at the forge; return what to answer, in Markdown."""
    if run is None:
        return "No run of this story has begun yet."
    try:
        return _carried_out(project, run, command, by)
    except SetpointError as error:
        return redacted(prose(f"Not done: {error.message}", 600))


def _carried_out(project: Project, run: RunSummary, command: ForgeCommand, by: str) -> str:
    name = command.name
    if name is CommandName.STATUS:
        return _status(run)
    if name is CommandName.CANCEL and run.state is not RunState.WAITING:
        stop_run(project, run.trace_id, command.text, by=by)
        return f"Run `{run.trace_id}` ends with its best state."
    if name is CommandName.HINT and run.state is not RunState.WAITING:
        give_hint(project, run.trace_id, command.text, by=by)
        return f"The maker of run `{run.trace_id}` reads it next."
    choice = Choice.CANCEL if name is CommandName.CANCEL else _ANSWERS.get(name, Choice.CONTINUE)
    opened = open_gate(project, run.trace_id)
    if choice is Choice.CONTINUE and not opened.gate.allows(choice) and opened.gate.allows(Choice.RETRY):
        choice = Choice.RETRY  # who writes `continue` at a forge has repaired what broke the agent
    wanted = AnswerRequest(
        choice=choice,
        iterations=command.iterations or None,
        instruction=command.text if choice.continues else "",
        reason="" if choice.continues else command.text,
    )
    answer = answer_gate(project, opened, wanted, via=Via.FORGE, by=by)
    return f"Recorded for run `{run.trace_id}`: {answer.choice}, by {one_line(by, 60)}."


def _status(run: RunSummary) -> str:
    state = str(run.ending or run.state)
    asks = f" It asks: {run.asks}" if run.asks else ""
    why = f" {run.reason}" if run.reason else ""
    return redacted(
        one_line(
            f"Run `{run.trace_id}`: {state} after {counted(run.iteration, 'iteration')}.{why}{asks}", 600
        )
    )
