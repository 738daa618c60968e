"""One attempt of the maker as a transaction on the work copy.

A step may be repeated after a crash, and an agent is not idempotent. So every entry checks first:
a snapshot under the attempt's label means that it was made and paid for; otherwise what a lost try left
is put aside, its known cost is charged, and a new try begins from the same commit.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from setpoint.inner.tool_calls import InnerLoop, Place, known_cost, watched
from setpoint.model.attempt import Attempt, BreakageKind, Brief, Mode, Stop, ToolCall
from setpoint.model.events.run import AgentFinished, AgentStarted, LoopStagnated
from setpoint.model.ids import Commit
from setpoint.model.pipeline import Phase
from setpoint.model.run import Snapshot
from setpoint.ports import WorkCopy
from setpoint.runs.context import RunContext, change_hash

FATAL = frozenset({BreakageKind.MISSING, BreakageKind.AUTH, BreakageKind.BUDGET})
"""Breakages that another try cannot fix."""
BACK_OFF_S = (2.0, 8.0, 30.0)
"""Seconds before the second, third and each later try."""


@dataclass(frozen=True, kw_only=True)
class Start:
    """State from which an attempt begins."""

    phase: Phase
    iteration: int
    mode: Mode
    parent: Commit


async def make(run: RunContext, start: Start, brief: Brief) -> AgentFinished:
    """Let the maker change the work copy once, and commit the result."""

    async def act() -> AgentFinished:
        came = await made_in(run, start, brief, Bench(copy=run.copy))
        return AgentFinished(
            phase=start.phase.name, iteration=start.iteration, mode=start.mode, **came._asdict()
        )

    return await run.journal.step(brief.label, act, AgentFinished)


class Made(NamedTuple):
    """Result of an attempt."""

    snapshot: Snapshot
    changed_against_base: bool
    diff_hash: str
    lost: int
    lost_cost_usd: Decimal


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The work copy on which the results of a run are judged."""

    copy: WorkCopy
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Lock for changes to the run's work copy while several attempts run at once."""


async def made_in(run: RunContext, start: Start, brief: Brief, bench: Bench) -> Made:
    """Make the attempt in the run's work copy, unless it is already made."""
    workspace, there = run.ports.workspace, bench.copy
    found = await workspace.find(run.copy, brief.label)
    if found is None:
        await workspace.restore(run.copy, start.parent, of=None if there == run.copy else there)
        attempt = await _tried_until_it_works(run, start, brief)
        async with bench.lock:
            # Restored files count against the run, in whichever work copy the attempt was made.
            here = run.copy._replace(trace_id=there.trace_id)
            restored = await run.ports.evaluator.protect(run.judged_by, here)
        found = await workspace.snapshot(run.copy, brief.label, attempt, restored)
    return await _finished(run, start, brief, found)


async def _tried_until_it_works(run: RunContext, start: Start, brief: Brief) -> Attempt:
    earlier = _tries(run, brief)
    tries = nudges = 0
    while True:
        attempt, seen = await _try(run, start, brief, earlier + tries + nudges + 1)
        if _went_in_circles(run, attempt, seen):
            said = _stagnated(run, start, earlier + tries + nudges + 1, brief.label, seen)
            if not said or run.is_exhausted:
                return attempt
            # The work copy stays as it is: the agent continues from there and reads what Setpoint noticed.
            nudges, brief = nudges + 1, brief.model_copy(update={"prompt": f"{brief.prompt}\n{said}"})
            continue
        tries += 1
        if attempt.breakage is None or attempt.breakage.kind in FATAL:
            return attempt
        await run.ports.workspace.restore(run.copy, start.parent)
        exhausted = run.is_exhausted or run.active_s() >= run.limits.max_wall_s
        if exhausted or tries >= run.order.limits.max_agent_breakages:
            return attempt
        await run.ports.clock.sleep(BACK_OFF_S[min(tries, len(BACK_OFF_S)) - 1])


def _went_in_circles(run: RunContext, attempt: Attempt, seen: InnerLoop) -> bool:
    """Whether the turn ended because the agent repeated the same call."""
    too_often = seen.repeats.times >= run.limits.max_same_tool_call
    return attempt.breakage is None and attempt.stop is Stop.CANCELLED and too_often


def _stagnated(run: RunContext, start: Start, number: int, label: str, seen: InnerLoop) -> str:
    """Record that an agent repeated itself; return advice for it, empty if it already received it."""
    last = seen.repeats.last or ToolCall(id="", name="")
    before = any(
        isinstance(event.body, LoopStagnated) and event.body.label == label for event in run.journal.events
    )
    body = LoopStagnated(
        phase=start.phase.name,
        iteration=start.iteration,
        label=label,
        attempt=number,
        call=last,
        times=seen.repeats.times,
        nudged=not before,
    )
    run.journal.note(f"{label}:{number}:stagnated", body)
    told = {"call": last.title or last.name, "times": seen.repeats.times}
    return "" if before else run.ports.render("nudge.md.j2", told)


async def _try(run: RunContext, start: Start, brief: Brief, number: int) -> tuple[Attempt, InnerLoop]:
    agent = run.ports.agents[brief.role]
    body = AgentStarted(
        phase=start.phase.name,
        iteration=start.iteration,
        label=brief.label,
        attempt=number,
        agent=agent.name,
        mode=start.mode,
        prompt=run.ports.keep(brief.prompt),
    )
    run.journal.note(f"{brief.label}:{number}:start", body)
    return await watched(run, agent, brief, Place(start.phase.name, start.iteration, brief.label), number)


async def _finished(run: RunContext, start: Start, brief: Brief, snapshot: Snapshot) -> Made:
    tries = _tries(run, brief)
    nudges = sum(
        isinstance(event.body, LoopStagnated) and event.body.nudged and event.body.label == brief.label
        for event in run.journal.events
    )
    lost = [known_cost(run.journal.events, brief.label, number) for number in range(1, tries)]
    change = await run.ports.workspace.diff(run.copy, start.parent, snapshot.commit)
    return Made(
        snapshot=snapshot,
        changed_against_base=snapshot.tree != run.copy.base_tree,
        diff_hash=change_hash(change),
        lost=max(tries - 1 - nudges, 0),
        lost_cost_usd=sum(lost, Decimal(0)),
    )


def _tries(run: RunContext, brief: Brief) -> int:
    """Count the started tries of this attempt, in this process or an earlier one."""
    return sum(
        1
        for event in run.journal.events
        if isinstance(event.body, AgentStarted) and event.body.label == brief.label
    )
