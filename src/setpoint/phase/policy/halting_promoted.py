"""Let a promoted halting policy decide in place of the progress guards of `rules-v1`, never of its gates."""

from __future__ import annotations

from setpoint.model.facts.halting import agent_of, turn_states
from setpoint.model.facts.rounds import RunFacts, open_count
from setpoint.model.halter.deployment import ActiveHalting, Promotion, drawn
from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.run import Action, Decision, Halt
from setpoint.phase.policy.loop_guards import exhausting

CANARY = "canary"


def with_promoted(
    past: RunFacts, rules: tuple[Decision, Halt | None], *, run: str, active: ActiveHalting
) -> tuple[Decision, Halt | None]:
    """Return the decision of the policy that is promoted for the run's agent, otherwise that of `rules-v1`.

    What passes every gate, what needs a person and what a limit ends stays with the rules; so does a run that
    a person let continue.
    """
    agent = agent_of(past.rounds)
    promotion = active.book.promotions.get(agent)
    if promotion is None:
        return _noted(rules, _why_rules(past, agent, active))
    is_canary = agent in active.canaries
    share = active.settings.canary_share if is_canary else 1.0
    taken = not is_canary or drawn(CANARY, run, share)
    wanted = _wanted(past, promotion) if _replaceable(past, rules) else None
    decision, halt = rules
    same = wanted in (None, decision.action)
    update = {"assigned": promotion.policy if taken else "", "propensity": 1.0}
    if not same:
        update["propensity"] = share if taken else 1 - share
    if taken and wanted is not None:
        decision, halt = _decided(past, promotion, wanted, rules)
    return decision.model_copy(update=update), halt


def progress_alone(past: RunFacts, rules: tuple[Decision, Halt | None]) -> bool:
    """Whether nothing but a lack of progress makes the rules ask a person."""
    decision, halt = rules
    stops = decision.action is Action.ESCALATE and halt is not None
    return stops and not past.last.verified and exhausting(past.limits)(past) is None


def _replaceable(past: RunFacts, rules: tuple[Decision, Halt | None]) -> bool:
    if past.since or past.last.verified:
        return False
    return rules[0].action in (Action.CONTINUE, Action.RESTART) or progress_alone(past, rules)


def _wanted(past: RunFacts, promotion: Promotion) -> Action | None:
    """Return what the policy wants; none where the rules have to decide instead.

    A restart was not in the runs that it was accepted on, so it may not begin one.
    """
    limits = past.limits
    terms = HaltingTerms(
        economics=promotion.economics,
        max_turns=limits.max_iterations,
        budget_usd=float(limits.max_cost_usd),
        may_restart=False,
        model=promotion.model,
    )
    made = NAMED.get(promotion.policy)
    action = made(terms)(turn_states(past)) if made else None
    return action if action in (Action.CONTINUE, Action.ESCALATE) else None


def _decided(
    past: RunFacts, promotion: Promotion, wanted: Action, rules: tuple[Decision, Halt | None]
) -> tuple[Decision, Halt | None]:
    decision, halt = rules
    said: dict[str, object] = {"policy": promotion.policy, "action": wanted}
    if promotion.model.agent:
        said["weights"] = promotion.model.id
    open_problems = f"open problems: {open_count(past.last)}"
    if wanted is Action.CONTINUE:
        said["reason"] = f"{open_problems}; {promotion.policy}, which is promoted, would not stop here"
        return decision.model_copy(update=said), None
    if decision.action is not Action.ESCALATE or halt is None:
        halt = Halt(
            guard=promotion.policy,
            reason=f"{open_problems}; {promotion.policy}, which is promoted, stops here",
            figures={"rounds": len(past.rounds)},
            go_on="let it continue, write an instruction, or `setpoint lab halting demote`",
        )
    said["reason"] = halt.reason
    return decision.model_copy(update=said), halt


def _why_rules(past: RunFacts, agent: str, active: ActiveHalting) -> str:
    """Say once why no promoted policy decides; empty where none was promoted for the agent."""
    if len(past.rounds) > 1 and agent_of(past.rounds[:-1]) == agent:
        return ""
    if notice := active.notices.get(agent):
        return f"rules-v1 decides: {notice}"
    name = agent.split(" ", 1)[0]
    others = [each for each in active.book.promotions.values() if each.agent.split(" ", 1)[0] == name]
    if not others:
        return ""
    return f"rules-v1 decides: {others[0].policy} is promoted for {others[0].agent}, and this is {agent}"


def _noted(rules: tuple[Decision, Halt | None], note: str) -> tuple[Decision, Halt | None]:
    decision, halt = rules
    return (decision.model_copy(update={"reason": f"{decision.reason}; {note}"}), halt) if note else rules
