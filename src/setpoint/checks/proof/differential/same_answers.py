"""Judge whether the functions of a refactoring answer as they did at the base."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from setpoint.checks.proof.differential.comparison import Compared, judged
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
    left = list(_left(found, compared.keys()))
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


def _left(found: Compared, compared: Collection[str]) -> Iterator[str]:
    """Yield the changed functions whose answers were not compared in full, and why."""
    vague: dict[str, str] = {}
    for each in found.now.values():
        if each.vague:
            vague.setdefault(found.calls[each.number].name, each.vague)
    for name in sorted(found.functions.changed):
        path, _, own = name.partition("::")
        owner = f"{path}::{own.rpartition('.')[0]}"
        if name not in compared and not (own.endswith((".__init__", ".constructor")) and owner in compared):
            new = "" if name in found.functions.before else "the base has no such function"
            yield f"{name} ({found.left.get(name) or new or 'no test calls it with values that can be kept'})"
        elif name in vague:
            yield f"{name} (it gives {vague[name]})"
