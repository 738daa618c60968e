"""What was measured of a change, in lines that a reviewer reads."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import CheckState, Evidence

_ACCEPTANCE = "acceptance:"
_COUNTED = ("passed", "failed", "error", "skipped", "findings")
_MOST_REASON = 160


def measured_results(evaluation: Evaluation, commands: Sequence[str]) -> tuple[str, ...]:
    """Return one line for each check: its name or acceptance command, its state, and what it counted."""
    return tuple(_line(evidence, commands) for evidence in evaluation.evidence if _ran(evidence))


def _ran(evidence: Evidence) -> bool:
    return evidence.state is not CheckState.NOT_MEASURED


def _line(evidence: Evidence, commands: Sequence[str]) -> str:
    name, _, number = evidence.check.partition(":")
    if evidence.check.startswith(_ACCEPTANCE) and number.isdecimal() and int(number) <= len(commands):
        name = f"`{commands[int(number) - 1]}`"
    elif number:
        name = evidence.check
    counted = [f"{evidence.counts[word]} {word}" for word in _COUNTED if evidence.counts.get(word)]
    more = [*counted, *([evidence.reason[:_MOST_REASON]] if evidence.reason else [])]
    return f"{name}: {evidence.state}" + (f" ({', '.join(more)})" if more else "")
