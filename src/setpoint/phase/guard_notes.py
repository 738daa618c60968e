"""Record what guards did: which one fired, and which cannot judge the run."""

from __future__ import annotations

from setpoint.model.events.run import GuardFired, GuardUnable, HaltingDecided
from setpoint.model.facts.rounds import RunFacts
from setpoint.phase.policy.unable_guards import unable
from setpoint.runs.context import RunContext


def note_guards(run: RunContext, past: RunFacts, decided: HaltingDecided) -> None:
    """Record the guard that fired, and once each guard that cannot judge the run."""
    number = past.last.number
    for guard, reason in unable(past).items():
        told = GuardUnable(iteration=number, guard=guard, reason=reason)
        run.journal.note(f"guard-unable-{guard}", told)
    if decided.halt is not None:
        fired = GuardFired(iteration=number, halt=decided.halt, policy=decided.decision.policy)
        run.journal.note(f"guard-{number}", fired)
