"""One attempt of the maker as a transaction on the work copy.

A step may be done again after a crash, and an agent is not idempotent. So every entry looks first:
a snapshot under the attempt's label means that it was made and paid for; otherwise what a lost try left
is put aside, its known cost is charged, and a new try begins from the same commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from setpoint.domain.attempt import Attempt, BreakageKind, Brief, Mode
from setpoint.domain.events import AgentFinished, AgentStarted
from setpoint.domain.ids import Commit
from setpoint.domain.pipeline import Phase
from setpoint.domain.run import Snapshot
from setpoint.loops.inner import InnerLoop, known_cost
from setpoint.loops.running import Running, change_hash

FATAL = frozenset({BreakageKind.MISSING, BreakageKind.AUTH})
"""Breakages that another try cannot mend."""
BACK_OFF_S = (2.0, 8.0, 30.0)
"""Seconds before the second, third and each later try."""


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where an attempt begins."""

    phase: Phase
    iteration: int
    mode: Mode
    parent: Commit


async def make(run: Running, start: Start, brief: Brief) -> AgentFinished:
    """Let the maker change the work copy, once, and commit what it left."""

    async def act() -> AgentFinished:
        found = await run.world.workspace.find(run.copy, brief.label)
        if found is None:
            await run.world.workspace.restore(run.copy, start.parent)
            attempt = await _tried_until_it_works(run, start, brief)
            restored = await run.world.evaluator.protect(run.judged_by, run.copy)
            found = await run.world.workspace.snapshot(run.copy, brief.label, attempt, restored)
        return await _finished(run, start, brief, found)

    return await run.journal.step(brief.label, act, AgentFinished)


async def _tried_until_it_works(run: Running, start: Start, brief: Brief) -> Attempt:
    earlier = _tries(run, brief)
    tries = 0
    while True:
        tries += 1
        attempt = await _try(run, start, brief, earlier + tries)
        if attempt.breakage is None or attempt.breakage.kind in FATAL:
            return attempt
        await run.world.workspace.restore(run.copy, start.parent)
        if tries >= run.order.limits.max_agent_breakages or run.active_s() >= run.limits.max_wall_s:
            return attempt
        await run.world.clock.sleep(BACK_OFF_S[min(tries, len(BACK_OFF_S)) - 1])


async def _try(run: Running, start: Start, brief: Brief, number: int) -> Attempt:
    agent = run.world.agents[brief.role]
    body = AgentStarted(
        phase=start.phase.name,
        iteration=start.iteration,
        label=brief.label,
        attempt=number,
        agent=agent.name,
        mode=start.mode,
        prompt=run.world.keep(brief.prompt),
    )
    run.journal.note(f"{brief.label}:{number}:start", body)
    return await agent.attempt(
        brief, InnerLoop(run.journal, start.phase.name, start.iteration, brief.label, number)
    )


async def _finished(run: Running, start: Start, brief: Brief, snapshot: Snapshot) -> AgentFinished:
    tries = _tries(run, brief)
    lost = [known_cost(run.journal.events, brief.label, number) for number in range(1, tries)]
    change = await run.world.workspace.diff(run.copy, start.parent, snapshot.commit)
    return AgentFinished(
        phase=start.phase.name,
        iteration=start.iteration,
        mode=start.mode,
        snapshot=snapshot,
        changed_against_base=snapshot.tree != run.copy.base_tree,
        diff_hash=change_hash(change),
        lost=max(tries - 1, 0),
        lost_cost_usd=sum(lost, Decimal(0)),
    )


def _tries(run: Running, brief: Brief) -> int:
    """Count the tries of this attempt that were begun, in this process or an earlier one."""
    return sum(
        1
        for event in run.journal.events
        if isinstance(event.body, AgentStarted) and event.body.label == brief.label
    )
