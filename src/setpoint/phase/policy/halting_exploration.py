"""Take one more iteration on a share of the runs that would stop, so that the log shows what it brings."""

from __future__ import annotations

from setpoint.model.facts.rounds import RunFacts
from setpoint.model.halter.deployment import ActiveHalting, drawn
from setpoint.model.run import Action, Decision, Halt
from setpoint.phase.policy.halting_policy import rules_v1
from setpoint.phase.policy.halting_promoted import progress_alone, with_promoted

SHADOW_CONTINUE = "shadow-continue"
Decided = tuple[Decision, Halt | None]


def in_charge(past: RunFacts, rules: Decided, *, run: str, active: ActiveHalting) -> Decided:
    """Return what a promoted policy decides, or one more iteration in a run that is drawn for it."""
    decision, halt = with_promoted(past, rules, run=run, active=active)
    share = active.settings.shadow_continue
    if not share or decision.assigned or not _may_explore(past, (decision, halt)):
        return decision, halt
    if not drawn(SHADOW_CONTINUE, run, share):
        return decision.model_copy(update={"propensity": decision.propensity * (1 - share)}), halt
    more = {
        "action": Action.CONTINUE,
        "wanted": decision.action,
        "reason": f"{decision.reason}; one more iteration shows what it brings (halting.shadow_continue)",
        "propensity": decision.propensity * share,
    }
    return decision.model_copy(update=more), None


def _may_explore(past: RunFacts, decided: Decided) -> bool:
    """Whether a lack of progress alone stops the run, which it did not after the round before."""
    if past.since or not progress_alone(past, decided):
        return False
    before = past.model_copy(update={"rounds": past.rounds[:-1], "shares": past.shares[:-1]})
    return not before.rounds or not progress_alone(before, rules_v1(before))
