"""Judge what a change of settings changes beside what is asked for."""

from __future__ import annotations

from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.kinds.manifests.asked_keys import acts, asked
from setpoint.checks.proof.kinds.manifests.entry_points import all_entries
from setpoint.checks.proof.kinds.manifests.keys import changed_keys
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.model.stories.story import Story

_NAME = "settings"
_KINDS = (WorkKind.CHORE, WorkKind.TESTS)


def settings(subject: Subject) -> tuple[Obligation, ...]:
    """Compare manifests key by key: what is installed, run or packaged changes only as the request says."""
    if subject.work not in _KINDS:
        return ()
    wish = subject.task.story.wish
    entries = {(each.path, each.name) for each in all_entries(subject.after)}
    changed = [each for each in changed_keys(subject.before, subject.after) if acts(each)]
    changed = [each for each in changed if not _is_released(each.path, subject.task.story)]
    if not changed:
        return ()
    tests = subject.work is WorkKind.TESTS
    wrong = [
        str(each)
        for each in changed
        if not asked(each, wish, tests=tests) and (each.path, each.key[-1]) not in entries
    ]
    if wrong:
        reason = (
            f"not asked for: {listed(wrong)}: it has an effect on what is installed, run or packaged, and no "
            "test looks at it: restore it, or write a line `REQUEST <path>: <why>`"
        )
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    names = tuple(map(str, changed))[:MOST_NAMED]
    reason = f"the request speaks of what is changed in manifests: {listed(names)}"
    return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=names),)


def _is_released(path: str, story: Story) -> bool:
    """Whether a person lets a file change as a whole; a request that names it says what may change."""
    released = [each for each in story.may_change if matches(path, (each,))]
    return len(released) > (path.rpartition("/")[2].lower() in story.wish.lower())
