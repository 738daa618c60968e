"""What the changed functions answer at the base and on the result."""

from __future__ import annotations

from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.differential.beyond_tests import beyond_tests
from setpoint.checks.proof.differential.calls import compared
from setpoint.checks.proof.differential.same_answers import same_answers
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.proof import Obligation, WorkKind

_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)


async def answers(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Compare the answers, as the kind of work asks for it."""
    if subject.work not in _KINDS or not any(is_source(path) for path in subject.after):
        return ()
    found = await compared(subject, witnesses)
    return (same_answers(found) if subject.work is WorkKind.REFACTOR else beyond_tests(subject, found),)
