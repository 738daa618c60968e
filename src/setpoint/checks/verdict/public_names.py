"""Judge whether a refactoring leaves all public names as they were."""

from __future__ import annotations

import re
from collections.abc import Mapping

from setpoint.checks.languages.all import LANGUAGES
from setpoint.checks.verdict.subject import Subject, listed
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import Obligation, ObligationState

_NAME = "public names"
_LEAST = 6
"""Characters of a word that can be the beginning of a name of which a request speaks."""


def public_names(subject: Subject) -> tuple[Obligation, ...]:
    """Compare the public names of the changed files with those at the base; what the request names may go."""
    before, after = (
        {path: text for path, text in each.items() if runs(path) and path not in subject.of_tests}
        for each in (subject.before, subject.after)
    )
    lost, unread = _lost(before, after)
    asked = [name for name in lost if _is_named(name, subject.task.story.wish)]
    if left := [f"{name} ({why})" for name, why in lost.items() if name not in asked]:
        reason = (
            f"public names do not stay as they were: {listed(left)}: keep each, if only as an alias, or let "
            "the request name it"
        )
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    notes = ["every public name of the changed files can be used as before"]
    if asked:
        notes = [f"the request names {listed(asked)}; every other public name can be used as before"]
    if unread:
        notes.append(f"not compared without the extra `setpoint[languages]`: {listed(unread)}")
        if len(unread) == len({**before, **after}):
            return (Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=notes[-1]),)
    return (Obligation(name=_NAME, state=ObligationState.MET, reason="; ".join(notes)),)


def takes_names_away(subject: Subject) -> bool:
    """Whether a change removes something that the base offers to others."""
    return bool(_lost(subject.before, subject.after)[0])


def _lost(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[dict[str, str], list[str]]:
    """Return lost names, each with why, and files that cannot be read here."""
    lost: dict[str, str] = {}
    unread: list[str] = []
    for language in LANGUAGES:
        old, new = (
            {path: text for path, text in each.items() if language.owns(path)} for each in (before, after)
        )
        lost |= language.lost_names(old, new)
        unread += language.unread(sorted({*old, *new}))
    return lost, unread


def _is_named(lost: str, wish: str) -> bool:
    """Whether a request names this name, what it begins with, or its module."""
    module, _, name = lost.partition(": ")
    parts = {re.split(r"[./]", module)[-1], *re.split(r"\.|::", name)} - {""}
    if any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", wish) for part in parts):
        return True
    words = [each for each in re.findall(r"\w+", wish) if len(each) >= _LEAST]
    return any(part.startswith(word) for part in parts for word in words)
