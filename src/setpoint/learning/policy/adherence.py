"""Whether a learning that was shown was followed, as the trace of the run shows it."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.learning.policy.lessons import families
from setpoint.learning.policy.tokenizer import terms
from setpoint.model.attempt import ToolCall
from setpoint.model.learning import Recollection

LEAST_WORDS = 3
"""Words of a learning, absent from the question, that must appear in the written text."""
LEAST_SHARE = 0.25
"""Share of these words that must appear there."""


class Trace(NamedTuple):
    """What a run shows of what was done in it."""

    calls: tuple[ToolCall, ...]
    files: tuple[str, ...]
    """Files that the change added lines to."""
    written: str
    """Added lines, and texts of thinking phases."""
    known: str
    """What was asked: words of it prove nothing."""


def followed(item: Recollection, trace: Trace) -> str:
    """Say what shows that a learning was followed; empty where nothing does."""
    hint = item.hint
    if hint.template:
        return f"edit of the family {hint.template}" if hint.template in families(trace.calls) else ""
    if hint.command:
        ran = any(hint.command in call.title and call.ok for call in trace.calls)
        return f"ran {hint.command}" if ran else ""
    if len(hint.files) > 1:
        whole = set(hint.files) <= set(trace.files)
        return f"changed {', '.join(hint.files)} together" if whole else ""
    own = set(terms(f"{item.title} {item.body}")) - set(terms(trace.known))
    found = sorted(own & set(terms(trace.written)))
    if len(found) < LEAST_WORDS or len(found) < LEAST_SHARE * len(own):
        return ""
    return f"words of it were written: {', '.join(found[:5])}"
