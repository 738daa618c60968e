"""One attempt of the maker as a transaction on the work copy.

A step may be repeated after a crash, and an agent is not idempotent. So every entry checks first:
a snapshot under the attempt's label means that it was made and paid for; otherwise what a lost try left
is put aside, its known cost is charged, and a new try begins from the same commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from setpoint.inner.kept_edits import (
    INTERRUPTED,
    Bench,
    choose_edits,
    chosen_edits,
    kept_interrupted,
    lost_label,
    tries_of,
)
from setpoint.inner.own_questions import answered
from setpoint.inner.project_text import informed
from setpoint.inner.recovery import Recovering, agent_of, given_up, goes_on, in_session
from setpoint.inner.steering import held, interrupted, steered
from setpoint.inner.tool_calls import InnerLoop, Place, copy_remade, known_cost, watched
from setpoint.model.attempt import Attempt, Brief, Mode, Recovery, Stop, ToolCall
from setpoint.model.events import Body
from setpoint.model.events.live import AgentInterrupted, QuestionAnswered
from setpoint.model.events.run import AgentFinished, AgentStarted, LoopStagnated
from setpoint.model.ids import Commit
from setpoint.model.pipeline import Phase
from setpoint.model.run import ChangeSize, Snapshot
from setpoint.ports import WorkCopy
from setpoint.runs.context import RunContext, change_hash, change_size

MOST_DIFF = 3000
"""Characters of a lost change that the next try reads."""
CHOSEN = "Setpoint measured what your tries left. The files are those of the best one, not of the last"
"""What a maker reads whose last try was not the one that counted."""


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
    lines: int
    size: ChangeSize
    lost: int
    lost_cost_usd: Decimal


async def made_in(run: RunContext, start: Start, brief: Brief, bench: Bench) -> Made:
    """Make the attempt in the run's work copy, unless it is already made."""
    workspace, there = run.ports.workspace, bench.copy
    found = await workspace.find(run.copy, brief.label)
    if found is None:
        brief = await _begun(run, start, brief, there)
        attempt = await _tried_until_it_works(run, start, brief)
        place = Place(start.phase.name, start.iteration, brief.label)
        await choose_edits(run, start.parent, place, attempt, bench)
        async with bench.lock:
            # Restored files count against the run, in whichever work copy the attempt was made.
            here = run.copy._replace(trace_id=there.trace_id)
            restored = await run.ports.evaluator.protect(run.judged_by, here)
        found = await workspace.snapshot(run.copy, brief.label, attempt, restored)
    return await _finished(run, start, brief, found)


async def _begun(run: RunContext, start: Start, brief: Brief, there: WorkCopy) -> Brief:
    """Prepare the work copy; a session that was cut off continues on the tree that it left."""
    agent, now, workspace = agent_of(run, brief), in_session(brief, run.journal.events), run.ports.workspace
    await copy_remade(run, agent)
    left = await kept_interrupted(run, brief.label)
    stays = left is not None and goes_on(agent, now)
    shows = left.commit if left is not None and stays else None
    await workspace.restore(run.copy, start.parent, of=None if there == run.copy else there, shows=shows)
    if left is not None:
        diff = await workspace.diff(run.copy, left.parent, left.commit) if left.files else ""
        if stays:
            return _explained(run, brief, INTERRUPTED, kept=True, diff=diff)
        if diff:
            return _explained(run, brief, INTERRUPTED, kept=False, diff=diff)
    if chosen_edits(run, start.parent) is not None:
        return _explained(run, brief, CHOSEN, kept=True)
    cut = given_up(brief, run.journal.events)
    if cut is None:
        return brief
    ended = await workspace.find(run.copy, cut.label)
    if ended is not None and ended.commit == start.parent:
        return _explained(run, brief, cut.breakage.message, kept=True)
    left = await workspace.find(run.copy, lost_label(cut.label, cut.attempt))
    diff = await workspace.diff(run.copy, left.parent, left.commit) if left else ""
    return _explained(run, brief, cut.breakage.message, kept=False, diff=diff)


