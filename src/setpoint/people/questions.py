"""Ask a person; question and answer are events, so no process has to wait in between."""

from __future__ import annotations

from setpoint.errors import RunWaiting
from setpoint.model.events.run import GateAnswered, GateExpired, GateOpened
from setpoint.model.gate import Answer, Choice, Gate, Via, answered_key, opened_key
from setpoint.model.ids import TraceId
from setpoint.runs.context import RunContext


async def ask(run: RunContext, gate: Gate) -> Answer:
    """Ask a person and return the answer; the first recorded answer counts.

    If none is recorded yet, `RunWaiting` ends the drive and leaves the run resumable: an answer appends
    `gate.answered` under `answered_key`, and the next drive reads it here. Past the deadline the default
    is the answer. A run asks each gate id once.
    """
    opened = run.journal.note(opened_key(gate.id), GateOpened(gate=gate))
    stands = opened.gate if isinstance(opened, GateOpened) else gate

    async def act() -> GateAnswered:
        if stands.default is not None and stands.expired(run.ports.clock.now()):
            return _expired(run, stands, stands.default)
        run.ports.publish(run.order.trace_id)
        raise waiting(run.order.trace_id, stands)

    return (await run.journal.step(answered_key(gate.id), act, GateAnswered)).answer


def waiting(trace_id: TraceId, gate: Gate) -> RunWaiting:
    """Return the error that says that a run waits, the question, and where to answer."""
    hint = f"`setpoint answer show {trace_id}` lists the possible answers and their commands"
    return RunWaiting(f"{trace_id} waits for a person: {gate.question}", gate=gate.id, hint=hint)


def _expired(run: RunContext, gate: Gate, default: Choice) -> GateAnswered:
    run.journal.note(f"{opened_key(gate.id)}:expired", GateExpired(gate=gate.id, choice=default))
    answer = Answer(
        choice=default,
        by="setpoint",
        via=Via.DEADLINE,
        grant=gate.offer,
        reason=f"nobody answered until {gate.deadline:%Y-%m-%d %H:%M} UTC",
    )
    return GateAnswered(gate=gate.id, answer=answer)
