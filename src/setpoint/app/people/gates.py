"""Questions to people, answered from any process, and ending a run from elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from pydantic import PrivateAttr

from setpoint.app.project.person import require_person
from setpoint.app.runs.standing import unjudged_lines
from setpoint.app.views.run_page import diff_of
from setpoint.errors import RecordedDataError, RunInUse, UsageError
from setpoint.history.phrases import gate_command, one_line
from setpoint.history.queries import RunState, runs
from setpoint.history.questions import Substance, substance
from setpoint.history.replay import GateQuestion, History, history
from setpoint.history.reports.run_report import write_all
from setpoint.model.changes.redaction import without_secrets
from setpoint.model.events.run import CancelRequested, GateAnswered
from setpoint.model.gate import Answer, Choice, Edited, Gate, Grant, Via, answered_key
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.run import RunOutcome
from setpoint.system.git.git import ask
from setpoint.wiring.project import Project, find_run, only_run, recorded_order

if TYPE_CHECKING:
    from setpoint.durable.dbos import DbosEngine

POLL_S = 0.2
"""Seconds between two looks at a run that another process ends."""
END_S = 120.0
"""Seconds after which a process that does not end its run counts as stuck."""
GRACE_S = 3.0
"""Seconds for which a run without a process may still be taken up by the one that drove it."""
MOST_LISTED = 200


class OpenGate(Substance):
    """An open gate: the question of a waiting run, and how to answer it."""

    trace_id: TraceId
    story: StoryId
    title: str
    gate: Gate
    commands: dict[Choice, str]
    """The command that gives each answer, by choice."""
    edits: tuple[str, ...] = ()
    """Lines that name each state which was not judged, with the commands that show and keep it."""
    _diff: Callable[[], str] = PrivateAttr(default=str)

    def diff(self) -> str:
        """Return the change in question as a unified diff; empty where there is none."""
        return self._diff()


class OpenQuestions(NamedTuple):
    """The questions that are open."""

    opened: tuple[OpenGate, ...]
    """The newest run's first."""
    unread: dict[TraceId, str]
    """Runs that wait and whose record cannot be read, with what is wrong: they do not hide the others."""


class AnswerRequest(NamedTuple):
    """What a person wants to answer; what is left out is taken from the gate's offer."""

    choice: Choice
    iterations: int | None = None
    cost_usd: Decimal | None = None
    wall_s: float | None = None
    new_approach: bool = False
    instruction: str = ""
    reason: str = ""
    edited: Edited | None = None
    acceptance: str = ""


def current_person(project: Project) -> str:
    """Name who sits here, as git knows them; `UsageError` below a run of the project: nobody sits there."""
    require_person(project)
    answer = asyncio.run(ask(project.root, "config", "--get", "user.name"))
    return answer.text.strip() or "a person"


def open_questions(project: Project) -> OpenQuestions:
    """Return every question that is open, and the runs whose question cannot be read."""
    owner = project.locks.owner
    asked = runs(project.store, owner, limit=MOST_LISTED, recorded=(RunState.WAITING,))
    waiting = [run.trace_id for run in asked if run.state is RunState.WAITING]
    found: list[OpenGate] = []
    unread: dict[TraceId, str] = {}
    events = project.log.readable(waiting)
    for trace_id in waiting:
        try:
            opened = _opened(project, history(events.get(trace_id) or project.log.replay(trace_id)))
        except RecordedDataError as error:
            unread[trace_id] = one_line(str(error))
        else:
            found += [opened] if opened else []
    return OpenQuestions(tuple(found), unread)


def open_gates(project: Project) -> tuple[OpenGate, ...]:
    """Return every question that is open and can be read, the newest run's first."""
    return open_questions(project).opened


def open_gate(project: Project, which: str = "", gate: str = "") -> OpenGate:
    """Return the question of a run, or of the only run that waits; `UsageError` where there is none.

    So it is where `gate` names the question that was read, and another one is open by now.
    """
    if which:
        told = history(project.log.replay(find_run(project, which).trace_id))
        opened = _opened(project, told)
        if opened is None:
            raise UsageError(
                f"{told.trace_id} asks nothing{_why_not(told)}",
                hint="`setpoint answer` lists open questions",
            )
        if gate not in ("", opened.gate.id):
            raise UsageError(
                f"{told.trace_id}: gate {gate} is settled; another question is open now: "
                f"{one_line(opened.gate.question)}",
                hint="read that one, and answer it",
            )
        return opened
    every = open_gates(project)
    if not every:
        raise UsageError("no run waits for a person", hint="`setpoint status` lists the runs")
    if len(every) > 1:
        names = ", ".join(each.trace_id for each in every)
        raise UsageError(f"several runs wait for a person: {names}", hint="name one of them")
    return every[0]


