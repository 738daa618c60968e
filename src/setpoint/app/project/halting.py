"""Fit the halting policy that predicts, for later runs of a project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from setpoint.app.views.halting import by_agent, logged_runs
from setpoint.learning.halter_fit import fit
from setpoint.learning.halter_folds import held_out_error, held_out_models
from setpoint.model.halting import LoggedRun
from setpoint.model.value import Value
from setpoint.wiring.halting import change_book
from setpoint.wiring.project import Project, open_project


class Fitted(Value):
    """Weights that were fitted to the runs of one agent, and how well they predict."""

    agent: str
    runs: int
    weights: str
    """Id: a hash of the weights."""
    turns: int
    """Failing turns with a next one; the errors are of these."""
    error_before: float | None = None
    """Mean squared error of the chance that the next turn passes, by the priors; none without such turns."""
    error_held_out: float | None = None
    """The same by weights that were fitted to runs of other tasks."""


def fit_weights(files: Sequence[Path], where: Path, agent: str = "") -> tuple[Fitted, ...]:
    """Fit `halter-v1` to the runs of each agent, of files or of the project, and keep the weights.

    Raises `UsageError` for an unknown agent, for a log without runs, and where numpy is not installed.
    """
    project = open_project(where)
    return tuple(_fitted(project, runs) for runs in by_agent(logged_runs(files, where), agent).values())


def _fitted(project: Project, runs: Sequence[LoggedRun]) -> Fitted:
    model = fit(runs)
    change_book(project, lambda book: book.with_model(model))
    held = held_out_error(runs, held_out_models(runs))
    return Fitted(
        agent=model.agent,
        runs=model.runs,
        weights=model.id,
        turns=held.turns if held else 0,
        error_before=held.by_priors if held else None,
        error_held_out=held.held_out if held else None,
    )
