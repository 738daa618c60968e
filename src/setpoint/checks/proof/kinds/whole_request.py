"""Judge whether all of the work is delivered, and name the criteria that no command checks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from setpoint.checks.integrity.guard import Restored
from setpoint.checks.proof.subject import MOST_NAMED, listed
from setpoint.model.proof import Obligation, ObligationState
from setpoint.model.stories.story import Story

_NAME = "whole request"
_CRITERIA = re.compile(
    r"^(#+|\*\*)?\W*(acceptance( criteria)?|criteria|done when|definition of done)\b", re.IGNORECASE
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?(\S.*)$")
_MOST_TEXT = 100


@dataclass(frozen=True, kw_only=True)
class RestoredWork:
    """Changes of protected files that were undone: the files are as they were at the base."""

    now: Restored = field(default_factory=Restored)
    """In the attempt that made the judged tree."""
    ever: Restored = field(default_factory=Restored)
    """In any attempt of the run."""


def whole_request(story: Story, restored: RestoredWork) -> tuple[Obligation, ...]:
    """Judge what of the work was undone: the newest attempt may have touched nothing that is protected.

    What an attempt before it changed, and the newest one leaves alone, is named.
    """
    now = _paths(restored.now)
    earlier = [path for path in _paths(restored.ever) if path not in now]
    unchecked = criteria_without_command(story)
    notes = [f"restored in an earlier iteration, and left alone since: {listed(earlier)}"] if earlier else []
    notes += [f"not checked by a command: {listed(unchecked)}"] if unchecked else []
    if now:
        reason = (
            f"part of the work was undone: protected files were restored: {listed(now)}: leave them as they "
            f"are, or ask for them with a line `REQUEST {now[0]}: <reason>` in your answer"
        )
        return (
            Obligation(
                name=_NAME,
                state=ObligationState.NOT_MET,
                reason="; ".join([reason, *notes]),
                evidence=tuple(now[:MOST_NAMED]),
            ),
        )
    reason = "; ".join(["nothing of the newest attempt was undone", *notes])
    return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason),)


def criteria_without_command(story: Story) -> tuple[str, ...]:
    """Return the listed acceptance criteria of a story whose text holds none of its acceptance commands."""
    found: list[str] = []
    inside = False
    for line in story.body.splitlines():
        item = _ITEM.match(line)
        if item is None and line.strip():
            inside = _CRITERIA.match(line.strip()) is not None
        elif item is not None and inside:
            text = item[1].strip()
            if not any(command in text for command in story.acceptance):
                found.append(text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…")
    return tuple(found)


def _paths(restored: Restored) -> list[str]:
    """Return the paths that were restored and named to the maker; what agents keep for themselves is not."""
    named = {finding.file for finding in restored.findings}
    return [path for path in restored.restored if path in named]
