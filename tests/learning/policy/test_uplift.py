"""What memory is worth: an interval where there are runs enough, and else that there are too few."""

import random
from math import sqrt
from statistics import fmean, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.learning.policy.uplift import LEAST, Z, lifts
from setpoint.model.learning import LearningKind, RunGroup


def use(*, shown, verified=True, iterations=1, cost=None, kinds=(LearningKind.PROCEDURAL,)):
    known = cost is not None
    return RunGroup(
        kinds=frozenset(kinds),
        held_out=not shown,
        verified=verified,
        iterations=iterations,
        told=int(known),
        cost_usd=cost if known else 0.0,
        squared_usd=cost * cost if known else 0.0,
    )


def of(found, group="all", figure="success"):
    return next(each for each in found if (each.group, each.figure) == (group, figure))


def test_too_few_runs_are_said_to_be_too_few():
    found = of(lifts([use(shown=True) for number in range(50)]))
    assert (found.with_, found.without, found.difference) == (50, 0, None)
    assert "too few runs to say" in found.said


def test_a_real_difference_is_found_and_none_is_not_invented():
    chance = random.Random(3)
    real = [
        use(shown=number % 2 == 0, verified=chance.random() < (0.9 if number % 2 == 0 else 0.4))
        for number in range(200)
    ]
    found = of(lifts(real))
    assert found.low > 0
    assert found.said == "better with"
    same = [use(shown=number % 2 == 0, verified=chance.random() < 0.6) for number in range(60)]
    assert "the interval holds 0" in of(lifts(same)).said


def test_fewer_iterations_are_better_and_cost_that_nobody_told_is_left_out():
    uses = [
        use(shown=number % 2 == 0, iterations=1 + number % 2 * 2 + number % 3 % 2, cost=None)
        for number in range(4 * LEAST)
    ]
    found = lifts(uses)
    assert of(found, figure="iterations").said == "better with"
    assert of(found, figure="cost_usd").with_ == 0
    worse = [each.model_copy(update={"held_out": not each.held_out}) for each in uses]
    assert of(lifts(worse), figure="iterations").said == "worse with"


def test_a_run_counts_once_and_kinds_are_told_apart():
    uses = [use(shown=True, kinds=[LearningKind.PROCEDURAL, LearningKind.SEMANTIC]), use(shown=False)]
    uses += [use(shown=True)]
    found = lifts(uses)
    assert (of(found).with_, of(found).without) == (2, 1)
    assert (of(found, "procedural").with_, of(found, "procedural").without) == (2, 1)
    assert (of(found, "semantic").with_, of(found, "semantic").without) == (1, 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(1, 9), st.none() | st.floats(0, 50))))
def test_runs_added_up_say_what_the_runs_say_one_by_one(drawn):
    alone = [use(shown=shown, verified=ok, iterations=turns, cost=cost) for shown, ok, turns, cost in drawn]
    together = {}
    for each in alone:
        key = each.held_out, each.verified, each.iterations
        one = together.get(key)
        sums = ("runs", "told", "cost_usd", "squared_usd")
        added = {name: getattr(one, name) + getattr(each, name) for name in sums} if one else {}
        together[key] = each.model_copy(update=added)
    for one, other in zip(lifts(alone), lifts(together.values()), strict=True):
        assert (one.with_, one.without, one.said) == (other.with_, other.without, other.said)
        values = [
            value
            for shown, ok, turns, cost in drawn
            if shown
            and (value := {"success": ok, "iterations": turns, "cost_usd": cost}[one.figure]) is not None
        ]
        if one.group in ("all", "procedural"):
            assert one.with_ == len(values)
            assert one.mean_with == (pytest.approx(fmean(values), abs=1e-3) if values else None)
        if one.difference is not None:
            assert (one.difference, one.low, one.high) == pytest.approx(
                (other.difference, other.low, other.high), abs=2e-3
            )


def test_the_interval_is_that_of_welch():
    one, other = [1.0, 2.0, 4.0, 4.0, 6.0] * 3, [2.0, 3.0, 3.5, 7.0, 8.0] * 3
    uses = [use(shown=True, cost=each) for each in one] + [use(shown=False, cost=each) for each in other]
    found = of(lifts(uses), figure="cost_usd")
    half = Z * sqrt(variance(one) / len(one) + variance(other) / len(other))
    assert found.low == pytest.approx(fmean(one) - fmean(other) - half, abs=1e-4)
    assert found.high == pytest.approx(fmean(one) - fmean(other) + half, abs=1e-4)
