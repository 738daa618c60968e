"""Whether one more iteration is worth its cost: an expected value with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from statistics import NormalDist, quantiles

from setpoint.model.halter import features
from setpoint.model.halter.prediction import GROWTH, HaltingTerms, hazards
from setpoint.model.halter.terms import HAZARD, VERIFIED, HalterModel, Term
from setpoint.model.halting import Economics, TurnState
from setpoint.model.halting_values import OneMore

_GRID = 41
"""Quantiles of each uncertain chance that are combined."""
_TAIL = 40
"""The interval leaves one of so many parts out at each end: 95 %."""
_USUAL_SCORE = 0.86
"""Quality score that a pass to come is assumed to have."""


def one_more(
    turns: Sequence[TurnState], terms: HaltingTerms, costs_usd: Sequence[float] = ()
) -> OneMore | None:
    """Return what one more turn is worth against ending now; none where every gate passes.

    `costs_usd` are those of the turns so far, where they are known; without them the model's are used.
    The worth is that of the pass, less the loss where it turns out wrong, less the cost of the turn.
    """
    if turns[-1].gates:
        return None
    chance = hazards(turns, terms.model, 1)[0]
    k = len(features.chain_of(turns))
    later = features.of_later_pass(k + 1, _USUAL_SCORE)
    right = _share(sum(w * x for w, x in zip(terms.model.verified, later, strict=True)))
    ahead = features.ahead(features.of_failing(turns), 1)
    passes = _spread(chance, _deviation(ahead, HAZARD, chance, terms.model))
    rights = _spread(right, _deviation(later, VERIFIED, right, terms.model))
    cost = sum(costs_usd) / len(costs_usd) if costs_usd else terms.model.turn_cost_usd * (1 + GROWTH * k)
    cuts = quantiles([_value(p, v, terms.economics) - cost for p in passes for v in rights], n=_TAIL)
    likely = quantiles(passes, n=_TAIL, method="inclusive")
    return OneMore(
        chance=chance,
        chance_low=likely[0],
        chance_high=likely[-1],
        cost_usd=cost,
        cost_low_usd=min(costs_usd, default=cost),
        cost_high_usd=max(costs_usd, default=cost),
        cost_measured=bool(costs_usd),
        worth_usd=_value(chance, right, terms.economics) - cost,
        low_usd=cuts[0],
        high_usd=cuts[-1],
        runs=terms.model.runs,
    )


def _value(passes: float, right: float, economics: Economics) -> float:
    return passes * (right * economics.worth_usd - (1 - right) * economics.wrong_usd)


def _deviation(row: features.Row, terms: Sequence[Term], chance: float, model: HalterModel) -> float:
    """Return the standard deviation of the log-odds of a chance.

    Before any run it is that of the priors. Each fitted run counts as one observation that is spread over all
    the terms, which is less than it tells: it has several turns.
    """
    prior = sum((term.sd * value) ** 2 for term, value in zip(terms, row, strict=True))
    seen = model.runs * chance * (1 - chance) / len(terms)
    return sqrt(1 / (1 / prior + seen))


def _spread(chance: float, deviation: float) -> list[float]:
    """Return equally likely values of a chance whose log-odds are normal."""
    centre = log(chance / (1 - chance))
    normal = NormalDist()
    return [_share(centre + deviation * normal.inv_cdf((at + 0.5) / _GRID)) for at in range(_GRID)]


def _share(odds: float) -> float:
    return 1 / (1 + exp(-min(30.0, max(-30.0, odds))))
