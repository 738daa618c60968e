"""Say of a change without any program that a command or a person has to look at it."""

from __future__ import annotations

from setpoint.checks.proof.subject import Subject, listed
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.changes.work_kind import is_program, runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "look"


def looked_at(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Judge who saw that styles, templates, data or infrastructure are right, where nothing else changes."""
    paths = [path for path in subject.paths if runs(path) and path not in subject.of_tests]
    if not paths or any(map(is_program, paths)):
        return ()
    commands = subject.task.story.acceptance
    kept = subject.work is WorkKind.REFACTOR and bool(commands)
    if witnesses or kept:
        shown = [each.name for each in witnesses] or list(commands)
        reason = f"{listed(paths)}: shown by {listed(shown)}"
        return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=tuple(shown[:20])),)
    reason = (
        f"styles, templates, data or infrastructure alone are changed ({listed(paths)}), and nothing shows "
        "that they are right: give an acceptance command (--accept), or look at the result and accept it"
    )
    return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
