"""What memory is worth: an interval where there are runs enough, and else that there are too few."""

import random

from setpoint.domain.learning import LearningKind
from setpoint.policies.uplift import LEAST, Use, lifts


def use(run, *, shown, verified=True, iterations=1, cost=None, kind=LearningKind.PROCEDURAL):
    return Use(
        trace_id=f"run-{run}",
        learning="lrn-1",
        kind=kind,
        shown=shown,
        propensity=0.8,
        held_out=not shown,
        verified=verified,
        iterations=iterations,
        cost_usd=cost,
    )


def of(found, group="all", figure="success"):
    return next(each for each in found if (each.group, each.figure) == (group, figure))


def test_too_few_runs_are_said_to_be_too_few():
    found = of(lifts([use(number, shown=True) for number in range(50)]))
    assert (found.with_, found.without, found.difference) == (50, 0, None)
    assert "too few runs to say" in found.said


def test_a_real_difference_is_found_and_none_is_not_invented():
    chance = random.Random(3)
    real = [
        use(number, shown=number % 2 == 0, verified=chance.random() < (0.9 if number % 2 == 0 else 0.4))
        for number in range(200)
    ]
    found = of(lifts(real))
    assert found.low > 0
    assert found.said == "better with"
    same = [use(number, shown=number % 2 == 0, verified=chance.random() < 0.6) for number in range(60)]
    assert "the interval holds 0" in of(lifts(same)).said


def test_fewer_iterations_are_better_and_cost_that_nobody_told_is_left_out():
    uses = [
        use(number, shown=number % 2 == 0, iterations=1 + number % 2 * 2 + number % 3 % 2, cost=None)
        for number in range(4 * LEAST)
    ]
    found = lifts(uses)
    assert of(found, figure="iterations").said == "better with"
    assert of(found, figure="cost_usd").with_ == 0
    worse = [each.model_copy(update={"held_out": not each.held_out}) for each in uses]
    assert of(lifts(worse), figure="iterations").said == "worse with"


def test_a_run_counts_once_and_kinds_are_told_apart():
    uses = [use(1, shown=True), use(1, shown=True, kind=LearningKind.SEMANTIC), use(2, shown=False)]
    uses += [use(3, shown=True).model_copy(update={"shown": False})]
    found = lifts(uses)
    assert (of(found).with_, of(found).without) == (2, 1), "what was withheld alone is no hold-out"
    assert (of(found, "procedural").with_, of(found, "procedural").without) == (2, 1)
    assert (of(found, "semantic").with_, of(found, "semantic").without) == (1, 0)
