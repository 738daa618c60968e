"""Say of a change without any program that a command or a person has to look at it."""

from __future__ import annotations

from setpoint.checks.integrity.paths.measure_files import unread_data
from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.subject import Subject, listed
from setpoint.checks.proof.witness.witness import Witness
from setpoint.checks.trees.checkout import repository_of
from setpoint.model.changes.work_kind import is_document, is_program, runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "look"


async def looked_at(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Judge who saw that styles, templates, data or infrastructure are right, where nothing else changes."""
    paths = [path for path in subject.paths if runs(path) and path not in subject.of_tests]
    if not paths or any(map(is_program, paths)):
        return ()
    commands = subject.task.story.acceptance
    kept = subject.work is WorkKind.REFACTOR and bool(commands)
    unread = await _unread(subject, paths)
    if unread:
        reason = (
            f"nothing but data is changed ({listed(unread)}), and no code of the base names it: tests may "
            "compare with it. Give an acceptance command (--accept), or look at the result and accept it"
        )
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    if witnesses or kept:
        shown = [each.name for each in witnesses] or list(commands)
        reason = f"{listed(paths)}: shown by {listed(shown)}"
        return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=tuple(shown[:20])),)
    reason = (
        f"styles, templates, data or infrastructure alone are changed ({listed(paths)}), and nothing shows "
        "that they are right: give an acceptance command (--accept), or look at the result and accept it"
    )
    return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)


async def _unread(subject: Subject, paths: list[str]) -> tuple[str, ...]:
    """Return the data that a repair changes and nothing else, where no code of the base names any of it.

    What a person released or judges by a command of their own is left to them.
    """
    story, beside = subject.task.story, {*paths, *subject.of_tests}
    configured = any(path not in beside and not is_document(path) for path in subject.paths)
    if subject.work is not WorkKind.REPAIR or story.acceptance or configured:
        return ()
    other = [path for path in paths if not matches(path, story.may_change)]
    found = await unread_data(repository_of(subject.place.copy), subject.base.commit, other)
    return tuple(sorted(found)) if len(found) == len(paths) else ()
