"""Keep every state with edits that Setpoint undoes, and let the best of them be the result of an attempt.

A try that breaks may have made the right change, whatever the try after it does. So Setpoint commits what it
undoes, and before an attempt is judged it measures these states: the agent's word that all is done, or that
nothing is, counts for neither.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Stop
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.live import EditsChosen, MeasuredEdits
from setpoint.model.events.run import AgentFinished, AgentStarted, BaselineMeasured, IterationEvaluated
from setpoint.model.run import Snapshot, UnjudgedEdits
from setpoint.ports import Measured, WorkCopy
from setpoint.ports.workspace import RecallsEdits
from setpoint.runs.context import RunContext

MOST_MEASURED = 3
"""Undone states of one attempt that are measured, the newest first."""
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
    return await run.ports.workspace.snapshot(run.copy, lost_label(label, number), attempt)


async def kept_of(run: RunContext, label: str) -> list[Snapshot]:
    """Return the distinct states with edits that the tries of an attempt left, the newest first."""
    found: dict[str, Snapshot] = {}
    for number in range(tries_of(run, label), 0, -1):
        left = await run.ports.workspace.find(run.copy, lost_label(label, number))
        if left is not None and left.files:
            found.setdefault(left.tree, left)
    return list(found.values())


async def choose_edits(run: RunContext, label: str, iteration: int, attempt: Attempt, bench: Bench) -> None:
    """Leave in the work copy the best of what the tries of an attempt left; it is judged like any other.

    What the last try left counts if it passes, or if nothing undone does. Of an agent that broke or edited
    nothing, the state with the fewest problems counts, the newest of equal ones.
    """
    workspace = run.ports.workspace
    if not await kept_of(run, label):
        return
    ended = await workspace.snapshot(run.copy, lost_label(label, tries_of(run, label)), attempt)
    left = (await kept_of(run, label))[: MOST_MEASURED + bool(ended.files)]
    ends_well = attempt.breakage is None and bool(ended.files)
    if len(left) > 1 and not (ends_well and not _shows_the_end(run)):
        chosen, measured = await _best(run, left, attempt, bench, ends_well=ends_well)
    else:
        chosen, measured = left[0], []
    if chosen.tree != ended.tree:
        body = EditsChosen(iteration=iteration, label=label, chosen=chosen.label, measured=tuple(measured))
        run.journal.note(f"{label}:chosen-edits", body)
    await workspace.restore(run.copy, chosen.commit)


async def unjudged_edits(run: RunContext) -> tuple[UnjudgedEdits, ...]:
    """Commit what the newest attempt left, unless it was judged; return its states with edits."""
    label, made = "", None
    for event in run.journal.events:
        if isinstance(event.body, AgentStarted):
            label, made = event.body.label, None
        elif isinstance(event.body, AgentFinished):
            made = event.body.snapshot
        elif isinstance(event.body, IterationEvaluated):
            label, made = "", None
    if not label:
        return ()
    if made is None:
        await kept_interrupted(run, label)
    ended = [made] if made is not None and made.files else []
    left = {each.tree: each for each in (*ended, *await kept_of(run, label))}
    return tuple(
        UnjudgedEdits(
            label=each.label,
            commit=each.commit,
            files=len(each.files),
            insertions=each.insertions,
            deletions=each.deletions,
        )
        for each in left.values()
    )


def chosen_edits(run: RunContext, commit: str) -> EditsChosen | None:
    """Return the choice that a commit came of, where the attempt before ended with undone edits."""
    last: EditsChosen | None = None
    for event in run.journal.events:
        if isinstance(event.body, EditsChosen):
            last = event.body
        elif (snapshot := getattr(event.body, "snapshot", None)) is not None:
            if last is not None and snapshot.label == last.label and snapshot.commit == commit:
                return last
            last = None if last is not None and snapshot.label == last.label else last
    return None


async def _best(
    run: RunContext, left: list[Snapshot], attempt: Attempt, bench: Bench, *, ends_well: bool
) -> tuple[Snapshot, list[MeasuredEdits]]:
    """Measure states in their order until one passes; return that one, else the best."""
    measured: list[MeasuredEdits] = []
    for each in left:
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


def _shows_the_end(run: RunContext) -> bool:
    """Whether what passes now and failed at the base shows that nothing of the request is missing."""
    base = _base(run)
    return bool(run.order.story.acceptance or (base and base.failures))


def _suspects(run: RunContext) -> tuple[str, ...]:
    base = _base(run)
    return tuple(failure.test for failure in base.failures) if base else ()
