"""The halting policy `rules-v1`, which measured best on logged runs (docs/decisions/0010)."""

from __future__ import annotations

from collections import Counter

from setpoint.model.facts.rounds import (
    RunFacts,
    failures,
    missed_goals,
    open_count,
    qualities,
    same_problems_running,
    scores_with_tests,
    unproven,
)
from setpoint.model.goals import PREFIX, GoalState
from setpoint.model.proof import ELSEWHERE, HIDDEN, MEASURED, REVIEW
from setpoint.model.run import Action, Decision, Halt, Round
from setpoint.model.verdict import Judgement
from setpoint.phase.policy.bouncing import bounce_count
from setpoint.phase.policy.loop_guards import exhausting
from setpoint.phase.policy.no_gain import no_gain
from setpoint.phase.policy.progress_guards import repeated_findings, stuck
from setpoint.phase.policy.review import standing_in
from setpoint.phase.policy.verifiers import in_words, unanswered

RULES = "rules-v1"
CONFIRM_FROM_ROUND = 3
"""First round whose pass is measured again: the precision of 'own tests pass' falls with every attempt."""


def rules_v1(past: RunFacts) -> tuple[Decision, Halt | None]:
    """Decide after a round; the halt names the guard that stopped or restarted the loop.

    The quality score never halts a run.
    """
    if past.last.verified:
        return _verified(past), None
    if reason := _for_a_person(past):
        return _decision(past, Action.ESCALATE, reason), None
    if halt := exhausting(past.limits)(past) or no_gain(past):
        return _decision(past, Action.ESCALATE, halt.reason), halt
    may_restart = past.limits.restart_on_repeat and past.last.chain == past.recent[0].chain
    if may_restart and (halt := repeated_findings(past.limits)(past)):
        return _decision(
            past, Action.RESTART, f"{halt.reason}: once more from the best state with a fresh context"
        ), halt
    if halt := stuck(past.limits)(past):
        halt = _suspecting_test(past, halt)
        return _decision(past, Action.ESCALATE, halt.reason), halt
    return _decision(
        past,
        Action.CONTINUE,
        "no limit is reached",
    ), None


def _for_a_person(past: RunFacts) -> str:
    """Return why a person has to decide now; empty where nobody has to.

    Where proof alone is missing, the maker learns each obligation once before, a failing hidden test too.
    """
    missing = unproven(past.last)
    if broken := unanswered(past.last.latest, past.base):
        return f"no change can make it answer: {in_words(broken)}"
    if asked := _asked_by(past.last):
        return asked
    if owed := [
        each for each in missing if each.rule in (REVIEW, MEASURED) or each.rule in _unmeasured(past.last)
    ]:
        # No change of the maker can bring it.
        return f"nothing was found against the change, but it is {owed[0].message}"
    told = Counter(finding.rule for each in past.recent[:-1] for finding in unproven(each))
    if hidden := [each for each in missing if each.rule == HIDDEN]:
        # Without a test that passes there may be no witness either, so that is not counted apart.
        said = hidden[0].message.removeprefix("not proved: ")
        wrong = f"the work and a hidden test disagree: {said}; say which of them is right"
        return wrong if _red_again(past) else ""
    if still := [each for each in missing if told[each.rule] and not _nearer(past, each.rule)]:
        return f"nothing was found against the change, but it is {still[0].message}"
    return ""


def _red_again(past: RunFacts) -> bool:
    """Whether a hidden test fails that failed in an earlier round too."""
    earlier = {path for each in past.recent[:-1] if each.proof for path in each.proof.red_hidden}
    return past.last.proof is not None and not earlier.isdisjoint(past.last.proof.red_hidden)


def _asked_by(last: Round) -> str:
    """Say what a reviewer leaves to a person."""
    verdict, stands = last.verdict, standing_in(last)
    if verdict is None or not (stands or verdict.judgement is Judgement.REQUIRE_HUMAN):
        return ""
    if stands:
        return f"{verdict.reviewer} reports again what the maker knows and nothing reproduces: {stands}"
    why = f": {verdict.feedback}" if verdict.feedback else ""
    return f"{verdict.reviewer} wants a person to decide{why}"


def _unmeasured(past: Round) -> set[str]:
    """Return the goals that no check could measure."""
    goals = missed_goals(past)
    return {f"{PREFIX}{each.name}" for each in goals if each.state is GoalState.NOT_MEASURED}


def _nearer(past: RunFacts, rule: str) -> bool:
    """Whether one of the newest two rounds is nearer to a goal than every round before it."""
    away = [
        goal.distance for each in past.recent for goal in missed_goals(each) if f"{PREFIX}{goal.name}" == rule
    ]
    return any(away[place] < min(away[:place]) for place in range(max(1, len(away) - 2), len(away)))


def _verified(past: RunFacts) -> Decision:
    proof = past.last.proof
    if proof is not None and proof.met(ELSEWHERE):  # it is the confirmation, and more of one
        return _decision(past, Action.HALT, "every hard gate passes, elsewhere too")
    reasons = _reasons_to_confirm(past)
    if reasons and past.last.confirmation is None:
        return _decision(
            past, Action.CONFIRM, f"all gates pass; measured once more because {', '.join(reasons)}"
        )
    confirmed = " twice" if past.last.confirmation else ""
    return _decision(past, Action.HALT, f"every hard gate passes{confirmed}")


def _reasons_to_confirm(past: RunFacts) -> list[str]:
    reasons = []
    if len(past.rounds) >= CONFIRM_FROM_ROUND:
        reasons.append(f"it took {len(past.rounds)} rounds")
    if any(each.latest.flaky for each in past.rounds):
        reasons.append("flaky tests were seen")
    if past.last.latest.agent_wrote_tests:
        reasons.append("the agent wrote tests itself")
    return reasons


def _suspecting_test(past: RunFacts, halt: Halt) -> Halt:
    """Name the one test that fails in every chain, if there is one: the test itself may be wrong."""
    chains = {each.chain for each in past.rounds}
    last_of_chain = [_last_of(past.rounds, chain) for chain in sorted(chains)]
    red = [{failure.test for failure in failures(each)} for each in last_of_chain]
    if len(chains) > 1 and all(len(tests) == 1 for tests in red) and len(set.union(*red)) == 1:
        test = next(iter(red[0]))
        reason = (
            f"{halt.reason}; {test} alone fails in every approach: the test or the specification may be wrong"
        )
        return halt.model_copy(update={"reason": reason})
    return halt


def _last_of(rounds: tuple[Round, ...], chain: int) -> Round:
    return [each for each in rounds if each.chain == chain][-1]


def _decision(past: RunFacts, action: Action, reason: str) -> Decision:
    scores, alike = qualities(past.rounds), scores_with_tests(past.rounds, past.weights)
    return Decision(
        policy=RULES,
        action=action,
        reason=reason,
        figures={
            "round": len(past.rounds),
            "chain": past.last.chain,
            "quality": round(scores[-1], 4) if scores else None,
            "score": round(alike[-1], 4) if alike else None,
            "open_problems": open_count(past.last),
            "failing_tests": len(failures(past.last)),
            "same_problems_running": same_problems_running(past.recent),
            "bounces": bounce_count(past.rounds),
            "cost_usd": float(past.cost_usd),
            "active_s": round(past.active_s, 1),
        },
    )
