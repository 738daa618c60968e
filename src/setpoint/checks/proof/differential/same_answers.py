"""Judge whether the functions of a refactoring answer as they did at the base."""

from __future__ import annotations

from setpoint.checks.proof.differential.calls import Compared, judged
from setpoint.checks.proof.subject import MOST_NAMED, listed
from setpoint.model.proof import Obligation, ObligationState

_NAME = "same answers"


def same_answers(found: Compared) -> Obligation:
    """Compare the answers to calls that tests make, and to calls near to them."""
    calls = [each for each in judged(found) if found.answered(each.number)]
    others = sorted((each for each in calls if found.differs(each.number)), key=lambda each: len(each.shown))
    compared = dict.fromkeys(each.name for each in calls)
    if others:
        first = {each.name: found.shown(each.number) for each in reversed(others)}
        reason = (
            f"{len(others)} of {len(calls)} calls have another answer than at the base: "
            f"{listed(list(reversed(first.values())))}: let each function answer as before"
        )
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason, evidence=tuple(compared))
    both = found.functions.changed & found.functions.before.keys()
    left = sorted(name for name in both if name not in compared)
    notes = [f"not compared: {listed(left)}"] if left else []
    if not compared:
        reason = "; ".join([found.why or "no call of a changed function could be made again", *notes])
        return Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=reason)
    recorded = sum(each.of < 0 for each in calls)
    reason = (
        f"{len(calls)} calls of {len(compared)} functions are answered as at the base, {recorded} with what "
        f"tests pass and {len(calls) - recorded} near to it"
    )
    return Obligation(
        name=_NAME,
        state=ObligationState.MET,
        reason="; ".join([reason, *notes]),
        evidence=tuple(compared)[:MOST_NAMED],
    )
