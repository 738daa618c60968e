"""Weigh logged runs whose actions were drawn by chance: they speak for policies that replay cannot follow."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from setpoint.model.halting import LoggedPolicy, LoggedRun
from setpoint.model.run import Action

LEAST_EFFECTIVE = 100.0
"""Effective sample size below which weighted figures are noise."""
_ENDS = frozenset({Action.HALT, Action.CONFIRM})


def drawn(runs: Sequence[LoggedRun]) -> bool:
    """Whether an action of some run was drawn by chance."""
    return any(chance < 1 for run in runs for chance in run.propensities)


def weight(run: LoggedRun, policy: LoggedPolicy) -> float:
    """Return 0 for a run in which the policy acts otherwise, else one over the chance of its actions."""
    for place in range(len(run.turns)):
        if _kind(policy(run.turns[: place + 1])) is not _logged(run, place):
            return 0.0
    return 1 / prod(run.propensities)


def effective_size(weights: Sequence[float]) -> float:
    """Return the count of equally weighted runs with as much information (Kish 1965); 0 for no weight."""
    squares = sum(each * each for each in weights)
    return sum(weights) ** 2 / squares if squares else 0.0


def weighed(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return values of which the plain mean is the weighted one, and whose spread is that of its error."""
    total = sum(weights)
    mean = sum(each * value for each, value in zip(weights, values, strict=True)) / total
    scale = len(values) / total
    return [mean + scale * each * (value - mean) for each, value in zip(weights, values, strict=True)]


def _logged(run: LoggedRun, place: int) -> Action:
    """Return what was done after a turn."""
    if place + 1 == len(run.turns):
        return Action.HALT if run.turns[place].gates else Action.ESCALATE
    restarted = run.turns[place + 1].chain > run.turns[place].chain
    return Action.RESTART if restarted else Action.CONTINUE


def _kind(action: Action) -> Action:
    return Action.HALT if action in _ENDS else action
