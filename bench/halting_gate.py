"""What a halting policy has to show on labelled runs of one agent before it decides in new ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from setpoint.model.facts.group_means import Z_ONE_SIDED, Mean, mean_by_group
from setpoint.model.halting import Economics, LoggedPolicy, LoggedRun, TurnState
from setpoint.model.halting_replay import LEAST_COVERAGE, Replayed, replay_run, utility
from setpoint.model.run import Action

RUNS_TO_COMPARE = 300
"""Runs of the same agent with a known outcome, below which a comparison misled in tests on public logs."""
MARGIN = 0.02
"""How much less success, and how many more wrong deliveries, the bound of a 95 % interval may show.

With 300 runs of as many tasks it is met where at most 13 of them end otherwise, in both directions alike.
"""


class GateCondition(NamedTuple):
    """One condition of a promotion, with its figure."""

    name: str
    figure: str
    met: bool


def as_live(policy: LoggedPolicy) -> LoggedPolicy:
    """Return what a run makes of a policy: where every gate passes, the work is always delivered."""

    def decide(turns: tuple[TurnState, ...]) -> Action:
        return Action.HALT if turns[-1].gates else policy(turns)

    return decide


def gate_conditions(
    runs: Sequence[LoggedRun],
    policies: Sequence[LoggedPolicy],
    incumbent: LoggedPolicy,
    economics: Economics,
) -> tuple[GateCondition, ...]:
    """Judge a policy on labelled runs of one agent; `policies` holds what decides in each of the runs.

    With weights, each run is decided by weights that were fitted to other tasks.
    """
    conditions = [
        GateCondition(
            name="labelled runs of this agent and version of its model",
            figure=f"{len(runs)}, at least {RUNS_TO_COMPARE}",
            met=len(runs) >= RUNS_TO_COMPARE,
        )
    ]
    if not runs:
        return tuple(conditions)
    new = [replay_run(run, as_live(policy)) for run, policy in zip(runs, policies, strict=True)]
    old = [replay_run(run, as_live(incumbent)) for run in runs]
    groups = [run.group or run.run for run in runs]
    worth = [utility(a, economics) - utility(b, economics) for a, b in zip(new, old, strict=True)]
    success = [a.success - b.success for a, b in zip(new, old, strict=True)]
    wrong = [a.wrong - b.wrong for a, b in zip(new, old, strict=True)]
    covered = min(_coverage(new), _coverage(old))
    conditions += [
        GateCondition(
            name="share of the runs in which the log holds what both policies ask for",
            figure=f"{covered:.3f}, at least {LEAST_COVERAGE}",
            met=covered >= LEAST_COVERAGE,
        ),
        _bounded("gain of a run in $", mean_by_group(worth, groups), above=0.0),
        _bounded("success", mean_by_group(success, groups), above=-MARGIN),
        _bounded("wrong deliveries", mean_by_group(wrong, groups), below=MARGIN),
    ]
    return tuple(conditions)


def _bounded(
    what: str, difference: Mean, *, above: float | None = None, below: float | None = None
) -> GateCondition:
    name = f"{what}, less that of rules-v1"
    if difference.error is None:
        return GateCondition(name=name, figure="no interval: too few tasks", met=False)
    away = Z_ONE_SIDED * difference.error
    if above is not None:
        least = difference.value - away
        figure = f"{difference.value:+.3f}, 95 % bound {least:+.3f}, above {above:+.2f}"
        return GateCondition(name=name, figure=figure, met=least > above)
    most = difference.value + away
    limit = below or 0.0
    figure = f"{difference.value:+.3f}, 95 % bound {most:+.3f}, below {limit:+.2f}"
    return GateCondition(name=name, figure=figure, met=most < limit)


def _coverage(done: Sequence[Replayed]) -> float:
    return sum(not each.gap for each in done) / len(done)
