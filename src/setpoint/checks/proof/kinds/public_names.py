"""Judge whether a refactoring leaves all public names as they were."""

from __future__ import annotations

import re

from setpoint.checks.proof.kinds.exported_names import lost_elsewhere, unread
from setpoint.checks.proof.kinds.python_names import lost_python
from setpoint.checks.proof.subject import Subject, listed
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "public names"
_CHANGES_NAMES = re.compile(
    r"\b(renam|remov|delet|drop|replac|inlin|mov|merg|split|extract|deprecat"
    r"|signatures?\b|parameters?\b|arguments?\b|keyword-only)",
    re.IGNORECASE,
)
"""How requests speak of changing a name or its use."""


def public_names(subject: Subject) -> tuple[Obligation, ...]:
    """Compare the public names of the changed files with those at the base."""
    if subject.work is not WorkKind.REFACTOR:
        return ()
    before = {path: text for path, text in subject.before.items() if _counts(subject, path)}
    after = {path: text for path, text in subject.after.items() if _counts(subject, path)}
    lost = {**lost_python(before, after), **lost_elsewhere(before, after)}
    asked = [name for name in lost if _is_named(name, subject.task.story.wish)]
    left = [f"{name} ({why})" for name, why in lost.items() if name not in asked]
    if left:
        reason = (
            f"public names do not stay as they were: {listed(left)}: keep each, if only as an alias, or let "
            "the request name it"
        )
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    notes = ["every public name of the changed files can be used as before"]
    if asked:
        notes = [f"the request names {listed(asked)}; every other public name can be used as before"]
    if missing := unread({**before, **after}):
        notes.append(f"not compared without the extra `setpoint[languages]`: {listed(missing)}")
        if len(missing) == len({**before, **after}):
            return (Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=notes[-1]),)
    return (Obligation(name=_NAME, state=ObligationState.MET, reason="; ".join(notes)),)


def _counts(subject: Subject, path: str) -> bool:
    return runs(path) and path not in subject.of_tests


def _is_named(lost: str, wish: str) -> bool:
    """Whether a request that is about names speaks of this one, or of its module."""
    module, _, name = lost.partition(": ")
    parts = {re.split(r"[./]", module)[-1], *re.split(r"\.|::", name)} - {""}
    spoken = any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", wish) for part in parts)
    return spoken and _CHANGES_NAMES.search(wish) is not None
