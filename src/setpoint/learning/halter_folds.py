"""Predict each logged run by weights that were fitted to runs of other tasks."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from statistics import fmean
from typing import NamedTuple

from setpoint.learning.halter_fit import fit
from setpoint.model.halter.prediction import hazards
from setpoint.model.halter.terms import PRIORS, HalterModel
from setpoint.model.halting import LoggedRun

FOLDS = 5
"""Parts of the tasks; each is predicted by weights that were fitted to the others."""


class Held(NamedTuple):
    """How far predictions of the next turn are from what happened: mean squared errors."""

    turns: int
    """Failing turns with a next one in the same chain."""
    by_priors: float
    held_out: float


def held_out_models(runs: Sequence[LoggedRun]) -> tuple[HalterModel, ...]:
    """Return for each run weights that were fitted to the runs of other tasks; all runs are of one agent."""
    places = [_fold(run) for run in runs]
    models = {
        fold: fit([run for run, place in zip(runs, places, strict=True) if place != fold])
        for fold in sorted(set(places))
    }
    return tuple(models[place] for place in places)


def held_out_error(runs: Sequence[LoggedRun], models: Sequence[HalterModel]) -> Held | None:
    """Compare the predictions for the next turn with what happened; none where no turn had a next one."""
    before: list[float] = []
    after: list[float] = []
    for run, model in zip(runs, models, strict=True):
        for place, (turn, later) in enumerate(zip(run.turns, run.turns[1:], strict=False), start=1):
            if turn.gates or later.chain != turn.chain:
                continue
            past = run.turns[:place]
            before.append((hazards(past, PRIORS, 1)[0] - later.gates) ** 2)
            after.append((hazards(past, model, 1)[0] - later.gates) ** 2)
    return Held(len(before), fmean(before), fmean(after)) if before else None


def _fold(run: LoggedRun) -> int:
    """Return the part that a run's task belongs to, the same in every process."""
    return int(sha256((run.group or run.run).encode()).hexdigest(), 16) % FOLDS
