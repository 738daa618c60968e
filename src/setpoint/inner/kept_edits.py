"""Keep every state with edits that existed at a breakage, and let the best be the result of an attempt.

A try that breaks may have made the right change, whatever the try after it does, also one that continues on
its edits. So Setpoint commits what is there whenever a try breaks, and before an attempt is judged it
measures these states: the agent's word that all is done, or that nothing is, counts for neither.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from setpoint.inner.tool_calls import Place
from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Stop
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.live import EditsChosen, MeasuredEdits
from setpoint.model.events.run import AgentStarted, BaselineMeasured
from setpoint.model.ids import Commit
from setpoint.model.run import Snapshot
from setpoint.ports import Measured, WorkCopy
from setpoint.ports.workspace import RecallsEdits
from setpoint.runs.context import RunContext

LEAST_MEASURED = 3
"""Earlier states of one attempt that are measured also where the time of the run is over."""
INTERRUPTED = "Setpoint itself was ended in the middle of your work"
"""Why an earlier try was cut off, where nothing else is known of it."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The work copy on which the results of a run are judged."""

    copy: WorkCopy
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Lock for changes to the run's work copy while several attempts run at once."""


def lost_label(label: str, number: int) -> str:
    """Return the label of the commit that holds what a try left."""
    return f"{label}.broke-{number}"


def tries_of(run: RunContext, label: str) -> int:
    """Count the started tries of an attempt, in this process or an earlier one."""
    return sum(
        1
        for event in run.journal.events
        if isinstance(event.body, AgentStarted) and event.body.label == label
    )


async def kept_interrupted(run: RunContext, label: str) -> Snapshot | None:
    """Commit what a try left in which Setpoint itself was ended; none if no try was begun."""
    if not (number := tries_of(run, label)):
        return None
    if isinstance(run.ports.workspace, RecallsEdits):
        await run.ports.workspace.recall(run.copy)
    started = [event.body for event in run.journal.events if isinstance(event.body, AgentStarted)]
    agent = next(each.agent for each in reversed(started) if each.label == label)
    attempt = Attempt(
        agent=agent,
        stop=Stop.BROKEN,
        breakage=Breakage(kind=BreakageKind.CRASH, message=INTERRUPTED),
        started_at=run.ports.clock.now(),
        duration_s=0.0,
    )
    return await run.ports.workspace.snapshot(run.copy, lost_label(label, number), attempt, stay=True)


async def kept_of(run: RunContext, label: str) -> list[Snapshot]:
    """Return the distinct states with edits that the tries of an attempt left, the newest first."""
    found: dict[str, Snapshot] = {}
    for number in range(tries_of(run, label), 0, -1):
        left = await run.ports.workspace.find(run.copy, lost_label(label, number))
        if left is not None and left.files:
            found.setdefault(left.tree, left)
    return list(found.values())


async def choose_edits(run: RunContext, start: Commit, place: Place, attempt: Attempt, bench: Bench) -> None:
    """Leave in the work copy the best of what the tries of an attempt left; it is judged like any other.

    What the last try left counts if it passes, or if nothing earlier does. Of an agent that broke or edited
    nothing, the state with the fewest problems counts, the newest of equal ones. `start` is the commit from
    which the attempt began; the work copy stays there.
    """
    workspace, label = run.ports.workspace, place.label
    if not await kept_of(run, label):
        return
    ended = await workspace.snapshot(run.copy, lost_label(label, tries_of(run, label)), attempt, stay=True)
    left = await kept_of(run, label)
    ends_well = attempt.breakage is None and bool(ended.files)
    measured: list[MeasuredEdits] = []
    chosen = left[0]
    if len(left) > 1 and not (ends_well and not shows_the_end(run)):
        chosen, measured = await _best(run, left, attempt, bench, ends_well=ends_well)
    earlier = chosen.tree != ended.tree
    if measured or earlier:
        known = {each.of for each in measured} | {chosen.label}
        body = EditsChosen(
            iteration=place.iteration,
            label=label,
            chosen=chosen.label,
            measured=tuple(measured),
            unmeasured=tuple(each.label for each in left if each.label not in known),
            earlier=earlier,
        )
        run.journal.note(f"{label}:{tries_of(run, label)}:chosen-edits", body)
        await workspace.restore(run.copy, start, shows=chosen.commit)


def chosen_edits(run: RunContext, commit: str) -> EditsChosen | None:
    """Return the choice that a commit came of, where the attempt before ended with undone edits."""
    last: EditsChosen | None = None
    for event in run.journal.events:
        if isinstance(event.body, EditsChosen):
            last = event.body if event.body.earlier else None
        elif (snapshot := getattr(event.body, "snapshot", None)) is not None:
            if last is not None and snapshot.label == last.label and snapshot.commit == commit:
                return last
            last = None if last is not None and snapshot.label == last.label else last
    return None


async def _best(
    run: RunContext, left: list[Snapshot], attempt: Attempt, bench: Bench, *, ends_well: bool
) -> tuple[Snapshot, list[MeasuredEdits]]:
    """Measure states in their order until one passes, while there is time; return that one, else the best."""
    measured: list[MeasuredEdits] = []
    for each in left:
        if len(measured) > LEAST_MEASURED and run.active_s() >= run.limits.max_wall_s:
            break
        problems = await _problems(run, each, attempt, bench)
        measured.append(problems)
        if not problems.failing and not problems.blocking:
            return each, measured
    if ends_well:
        return left[0], measured
    ranks = [(each.failing, each.blocking) for each in measured]
    return left[ranks.index(min(ranks))], measured


async def _problems(run: RunContext, state: Snapshot, attempt: Attempt, bench: Bench) -> MeasuredEdits:
    """Measure a state as it would be judged, with protected files restored: the cheap checks first."""
    workspace = run.ports.workspace
    await workspace.restore(run.copy, state.commit)
    async with bench.lock:
        here = run.copy._replace(trace_id=bench.copy.trace_id)
        restored = await run.ports.evaluator.protect(run.judged_by, here)
        ready = await workspace.snapshot(run.copy, f"{state.label}.judged", attempt, restored)
        if run.copy != bench.copy:
            await workspace.restore(bench.copy, ready.commit, of=run.copy)
        failing = blocking = 0
        for stage in (Stage.EVALUATE, Stage.TEST):
            asked = Measured(bench.copy, ready.commit, ready.tree, stage, _suspects(run))
            seen = await run.ports.evaluator.evaluate(run.judged_by, asked)
            failing, blocking = len(seen.failures) + len(seen.broken), len(seen.blocking)
            if failing or blocking:
                break
    return MeasuredEdits(of=state.label, failing=failing, blocking=blocking)


def _base(run: RunContext) -> Evaluation | None:
    known = run.journal.known("baseline")
    return known.evaluation if isinstance(known, BaselineMeasured) else None


def shows_the_end(run: RunContext) -> bool:
    """Whether what passes now and failed at the base shows that nothing of the request is missing."""
    base = _base(run)
    return bool(run.order.story.acceptance or (base and base.failures))


def _suspects(run: RunContext) -> tuple[str, ...]:
    base = _base(run)
    return tuple(failure.test for failure in base.failures) if base else ()