def answer_gate(
    project: Project, opened: OpenGate, wanted: AnswerRequest, *, via: Via = Via.CLI, by: str = ""
) -> Answer:
    """Record an answer; the first one counts, a later one is a `UsageError` that tells it.

    The same answer given twice is recorded once and does not raise an error. `by` names a person who is not
    the one that sits here.
    """
    gate = opened.gate
    if not gate.allows(wanted.choice):
        allowed = ", ".join(option.choice for option in gate.options)
        raise UsageError(
            f"{opened.trace_id}: '{wanted.choice}' does not answer gate {gate.id}", hint=f"answer {allowed}"
        )
    if (wanted.choice is Choice.PROVE) != bool(wanted.acceptance.strip()):
        raise UsageError(
            f"{opened.trace_id}: '{Choice.PROVE}' needs a command, and no other answer takes one",
            hint=f"setpoint answer prove 'COMMAND' {opened.trace_id}",
        )
    if wanted.choice is Choice.DISMISS and not wanted.reason.strip():
        raise UsageError(
            f"{opened.trace_id}: '{Choice.DISMISS}' needs a reason, which reviewers read",
            hint=f"setpoint answer dismiss {opened.trace_id} --because 'WHY'",
        )
    if gate.expired(datetime.now(UTC)):
        message = f"{opened.trace_id}: the deadline of gate {gate.id} has passed; '{gate.default}' is taken"
        raise UsageError(message, hint=f"`setpoint resume {opened.trace_id}` continues with it")
    given = without_secrets(_answer(gate, wanted, by or current_person(project), via))
    (event,) = project.log.append(
        opened.trace_id, answered_key(gate.id), (GateAnswered(gate=gate.id, answer=given),)
    )
    stands = event.body
    if isinstance(stands, GateAnswered) and stands.answer != given:
        raise UsageError(
            f"{opened.trace_id}: gate {gate.id} is answered already: {stands.answer.choice}, by "
            f"{stands.answer.by} at {event.at:%Y-%m-%d %H:%M:%S} UTC",
            hint=f"the first answer counts; `setpoint resume {opened.trace_id}` continues with it",
        )
    _publish(project, opened.trace_id)
    return given


def cancel_run(project: Project, which: str, reason: str = "") -> RunOutcome:
    """End a run, whoever drives it, and give its outcome; its agents' processes are ended too.

    Raises `UsageError` where it is finished already, and `RunInUse` where its process does not obey.
    """
    trace_id = only_run(project, which).trace_id
    told = history(project.log.replay(trace_id))
    if told.outcome is not None:
        message = f"{trace_id} is finished already: {told.outcome.ending}"
        raise UsageError(message, hint="there is nothing to be ended")
    asked = without_secrets(CancelRequested(by=current_person(project), reason=reason))
    project.log.append(trace_id, "cancel", (asked,))
    # The process that drives it ends it; where there is none, this one does.
    outcome = _ended_by_its_owner(project, trace_id)
    if outcome is not None:
        return outcome
    from setpoint.app.runs.drive import drive_run

    return drive_run(project, recorded_order(project, trace_id))


def _ended_by_its_owner(project: Project, trace_id: TraceId) -> RunOutcome | None:
    """Wait for the process that drives a run to end it; none where no process does, or any more."""
    owner, engine = project.locks.owner, project.engine
    end = time.monotonic() + END_S
    told, seen = False, owner(trace_id) is not None
    # Between ending the work and ending the run its process lets go of the run for a moment.
    gone_at = time.monotonic() + (GRACE_S if seen else 0.0)
    while time.monotonic() < end:
        process = owner(trace_id)
        if process is None and time.monotonic() >= gone_at:
            return history(project.log.replay(trace_id)).outcome
        if process is not None:
            gone_at = time.monotonic() + GRACE_S
            told = told or _told(engine, trace_id)
        elif outcome := history(project.log.replay(trace_id)).outcome:
            return outcome
        time.sleep(POLL_S)
    message = f"process {owner(trace_id)} has not ended {trace_id} within {END_S:.0f} seconds"
    raise RunInUse(message, hint="end that process; then `setpoint stop` again")


def _told(engine: DbosEngine, trace_id: TraceId) -> bool:
    try:
        engine.cancel(trace_id)
    except UsageError:  # its process has only just begun: the engine does not know the run yet
        return False
    return True


def _opened(project: Project, told: History) -> OpenGate | None:
    gate = told.waiting
    if gate is None:
        return None
    commands = {option.choice: gate_command(told.trace_id, gate, option.choice) for option in gate.options}
    story = told.order.story
    edits = unjudged_lines(project, told.order, gate.unjudged, named=True)
    opened = OpenGate(
        **dict(substance(told, gate)),
        trace_id=told.trace_id,
        story=story.id,
        title=story.title,
        gate=gate,
        commands=commands,
        edits=edits,
    )
    if told.rounds:
        opened._diff = lambda: diff_of(project, told.trace_id, 0)  # noqa: SLF001 - an instance made here
    return opened


def _answer(gate: Gate, wanted: AnswerRequest, by: str, via: Via) -> Answer:
    grant = Grant()
    if wanted.choice.continues:
        offer = gate.offer
        grant = Grant(
            iterations=offer.iterations if wanted.iterations is None else wanted.iterations,
            cost_usd=offer.cost_usd if wanted.cost_usd is None else wanted.cost_usd,
            wall_s=offer.wall_s if wanted.wall_s is None else wanted.wall_s,
            tokens=offer.tokens,
        )
    return Answer(
        choice=wanted.choice,
        by=by,
        via=via,
        grant=grant,
        new_approach=wanted.new_approach,
        instruction=wanted.instruction.strip(),
        reason=wanted.reason.strip(),
        edited=wanted.edited,
        acceptance=wanted.acceptance.strip(),
    )


def _why_not(told: History) -> str:
    if told.outcome is not None:
        return f": it is finished ({told.outcome.ending})"
    newest: GateQuestion | None = told.gates[-1] if told.gates else None
    if newest is None or newest.answer is None:
        return ""
    return f": gate {newest.gate.id} is answered already ({newest.answer.choice}, by {newest.answer.by})"


def _publish(project: Project, trace_id: TraceId) -> None:
    """Bring the files a person can open up to date."""
    write_all(project.run_folder(trace_id), project.log.replay(trace_id), *project.readers(trace_id))
