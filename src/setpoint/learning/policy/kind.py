"""Which kind of learning a text is: what its maker says, unless the text plainly shows another."""

from __future__ import annotations

import re

from setpoint.model.learning import LearningKind

_ONCE = re.compile(
    r"\b(?:run-[0-9a-z]{8,}|(?:PR|issue|run) #?\d+|commit [0-9a-f]{7,40}|\d{4}-\d\d-\d\d)\b", re.IGNORECASE
)
_HOW = re.compile(
    r"\b(?:when|whenever|if|before|after|instead of|first|then|use|avoid|do not|don't|run|add|plan)\b",
    re.IGNORECASE,
)


def kind_of(text: str, said: LearningKind) -> LearningKind:
    """Return kind of a text: one event that is named makes it episodic; a rule without any how is none."""
    if _ONCE.search(text):
        return LearningKind.EPISODIC
    if said is LearningKind.PROCEDURAL and not _HOW.search(text):
        return LearningKind.SEMANTIC
    return said