async def _tried_until_it_works(run: RunContext, start: Start, brief: Brief) -> Attempt:
    earlier = tries_of(run, brief.label)
    number = earlier
    plain = brief
    place = Place(start.phase.name, start.iteration, brief.label)
    recovering = Recovering(run=run, brief=plain, place=place)
    cut = False
    while True:
        number += 1
        await held(run)
        now = steered(run, in_session(brief, run.journal.events), start.iteration, cut=cut)
        attempt, seen = await _try(run, start, now, number)
        cut = interrupted(run, brief, start.iteration, attempt, number)
        if cut:
            brief = plain  # the session knows the rest; the work copy is as the agent left it
            continue
        if _went_in_circles(run, attempt, seen):
            said = _stagnated(run, start, number, brief.label, seen)
            if not said or run.is_exhausted:
                return attempt
            # The work copy stays as it is: the agent continues from there and reads what Setpoint noticed.
            brief = brief.model_copy(update={"prompt": f"{brief.prompt}\n{said}"})
            continue
        if attempt.breakage is None:
            said = await answered(run, now, start.iteration, attempt, number)
            if not said:
                return attempt
            brief = plain.model_copy(update={"prompt": said})
            continue
        # Kept before anything else happens: whoever continues may undo these edits.
        left = await run.ports.workspace.snapshot(
            run.copy, lost_label(brief.label, number), attempt, stay=True
        )
        then = await recovering.after(attempt.breakage, number)
        if then is Recovery.END:
            return attempt
        stays = then in (Recovery.SAME_SESSION, Recovery.NEXT_AGENT)
        if not stays:
            await run.ports.workspace.restore(run.copy, start.parent)
        diff = await run.ports.workspace.diff(run.copy, start.parent, left.commit) if left.files else ""
        by = attempt.agent if then is Recovery.NEXT_AGENT else ""
        brief = _explained(run, plain, attempt.breakage.message, kept=stays, diff=diff, by=by)


def _explained(run: RunContext, brief: Brief, why: str, *, kept: bool, diff: str = "", by: str = "") -> Brief:
    """Put before a prompt what happened to the last try, and what became of its edits."""
    told = {"why": why, "kept": kept, "diff": diff[:MOST_DIFF], "by": by}
    said = run.ports.render("interrupted.md.j2", told)
    return brief.model_copy(update={"prompt": f"{said}\n{brief.prompt}"})


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
    agent = agent_of(run, brief)
    place = Place(start.phase.name, start.iteration, brief.label)
    brief = await informed(run, agent, brief, place)
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
    return await watched(run, agent, brief, place, number)


async def _finished(run: RunContext, start: Start, brief: Brief, snapshot: Snapshot) -> Made:
    tries = tries_of(run, brief.label)
    nudges = sum(_continued(event.body, brief.label) for event in run.journal.events)
    lost = [known_cost(run.journal.events, brief.label, number) for number in range(1, tries)]
    change = await run.ports.workspace.diff(run.copy, start.parent, snapshot.commit)
    whole = change
    if start.parent != run.order.base:
        whole = await run.ports.workspace.diff(run.copy, run.order.base, snapshot.commit)
    size = change_size(whole)
    return Made(
        snapshot=snapshot,
        changed_against_base=snapshot.tree != run.copy.base_tree,
        diff_hash=change_hash(change),
        lines=size.insertions + size.deletions,
        size=size,
        lost=max(tries - 1 - nudges, 0),
        lost_cost_usd=sum(lost, Decimal(0)),
    )


def _continued(body: Body, label: str) -> bool:
    """Whether a try of a label was ended so that the next one continues from there."""
    nudged = isinstance(body, LoopStagnated) and body.nudged
    continues = nudged or isinstance(body, AgentInterrupted | QuestionAnswered)
    return continues and getattr(body, "label", "") == label
