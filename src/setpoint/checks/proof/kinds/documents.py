"""List what a change of documents touches."""

from __future__ import annotations

from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.model.proof import Obligation, ObligationState, WorkKind


def nothing_runs(subject: Subject) -> tuple[Obligation, ...]:
    """Say of work on documents that nothing else is changed; the kind rests on the files alone."""
    if subject.work is not WorkKind.DOCS:
        return ()
    reason = f"nothing that runs is changed: {listed(subject.paths)}"
    return (
        Obligation(
            name="documents", state=ObligationState.MET, reason=reason, evidence=subject.paths[:MOST_NAMED]
        ),
    )
