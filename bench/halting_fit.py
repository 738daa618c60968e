"""Fit the predictions of `halter-v1` to logged runs of one agent: logistic regressions with Gaussian priors.

A run that was stopped contributes only the turns that were seen: what was behind them is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from setpoint.errors import UsageError
from setpoint.model.halter import features
from setpoint.model.halter.prediction import GROWTH, HORIZON
from setpoint.model.halter.terms import CONFIRMED, HAZARD, PRIORS, RESTART, VERIFIED, HalterModel, Term
from setpoint.model.halting import LoggedRun, TurnState

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

HAZARD_WEIGHT = 0.5
"""What a row of the hazards counts: several of them look at the same turn."""
PRIOR_TURNS = 20
"""Turns that the assumed cost of one counts as."""
STEPS, CLOSE_ENOUGH, LONGEST_STEP = 30, 1e-6, 1.5


@dataclass(frozen=True)
class _Rows:
    """What one regression is fitted to."""

    x: list[features.Row] = field(default_factory=list)
    y: list[bool] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)

    def add(self, row: features.Row, outcome: bool, weight: float = 1.0) -> None:  # noqa: FBT001 - it is data
        self.x.append(row)
        self.y.append(outcome)
        self.weight.append(weight)


@dataclass(frozen=True)
class _Tables:
    hazard: _Rows = field(default_factory=_Rows)
    restart: _Rows = field(default_factory=_Rows)
    verified: _Rows = field(default_factory=_Rows)
    confirmed: _Rows = field(default_factory=_Rows)


def fit(runs: Sequence[LoggedRun]) -> HalterModel:
    """Return the weights that are most probable after these runs; the priors where there are none.

    Raises `UsageError` where the runs are of several agents, or where numpy is not installed.
    """
    if not runs:
        return PRIORS
    agents = sorted({each.agent for each in runs})
    if len(agents) > 1:
        raise UsageError(
            f"runs of {len(agents)} agents cannot be fitted together: {', '.join(agents)}",
            hint="fit the runs of each agent and version of its model alone",
        )
    tables = _Tables()
    for run in runs:
        _take(run, tables)
    return HalterModel(
        agent=agents[0],
        runs=len(runs),
        hazard=most_probable(tables.hazard.x, tables.hazard.y, tables.hazard.weight, HAZARD),
        restart=most_probable(tables.restart.x, tables.restart.y, tables.restart.weight, RESTART),
        verified=most_probable(tables.verified.x, tables.verified.y, tables.verified.weight, VERIFIED),
        confirmed=most_probable(tables.confirmed.x, tables.confirmed.y, tables.confirmed.weight, CONFIRMED),
        turn_cost_usd=_turn_cost(runs),
    )


def most_probable(
    x: Sequence[features.Row], y: Sequence[bool], weight: Sequence[float], terms: Sequence[Term]
) -> tuple[float, ...]:
    """Return the weights of a logistic regression at the maximum of its posterior, by Newton's method."""
    if not x:
        return tuple(term.mean for term in terms)
    try:
        import numpy as np  # noqa: PLC0415 - only the extra brings it
    except ImportError:
        raise UsageError(
            "numpy is not installed, and fits of the halting policy need it",
            hint="pip install 'setpoint[halting]'",
        ) from None
    rows, outcomes, counts = np.asarray(x, float), np.asarray(y, float), np.asarray(weight, float)
    mean = np.asarray([term.mean for term in terms])
    precision = np.asarray([term.sd for term in terms]) ** -2.0
    found: NDArray[float64] = mean.copy()
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        gradient = rows.T @ (counts * (outcomes - chance)) - (found - mean) * precision
        curvature = (rows * (counts * chance * (1 - chance))[:, None]).T @ rows + np.diag(precision)
        step = np.linalg.solve(curvature, gradient)
        found = found + np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        if float(np.abs(step).max()) < CLOSE_ENOUGH:
            break
    return tuple(float(each) for each in found)


def _take(run: LoggedRun, tables: _Tables) -> None:
    turns = run.turns
    known = [place for place, each in enumerate(turns) if each.gates and run.verified[place] is not None]
    for place in known:  # a run counts once, however many of its turns have an outcome
        row = features.of_passing(turns[: place + 1])
        tables.verified.add(row, bool(run.verified[place]), 1 / len(known))
    for place, each in enumerate(turns[:-1]):
        past, same = turns[: place + 1], turns[place + 1].chain == each.chain
        if each.gates and same:
            tables.confirmed.add(features.of_passing(past), turns[place + 1].gates)
        elif not each.gates and same:
            state = features.of_failing(past)
            for j, passed in _until_pass(turns, place):
                tables.hazard.add(features.ahead(state, j), passed, HAZARD_WEIGHT)
        elif not each.gates:
            for j, passed in _until_pass(turns, place):
                tables.restart.add(features.of_restart(past, j), passed)


def _until_pass(turns: Sequence[TurnState], place: int) -> Iterator[tuple[int, bool]]:
    """Yield the turns behind a place, in the chain of the next one, up to the first that passes."""
    chain = turns[place + 1].chain
    for j, each in enumerate(turns[place + 1 : place + 1 + HORIZON], start=1):
        if each.chain != chain:
            return
        yield j, each.gates
        if each.gates:
            return


def _turn_cost(runs: Sequence[LoggedRun]) -> float:
    """Return what the first turn of a chain costs, of the turns whose cost is known."""
    costs = []
    for run in runs:
        for place, each in enumerate(run.turns):
            if each.cost_usd > 0:
                k = len(features.chain_of(run.turns[: place + 1]))
                costs.append(each.cost_usd / (1 + GROWTH * (k - 1)))
    if not costs:
        return PRIORS.turn_cost_usd
    return (PRIOR_TURNS * PRIORS.turn_cost_usd + sum(costs)) / (PRIOR_TURNS + len(costs))
