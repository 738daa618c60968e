"""Judge whether the room in which a change was measured stayed clean: no check changed a file of the tree."""

from __future__ import annotations

from setpoint.checks.verdict.subject import Subject, listed
from setpoint.model.proof import CLEAN_ROOM, Obligation, ObligationState


def clean_room(subject: Subject) -> Obligation:
    """Compare the files that checks of the result changed with those that checks of the base changed."""
    before = {path for each in subject.base.results for path in each.evidence.changed_files}
    now = {
        path: each.evidence.check
        for each in subject.now.results
        for path in each.evidence.changed_files
        if path not in before
    }
    if now:
        checks = ", ".join(dict.fromkeys(now.values()))
        reason = f"{checks} changed {listed(tuple(now))} while it ran: let tests write to temporary folders"
        return Obligation(name=CLEAN_ROOM, state=ObligationState.NOT_MET, reason=reason, evidence=tuple(now))
    ran = sum(bool(each.evidence.argv) for each in subject.now.results)
    reason = f"{ran} commands ran in a fresh copy, and none changed a file of it"
    return Obligation(name=CLEAN_ROOM, state=ObligationState.MET, reason=reason, count=ran)
