"""Stop a run before an agent is paid, where no result could be verified."""

from __future__ import annotations

from setpoint.model.cover_quality import MET, SOURCE
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.events.run import HaltingDecided
from setpoint.model.facts.cover_gain import strength_of_tests
from setpoint.model.run import Action, Decision
from setpoint.phase.finish_run import Close
from setpoint.phase.policy.halting_policy import RULES
from setpoint.phase.policy.provable import unprovable
from setpoint.phase.policy.verifiers import in_words, not_ready
from setpoint.runs.context import RunContext

_LACKING = "no agent was started, because failing tests need what the checks do not get:"


async def checked_readiness(run: RunContext, base: Evaluation) -> Close | None:
    """Return why the run should not begin; none where its checks can answer."""
    if (met := _met_already(base)) is not None:
        return await _ended(run, met, Ending.MET, Action.HALT)
    if base.lacking:
        return await _ended(run, f"{_LACKING} {base.lacking}", Ending.UNPROVABLE, Action.ESCALATE)
    broken = not_ready(base, run.order.story)
    why = [in_words(broken)] if broken else []
    why += [f"the goal {each.name} is a gate; {each.told}" for each in base.goals if each.gated]
    if not why:
        return await _refused(run, base)
    reason = f"no agent was started, because no result could be verified: {'; '.join(why)}"
    return await _ended(run, reason, Ending.ESCALATED, Action.ESCALATE)


async def _refused(run: RunContext, base: Evaluation) -> Close | None:
    """Return that nothing could prove the work, unless the order lets it begin all the same."""
    why = "" if run.order.proof.begin_unprovable else unprovable(base, run.order)
    if not why:
        return None
    reason = f"no agent was started, because {why}"
    return await _ended(run, reason, Ending.UNPROVABLE, Action.ESCALATE)


def _met_already(base: Evaluation) -> str | None:
    """Say that a run which writes tests has nothing to do; none where it has."""
    strength, evidence = strength_of_tests(base), base.evidence_of(SOURCE)
    if strength is None or evidence is None or not evidence.counts.get(MET):
        return None
    return f"the goals are met already: tests reach {strength.coverage / 10:.1f}% of the lines and branches"


async def _ended(run: RunContext, reason: str, ending: Ending, action: Action) -> Close:
    async def act() -> HaltingDecided:
        return HaltingDecided(iteration=0, decision=Decision(policy=RULES, action=action, reason=reason))

    decided = await run.journal.step("ready", act, HaltingDecided)
    return Close(ending, decided.decision.reason)
