"""Lines about the goals of a run."""

from __future__ import annotations

from setpoint.model.goals import GoalResult, GoalState

_MOST = 3
"""Goals that the end of a run names one by one."""


def missed_first(goals: tuple[GoalResult, ...]) -> tuple[str, ...]:
    """Return a line for each missed goal with what is missing, and one for all that were met."""
    missed = [each for each in goals if each.gated or each.state is GoalState.MISSED]
    told = [f"{each.name} missed ({each.mode}): {each.told}" for each in missed[:_MOST]]
    told += [f"{len(missed) - _MOST} more are missed; see the report"] if len(missed) > _MOST else []
    met = [each.reason for each in goals if each.state is GoalState.MET]
    return (*told, *([f"met: {'; '.join(met)}"] if met else []))
