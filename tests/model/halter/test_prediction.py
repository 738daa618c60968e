from __future__ import annotations

from itertools import accumulate
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.halter.policies import NAMED, r0_stagnant
from setpoint.model.halter.prediction import HaltingTerms, choose, hazards, predict
from setpoint.model.halter.terms import HAZARD, PRIORS, HalterModel
from setpoint.model.halting import Economics, TurnState
from setpoint.model.run import Action

TERMS = HaltingTerms()


def turns(*rows):
    """One turn for each score and number of open problems; `again` where they are those before."""
    return tuple(
        TurnState(
            number=number,
            gates=row[1] == 0,
            failing=row[1],
            quality=row[0],
            tests_share=1 - row[1] / 20,
            repeated=len(row) > 2,
        )
        for number, row in enumerate(rows, start=1)
    )


R0 = ((0.65, 4), (0.78, 1), (0.88, 0))
STEADY = ((0.80, 3), (0.83, 2), (0.86, 1))


def test_the_example_of_r0_is_decided_as_it_was_meant_before_any_run_is_seen():
    chosen = [choose(turns(*R0[:length]), TERMS) for length in (1, 2, 3)]
    assert [each.action for each in chosen] == [Action.CONTINUE, Action.CONTINUE, Action.HALT]
    assert [round(each.values.continue_, 2) for each in chosen] == [4.17, 5.27, 5.43]
    assert [each.values.halt for each in chosen[:2]] == [None, None]
    assert chosen[2].values.halt == pytest.approx(6.01, abs=0.005)


def test_a_run_that_improves_steadily_continues_where_r0_calls_it_stagnant():
    steady = turns(*STEADY)
    assert r0_stagnant(steady)
    assert NAMED["classic"](TERMS)(steady) is Action.ESCALATE
    action, values = choose(steady, TERMS)
    assert (action, round(values.continue_, 2)) == (Action.CONTINUE, 4.72)


def test_the_same_problems_twice_again_begin_a_fresh_chain():
    action, values = choose(turns((0.8, 3), (0.8, 3, "again"), (0.8, 3, "again")), TERMS)
    assert action is Action.RESTART
    assert (round(values.restart, 2), round(values.continue_, 2)) == (1.86, -0.48)


def test_without_a_restart_the_same_run_goes_to_a_person():
    terms = TERMS.model_copy(update={"may_restart": False})
    action, values = choose(turns((0.8, 3), (0.8, 3, "again"), (0.8, 3, "again")), terms)
    assert (action, values.restart) == (Action.ESCALATE, None)


def test_work_that_is_worth_less_is_tried_less():
    long = turns((0.5, 12), (0.5, 12), (0.5, 12))
    poor = TERMS.model_copy(update={"economics": Economics(worth_usd=1.0), "may_restart": False})
    rich = TERMS.model_copy(update={"economics": Economics(worth_usd=100.0), "may_restart": False})
    assert choose(long, poor).action is Action.ESCALATE
    assert choose(long, rich).action is Action.CONTINUE


def test_at_a_limit_one_more_turn_is_valued_but_not_taken():
    at_limit = TERMS.model_copy(update={"max_turns": 2})
    action, values = choose(turns(*R0[:2]), at_limit)
    assert action is Action.ESCALATE
    assert values.continue_ > 0


def test_the_reasons_name_the_chance_and_what_moves_it():
    first, *rest = predict(turns(*R0[:1]), TERMS).reasons
    assert first == "chance that the next turn passes every gate: 0.26"
    assert "open problems: less likely" in rest


def test_the_hazard_rises_at_the_turn_at_which_the_problems_would_be_gone():
    chances = hazards(turns((0.7, 5), (0.8, 3)), PRIORS)
    assert len(chances) == 8
    assert chances[1] > chances[0]


def test_a_model_of_other_terms_is_refused():
    with pytest.raises(ValueError, match=f"hazard: 1 weights for {len(HAZARD)} terms"):
        HalterModel(hazard=(1.0,))


@st.composite
def runs(draw):
    gates = st.booleans()
    share = st.none() | st.floats(0, 1)
    fresh = draw(st.lists(st.booleans(), min_size=1, max_size=12))
    chains = accumulate(fresh)
    return tuple(
        TurnState(
            number=number,
            chain=chain - fresh[0],
            quality=draw(share),
            gates=draw(gates),
            failing=draw(st.integers(0, 500)),
            tests_share=draw(share),
            security=draw(st.integers(0, 30)),
            review=draw(st.integers(0, 30)),
            repeated=draw(st.booleans()),
            cost_usd=draw(st.floats(0, 20)),
        )
        for number, chain in enumerate(chains, start=1)
    )


@given(past=runs(), worth=st.floats(0, 1000), wrong=st.floats(0, 1000), asked=st.floats(-10, 10))
def test_every_value_is_finite_and_no_policy_halts_where_a_gate_fails(past, worth, wrong, asked):
    economics = Economics(worth_usd=worth, wrong_usd=wrong, escalation_usd=asked)
    terms = HaltingTerms(economics=economics)
    values = predict(past, terms)
    worths = (values.halt, values.continue_, values.restart, values.escalate, values.p_verified)
    assert all(isfinite(each) for each in worths if each is not None)
    assert 0 <= values.p_verified <= 1
    assert (values.halt is None) == (not past[-1].gates)
    for make in NAMED.values():
        action = make(terms)(past)
        assert action is not Action.CONFIRM
        assert action is not Action.HALT or past[-1].gates
