"""How a run ends: the best state is chosen, proved, delivered and recorded, whatever stopped the loop."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.events import Delivered, PhaseBounce, RunFinished
from setpoint.domain.run import COMPLETION_MARK, Ending, Halt, Round, RunOutcome
from setpoint.domain.verdict import HardGate
from setpoint.loops.running import Running
from setpoint.policies.best import best_first, may_be_better, rank, worth_delivering
from setpoint.policies.budget import active_seconds, spent
from setpoint.policies.past import Past

MOST_CANDIDATES = 4
"""How many of the best unproved rounds are measured in full before the base is kept."""


class Close(NamedTuple):
    """Why a run is brought to its end."""

    ending: Ending
    reason: str
    halt: Halt | None = None
    """The guard that stopped it, where one did."""
    uncounted: int = 0
    """Rounds that are no iterations, because a reviewer broke in them."""


async def finish(run: Running, past: Past, close: Close) -> RunOutcome:
    """End a run with the best state it reached; never with one worse than it began with."""
    verified = close.ending is Ending.VERIFIED
    best = past.last if verified else await _best_proved(run, past)
    branch = ""
    if best is not None:
        branch = await _delivered(run, best, verified=verified)

    async def act() -> RunFinished:
        cost, known = spent(run.journal.events)
        outcome = RunOutcome(
            trace_id=run.order.trace_id,
            ending=close.ending,
            reason=close.reason,
            halt=close.halt,
            iterations=len(past.rounds) - close.uncounted,
            bounces=sum(1 for event in run.journal.events if isinstance(event.body, PhaseBounce)),
            best=best.snapshot.commit if best else run.order.base,
            best_iteration=best.number if best else 0,
            branch=branch,
            score=(best.latest if best else past.base).score,
            cost_usd=cost,
            cost_known=known,
            duration_s=round(active_seconds(run.journal.events), 3),
        )
        return RunFinished(outcome=outcome)

    finished = await run.journal.step("finish", act, RunFinished)
    run.world.publish(run.order.trace_id)
    return finished.outcome


async def _best_proved(run: Running, past: Past) -> Round | None:
    """Give the best round that a full measurement shows to be better than the base, if there is one.

    A round that never reached the full suite looks better than it may be, so it is measured before it is
    compared; what was measured already never gives way to it unmeasured.
    """
    better: list[Round] = []
    left = MOST_CANDIDATES
    for candidate in (each for each in best_first(past) if not each.evaluation.blocking):
        if candidate.tests is not None:
            if worth_delivering(candidate, past.base):
                better.append(candidate)
                break
        elif left > 0 and (not better or may_be_better(candidate, max(better, key=rank))):
            left -= 1
            proved = candidate.model_copy(update={"tests": await _appraised(run, candidate)})
            if worth_delivering(proved, past.base):
                better.append(proved)
    return max(better, key=rank, default=None)


async def _appraised(run: Running, candidate: Round) -> Evaluation:
    tree = (candidate.snapshot.commit, candidate.snapshot.tree)
    return await run.measure(f"appraise-{candidate.number}", Stage.TEST, tree, iteration=candidate.number)


async def _delivered(run: Running, best: Round, *, verified: bool) -> str:
    async def act() -> Delivered:
        message = _message(run, best, verified=verified)
        branch = await run.world.forge.deliver(
            run.copy, best.snapshot.commit, run.order.branch, message=message
        )
        return Delivered(branch=branch, commit=best.snapshot.commit, verified=verified)

    return (await run.journal.step("deliver", act, Delivered)).branch


def _message(run: Running, best: Round, *, verified: bool) -> str:
    state = COMPLETION_MARK if verified else "not verified: the best state so far"
    gates = "\n".join(_gate(gate) for gate in best.gates)
    return (
        f"{run.order.story.title}\n\n{state}\n\n"
        f"Gates, measured by Setpoint on tree {best.snapshot.tree}:\n{gates}\n\n"
        f"Setpoint-Run: {run.order.trace_id}\nSetpoint-Iteration: {best.number}\n"
    )


def _gate(gate: HardGate) -> str:
    return f"  {gate.name}: {gate.state}{f' ({gate.reason})' if gate.reason else ''}"
