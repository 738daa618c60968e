"""Runs whose actions were drawn by chance speak for a policy that acts otherwise, by their weights."""

import random

import pytest

from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halting import Economics, LoggedRun, TurnState
from setpoint.model.halting_replay import compare
from setpoint.model.halting_sampling import drawn, effective_size, weighed, weight

TERMS = HaltingTerms(budget_usd=0, may_restart=True)
RESTARTING = NAMED["rules-v1"](TERMS)
WORTH = Economics(worth_usd=10, wrong_usd=5)


def turn(number, *, gates=False, repeated=False, chain=0):
    return TurnState(number=number, gates=gates, failing=int(not gates), repeated=repeated, chain=chain)


def stuck(name, dice, *, chance=0.5, helps=0.8):
    """Build a run that is stuck after three turns and is then restarted with this chance, or given up."""
    turns = [turn(1), turn(2, repeated=True), turn(3, repeated=True)]
    if dice.random() >= chance:
        return LoggedRun(
            run=name,
            agent="a",
            turns=turns,
            verified=[False] * 3,
            full=False,
            propensities=(1, 1, 1 - chance),
        )
    right = dice.random() < helps
    turns.append(turn(4, gates=right, chain=1))
    turns += [] if right else [turn(5, repeated=True, chain=1), turn(6, repeated=True, chain=1)]
    return LoggedRun(
        run=name,
        agent="a",
        turns=turns,
        verified=[each.gates for each in turns],
        full=not right,
        propensities=(1, 1, chance, *[1] * (len(turns) - 3)),
    )


def test_a_run_counts_by_the_chance_of_its_actions_or_not_at_all():
    dice = random.Random(1)
    runs = [stuck(str(number), dice) for number in range(40)]
    weights = {weight(each, RESTARTING) for each in runs}
    assert weights == {0.0, 2.0}
    assert drawn(runs)


def test_the_effective_size_is_that_of_equal_weights():
    assert effective_size([2.0] * 50 + [0.0] * 50) == pytest.approx(50)
    assert effective_size([100.0] + [0.01] * 99) < 2
    assert effective_size([0.0]) == 0


def test_the_mean_of_weighed_values_is_the_weighted_mean():
    assert sum(weighed([1.0, 0.0, 1.0], [1.0, 1.0, 2.0])) / 3 == pytest.approx(0.75)


def test_a_policy_that_restarts_has_figures_where_restarts_were_drawn():
    dice = random.Random(2)
    runs = [stuck(str(number), dice) for number in range(1000)]
    (figures,) = compare(runs, {"rules-v1": RESTARTING}, "rules-v1", WORTH)
    assert not figures.refused
    assert figures.effective == pytest.approx(500, abs=60)
    assert figures.success.low < 0.8 < figures.success.high
    assert figures.success.value == pytest.approx(0.8, abs=0.06)


def test_too_few_that_act_alike_are_refused():
    dice = random.Random(3)
    runs = [stuck(str(number), dice, chance=0.1) for number in range(300)]
    (figures,) = compare(runs, {"rules-v1": RESTARTING}, "rules-v1", WORTH)
    assert figures.success is None
    assert "effective sample size of" in figures.refused
    assert figures.effective < 100


@pytest.mark.parametrize("wrong", [(0.5,), (0.0, 1.0), (1.5, 1.0)])
def test_propensities_are_one_for_each_turn_and_a_chance(wrong):
    with pytest.raises(ValueError, match="propensit"):
        LoggedRun(
            run="r",
            agent="a",
            turns=[turn(1), turn(2)],
            verified=[None, None],
            full=False,
            propensities=wrong,
        )
