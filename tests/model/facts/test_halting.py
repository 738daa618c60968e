"""The turns of a run as halting policies see them."""

from decimal import Decimal

from phase.policy.rounds import a_past, a_round
from setpoint.model.facts.halting import turn_states
from setpoint.model.facts.rounds import Share
from setpoint.testing import Scene


def test_the_rounds_of_a_run_become_turns():
    rounds = [
        a_round(1, Scene(failing=("t::a", "t::b"))),
        a_round(2, Scene(failing=("t::a", "t::b")), reached=False),
        a_round(3, Scene(failing=("t::a",))),
    ]
    shares = (Share(Decimal("0.25"), 3.0), Share(Decimal("0.5"), 3.0))
    turns = turn_states(a_past(*rounds).model_copy(update={"shares": shares}))
    assert [each.number for each in turns] == [1, 2, 3]
    assert [each.failing for each in turns] == [2, 2, 1]
    assert [each.repeated for each in turns] == [False, True, False]
    assert [each.cost_usd for each in turns] == [0.25, 0.5, 0.0]
    assert [each.gates for each in turns] == [False, False, False]
    assert turns[1].tests_share is None
    assert turns[0].quality == rounds[0].latest.score
