"""Record with each decision what `halter-v1` predicts and would do; it changes no decision."""

from __future__ import annotations

from setpoint.model.facts.halting import agent_of, turn_states
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.halter.deployment import HaltingBook
from setpoint.model.halter.prediction import HaltingTerms, choose
from setpoint.model.halter.terms import HALTER
from setpoint.model.run import Decision, Shadow


def shadowed(decision: Decision, past: RunFacts, book: HaltingBook | None = None) -> Decision:
    """Return the decision with the predictions for the newest round; what was decided stays as it is.

    The predictions use the weights of the run's agent and version of its model, otherwise the priors.
    """
    limits = past.limits
    terms = HaltingTerms(
        max_turns=limits.max_iterations,
        budget_usd=float(limits.max_cost_usd),
        may_restart=limits.restart_on_repeat and past.last.chain == past.rounds[0].chain,
        model=(book or HaltingBook()).model_for(agent_of(past.rounds)),
    )
    action, values = choose(turn_states(past), terms)
    shadow = Shadow(policy=HALTER, action=action, fitted_to=terms.model.agent, weights=terms.model.id)
    return decision.model_copy(update={"values": values, "shadow": shadow})
