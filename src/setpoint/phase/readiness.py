"""Stop a run before an agent is paid, where no result could be verified."""

from __future__ import annotations

from setpoint.model.evaluation import Evaluation
from setpoint.model.events.run import HaltingDecided
from setpoint.model.run import Action, Decision, Ending
from setpoint.phase.finish_run import Close
from setpoint.phase.policy.halting_policy import RULES
from setpoint.phase.policy.verifiers import in_words, not_ready
from setpoint.runs.context import RunContext


async def checked_readiness(run: RunContext, base: Evaluation) -> Close | None:
    """Return why the run should not begin; none where its checks can answer."""
    broken = not_ready(base, run.order.story)
    why = [in_words(broken)] if broken else []
    why += [f"the goal {each.name} is a gate; {each.told}" for each in base.goals if each.gated]
    if not why:
        return None
    reason = f"no agent was started, because no result could be verified: {'; '.join(why)}"

    async def act() -> HaltingDecided:
        decision = Decision(policy=RULES, action=Action.ESCALATE, reason=reason)
        return HaltingDecided(iteration=0, decision=decision)

    decided = await run.journal.step("ready", act, HaltingDecided)
    return Close(Ending.ESCALATED, decided.decision.reason)
