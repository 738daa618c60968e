"""Predict what stopping now and trying once more are worth: optimal stopping with recall over hazards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import NamedTuple

from pydantic import Field

from setpoint.model.halter import features
from setpoint.model.halter.terms import HAZARD, PRIORS, VERIFIED, HalterModel, Term
from setpoint.model.halting import Economics, TurnState
from setpoint.model.halting_values import HaltingValues
from setpoint.model.run import Action
from setpoint.model.value import Value

HORIZON = 8
"""Turns that are looked ahead."""
GROWTH = 0.15
"""What each later turn of a chain costs more, as a share of its first."""
FIRST_OF_FRESH = 1.15
"""What the first turn of a fresh chain costs, as a multiple of a first turn."""
P_FAILING = 0.03
"""Chance that a turn is right although a gate fails."""
REPAIRED_NEXT = 0.55
"""Chance that the turn behind a pass that was not confirmed passes."""
MOST_REASONS = 3
LEAST_PART = 0.05
"""Log-odds that a term has to move a chance by to be named."""


class HaltingTerms(Value):
    """What a policy may use, and what the outcomes are worth."""

    economics: Economics = Economics()
    max_turns: int = Field(default=10, ge=1)
    """Turns of a run, restarts included."""
    budget_usd: float = Field(default=5.0, ge=0)
    """US dollars of a run; 0 for no limit."""
    may_restart: bool = True
    """Whether a fresh chain may begin."""
    model: HalterModel = PRIORS
    """Weights of the predictions."""


class Choice(NamedTuple):
    """What `halter-v1` would do, and what each action is worth."""

    action: Action
    values: HaltingValues


def choose(turns: Sequence[TurnState], terms: HaltingTerms) -> Choice:
    """Return the action that is worth most, within the limits; never a halt where a gate fails."""
    values = predict(turns, terms)
    open_to = {Action.HALT: values.halt}
    if not at_limit(turns, terms):
        open_to |= {Action.CONTINUE: values.continue_, Action.RESTART: values.restart}
    open_to[Action.ESCALATE] = values.escalate
    worth = {action: value for action, value in open_to.items() if value is not None}
    return Choice(max(worth, key=worth.__getitem__), values)


def at_limit(turns: Sequence[TurnState], terms: HaltingTerms) -> bool:
    """Whether the turns or the money of a run are used up."""
    spent = sum(each.cost_usd for each in turns)
    return len(turns) >= terms.max_turns or 0 < terms.budget_usd <= spent


def predict(turns: Sequence[TurnState], terms: HaltingTerms) -> HaltingValues:
    """Return what each action is worth after the newest turn, in US dollars.

    One more turn is always valued, at a limit too: a person who is asked there needs it.
    """
    model, last = terms.model, turns[-1]
    best = turns[: features.best_place(turns) + 1]
    p_best = _chance(model.verified, features.of_passing(best)) if best[-1].gates else P_FAILING
    if last.gates:
        continue_, restart = _of_confirming(turns, terms), None
        told = _told("it is right", model.verified, features.of_passing(turns), VERIFIED)
    else:
        continue_ = _of_continuing(turns, terms)
        restart = _of_restarting(turns, terms) if terms.may_restart else None
        next_turn = features.ahead(features.of_failing(turns), 1)
        told = _told("the next turn passes every gate", model.hazard, next_turn, HAZARD)
    return HaltingValues(
        halt=_delivered(p_best, terms.economics) if last.gates else None,
        continue_=continue_,
        restart=restart,
        escalate=terms.economics.escalation_usd,
        p_verified=p_best,
        reasons=told,
        worth_usd=terms.economics.worth_usd,
    )


def hazards(turns: Sequence[TurnState], model: HalterModel, horizon: int = HORIZON) -> tuple[float, ...]:
    """Return the chance that each turn ahead passes every gate, given that none before it did."""
    state = features.of_failing(turns)
    return tuple(_chance(model.hazard, features.ahead(state, j)) for j in range(1, horizon + 1))


def _of_continuing(turns: Sequence[TurnState], terms: HaltingTerms) -> float:
    model, k = terms.model, len(features.chain_of(turns))
    costs = _costs(model.turn_cost_usd * (1 + GROWTH * k))
    passed = _or_asked(_chance(model.verified, features.of_later_pass(k + 1, 0.86)), terms.economics)
    return _tried(hazards(turns, model, _left(turns, terms)), costs, passed, terms.economics.escalation_usd)


def _of_restarting(turns: Sequence[TurnState], terms: HaltingTerms) -> float:
    model = terms.model
    costs = _costs(model.turn_cost_usd * FIRST_OF_FRESH)
    chances = [
        _chance(model.restart, features.of_restart(turns, j)) for j in range(1, _left(turns, terms) + 1)
    ]
    passed = _or_asked(_chance(model.verified, features.of_later_pass(1, 0.84)), terms.economics)
    return _tried(chances, costs, passed, terms.economics.escalation_usd)


def _of_confirming(turns: Sequence[TurnState], terms: HaltingTerms) -> float:
    """Value one more evaluation of a turn that passes: it may confirm the pass or refute it."""
    model, economics, k = terms.model, terms.economics, len(features.chain_of(turns))
    now = features.of_passing(turns)
    cost = model.turn_cost_usd * (1 + GROWTH * k)
    again = _chance(model.confirmed, now)
    twice = _or_asked(_chance(model.verified, features.of_second_pass(now, k + 1)), economics)
    later = _or_asked(_chance(model.verified, features.of_later_pass(k + 1, 0.86)), economics)
    refuted = max(economics.escalation_usd, REPAIRED_NEXT * later - cost)
    return again * twice + (1 - again) * refuted - cost


def _costs(first: float) -> Iterator[float]:
    return (first * (1 + GROWTH * j) for j in range(HORIZON))


def _tried(chances: Sequence[float], costs: Iterator[float], passed: float, otherwise: float) -> float:
    """Return the value of trying up to as many turns as pay best, stopping at the first that passes."""
    still, value, most = 1.0, 0.0, None
    for chance, cost in zip(chances, costs, strict=False):
        value += still * (chance * passed - cost)
        still *= 1 - chance
        stopped = value + still * otherwise
        most = stopped if most is None else max(most, stopped)
    return otherwise if most is None else most


def _left(turns: Sequence[TurnState], terms: HaltingTerms) -> int:
    """Return the turns to look ahead: at most what is left of turns and money, at least one."""
    left = min(HORIZON, terms.max_turns - len(turns))
    if terms.budget_usd > 0:
        money = terms.budget_usd - sum(each.cost_usd for each in turns)
        left = min(left, int(max(0.0, money) / max(terms.model.turn_cost_usd, 0.05)))
    return max(1, left)


def _delivered(p: float, economics: Economics) -> float:
    return p * economics.worth_usd - (1 - p) * economics.wrong_usd


def _or_asked(p: float, economics: Economics) -> float:
    return max(_delivered(p, economics), economics.escalation_usd)


def _chance(weights: Sequence[float], row: features.Row) -> float:
    odds = sum(weight * value for weight, value in zip(weights, row, strict=True))
    return 1 / (1 + exp(-min(30.0, max(-30.0, odds))))


def _told(what: str, weights: Sequence[float], row: features.Row, terms: Sequence[Term]) -> tuple[str, ...]:
    """Name the terms that move a chance most, the intercept left out."""
    parts = [(weight * value, term.words) for weight, value, term in zip(weights, row, terms, strict=True)][
        1:
    ]
    heavy = sorted((each for each in parts if abs(each[0]) >= LEAST_PART), key=lambda each: -abs(each[0]))
    named = [f"{words}: {'more' if part > 0 else 'less'} likely" for part, words in heavy[: MOST_REASONS - 1]]
    return (f"chance that {what}: {_chance(weights, row):.2f}", *named)
