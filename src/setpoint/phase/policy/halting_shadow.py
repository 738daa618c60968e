"""Record with each decision what `halter-v1` predicts and would do; it changes no decision."""

from __future__ import annotations

from setpoint.model.facts.halting import turn_states
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.halter.one_more import one_more
from setpoint.model.halter.prediction import HaltingTerms, choose
from setpoint.model.halter.terms import HALTER
from setpoint.model.halting import Economics
from setpoint.model.halting_values import OneMore
from setpoint.model.run import Decision, Shadow


def shadowed(decision: Decision, past: RunFacts) -> Decision:
    """Return the decision with the predictions for the newest round; what was decided stays as it is."""
    action, values = choose(turn_states(past), _terms(past))
    values = values.model_copy(update={"one_more": worth_of_one_more(past)})
    return decision.model_copy(update={"values": values, "shadow": Shadow(policy=HALTER, action=action)})


def worth_of_one_more(past: RunFacts) -> OneMore | None:
    """Return what one more iteration is worth; none where no worth is stated, or every gate passes."""
    if past.worth.worth_usd is None or not past.rounds:
        return None
    costs = [float(each.cost_usd) for each in past.shares] if past.cost_known else []
    return one_more(turn_states(past), _terms(past), costs)


def _terms(past: RunFacts) -> HaltingTerms:
    limits = past.limits
    return HaltingTerms(
        economics=Economics.of(past.worth),
        max_turns=limits.max_iterations,
        budget_usd=float(limits.max_cost_usd),
        may_restart=limits.restart_on_repeat and past.last.chain == past.rounds[0].chain,
    )
