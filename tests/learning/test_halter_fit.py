"""Fits of the halting policy to logged runs."""

from __future__ import annotations

import random
import sys
from math import exp

import pytest

from setpoint.errors import UsageError
from setpoint.learning.halter_fit import fit, most_probable
from setpoint.model.halter.prediction import HaltingTerms, hazards, predict
from setpoint.model.halter.terms import PRIORS, Term
from setpoint.model.halting import LoggedRun, TurnState

FIRST = (TurnState(number=1, gates=False, failing=4, quality=0.6),)


def a_run(name, *failing, agent="mechanic 1", verified=True, cost=0.0, chains=()):
    turns = tuple(
        TurnState(
            number=place + 1,
            chain=chains[place] if chains else 0,
            gates=left == 0,
            failing=left,
            quality=0.9 if left == 0 else 0.6,
            cost_usd=cost,
        )
        for place, left in enumerate(failing)
    )
    outcomes = tuple(verified if each.gates else None for each in turns)
    return LoggedRun(run=name, agent=agent, turns=turns, verified=outcomes, full=True)


def test_without_runs_the_priors_remain():
    assert fit([]) == PRIORS


def test_runs_of_two_agents_are_refused():
    with pytest.raises(UsageError, match="2 agents cannot be fitted together: mechanic 1, mechanic 2"):
        fit([a_run("a", 3, 0), a_run("b", 3, 0, agent="mechanic 2")])


def test_an_agent_that_repairs_at_once_is_believed_to():
    model = fit([a_run(f"r{number}", 4, 0) for number in range(40)])
    assert (model.agent, model.runs) == ("mechanic 1", 40)
    assert hazards(FIRST, model)[0] > 0.8 > hazards(FIRST, PRIORS)[0]


def test_a_run_that_was_stopped_says_nothing_about_what_came_behind():
    assert fit([a_run("r", 4)]).hazard == PRIORS.hazard
    seen = fit([a_run("r", 4, 4)])
    assert seen.hazard != PRIORS.hazard


def test_passes_that_turn_out_wrong_lower_the_chance_to_be_right():
    passing = (*FIRST, TurnState(number=2, gates=True, failing=0, quality=0.9))
    wrong = fit([a_run(f"r{number}", 4, 0, verified=False) for number in range(40)])
    unknown = fit([a_run(f"r{number}", 4, 0, verified=None) for number in range(40)])
    before = predict(passing, HaltingTerms()).p_verified
    assert predict(passing, HaltingTerms(model=wrong)).p_verified < 0.3 < before
    assert unknown.verified == PRIORS.verified


def test_restarts_and_confirmations_are_learned_from_their_own_turns():
    model = fit([a_run(f"r{number}", 4, 4, 0, 0, chains=(0, 0, 1, 1)) for number in range(20)])
    assert model.restart[0] > PRIORS.restart[0]
    assert model.confirmed[0] > PRIORS.confirmed[0]


def test_the_cost_of_a_turn_moves_from_what_is_assumed_to_what_was_seen():
    cheap = fit([a_run(f"r{number}", 4, 3, cost=0.01) for number in range(100)])
    assert 0.01 < cheap.turn_cost_usd < 0.06
    assert fit([a_run("r", 4, 3)]).turn_cost_usd == PRIORS.turn_cost_usd


def test_the_regression_finds_the_weights_that_made_its_data():
    chance, wide = random.Random(7), [Term("one", 0.0, 10.0), Term("two", 0.0, 10.0)]
    rows = [(1.0, chance.uniform(-2, 2)) for _ in range(4000)]
    outcomes = [chance.random() < 1 / (1 + exp(-(-0.5 + 1.5 * row[1]))) for row in rows]
    found = most_probable(rows, outcomes, [1.0] * len(rows), wide)
    assert found == pytest.approx((-0.5, 1.5), abs=0.15)
    narrow = [term._replace(sd=0.001) for term in wide]
    assert most_probable(rows, outcomes, [1.0] * len(rows), narrow) == pytest.approx((0, 0), abs=0.01)


def test_a_missing_numpy_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(UsageError, match="numpy is not installed") as failed:
        fit([a_run("r", 4, 0)])
    assert failed.value.hint == "pip install 'setpoint[halting]'"
