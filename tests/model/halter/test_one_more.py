"""Whether one more iteration is worth its cost."""

import pytest

from setpoint.model.facts.halting import one_more_line
from setpoint.model.halter.one_more import one_more
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halter.terms import PRIORS
from setpoint.model.halting import Economics, TurnState


def turns(*failing):
    return tuple(
        TurnState(number=place, gates=not left, failing=left) for place, left in enumerate(failing, start=1)
    )


def terms(worth=10.0, runs=0):
    model = PRIORS.model_copy(update={"agent": "pi 2" if runs else "", "runs": runs})
    return HaltingTerms(economics=Economics(worth_usd=worth), model=model)


def test_the_expected_gain_lies_in_its_interval_and_rises_with_the_worth():
    found = [one_more(turns(3, 2, 1), terms(worth)) for worth in (1.0, 10.0, 100.0)]
    for each in found:
        assert 0 <= each.chance_low < each.chance < each.chance_high <= 1
        assert each.low_usd < each.worth_usd < each.high_usd
    assert found[0].worth_usd < found[1].worth_usd < found[2].worth_usd


def test_the_interval_narrows_with_the_runs_that_were_fitted():
    wide, narrow = (one_more(turns(3, 2, 1), terms(runs=runs)) for runs in (0, 300))
    assert narrow.high_usd - narrow.low_usd < (wide.high_usd - wide.low_usd) / 2
    assert narrow.worth_usd == pytest.approx(wide.worth_usd)


def test_the_cost_is_that_of_the_iterations_so_far_where_it_is_known():
    measured = one_more(turns(3, 2), terms(), (0.2, 0.6))
    assert (measured.cost_usd, measured.cost_measured) == (pytest.approx(0.4), True)
    assert "costs about $0.40 ($0.20 to $0.60 so far)" in one_more_line(measured)
    assert "(assumed)" in one_more_line(one_more(turns(3, 2), terms()))


@pytest.mark.parametrize(
    ("worth", "cost", "said"),
    [(1000.0, 0.1, ": worth trying;"), (1.0, 9.0, ": not worth trying;"), (10.0, 0.1, "probably worth")],
)
def test_the_line_says_what_the_interval_allows(worth, cost, said):
    assert said in one_more_line(one_more(turns(3, 2, 1), terms(worth), (cost,)))


def test_nothing_is_said_where_every_gate_passes():
    assert one_more(turns(1, 0), terms()) is None
