"""Whether a learning that was shown was followed: by what the run then touched, cleared or ran."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.learning.policy.changes import Change
from setpoint.learning.policy.lessons import families
from setpoint.model.attempt import ToolCall
from setpoint.model.learning import Hint


class Trace(NamedTuple):
    """What a run shows of what was done in it."""

    calls: tuple[ToolCall, ...]
    changes: tuple[Change, ...]
    """Of all rounds together."""
    open: frozenset[str]
    """Rules and tests that blocked a round behind the first prompt."""


def touched(hint: Hint, trace: Trace) -> str:
    """Name what a run touched of what a learning is about; empty where it touched nothing of it."""
    if hint.template and hint.template in families(trace.calls):
        return f"edit of the family {hint.template}"
    if hint.command:
        ran = any(hint.command in call.title and call.ok for call in trace.calls)
        return f"ran {hint.command}" if ran else ""
    files = {each.file for each in trace.changes}
    symbols = {each.symbol for each in trace.changes if each.file in hint.files}
    there = [each for each in hint.files if each in files]
    named = [each for each in hint.symbols if each in symbols]
    if len(there) < len(hint.files) or not there or (hint.symbols and any(symbols) and not named):
        return ""
    return f"changed {', '.join(named or there)}"


def followed(hint: Hint, trace: Trace) -> str:
    """Say what shows that a learning was followed: its place was touched, and its rule was kept to."""
    return "" if trace.open & set(hint.rules) else touched(hint, trace)
