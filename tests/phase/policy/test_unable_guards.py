"""A guard that cannot judge a run says what is missing."""

from decimal import Decimal

import pytest

from phase.policy.rounds import BASE, a_past, a_round
from setpoint.model.config.limits import Limits
from setpoint.phase.policy.unable_guards import unable
from setpoint.testing import Scene

RED = Scene(failing=("t::a",))
OLD = Limits(stagnation=True, minimum_quality=0.6)
UNTESTED = BASE.model_copy(update={"failures": (), "test_counts": {}})


def rounds(*reached):
    """Rounds that ran the full suite, or else a part of it."""
    made = [a_round(place, RED, reached=each) for place, each in enumerate(reached, start=1)]
    return [each if each.tests else partly(each) for each in made]


def partly(past):
    quality = past.evaluation.quality.model_copy(update={"test_count": None})
    return past.model_copy(update={"evaluation": past.evaluation.model_copy(update={"quality": quality})})


def bare():
    """A round that reached the full suite of a project without tests."""
    past = a_round(1)
    return past.model_copy(update={"tests": past.tests.model_copy(update={"test_counts": {}})})


CASES = {
    "the full suite was never reached": (
        a_past(*rounds(False, False, False), limits=OLD),
        {"minimum_quality"},
    ),
    "it was reached in one of three": (a_past(*rounds(False, True, False), limits=OLD), {"stagnation"}),
    "it was reached each time": (a_past(*rounds(True, True, True), limits=OLD), set()),
    "two rounds are too few": (a_past(*rounds(False, False), limits=OLD), set()),
    "both are off": (a_past(*rounds(False, True, False)), set()),
    "no test exists": (a_past(bare(), base=UNTESTED), {"max_rounds_without_gain"}),
    "an agent does not tell its cost": (a_past(*rounds(True), cost_known=False), {"max_cost_usd"}),
    "cost has no limit": (
        a_past(*rounds(True), cost_known=False, limits=Limits(max_cost_usd=Decimal(0))),
        set(),
    ),
    "tokens are limited and not told": (
        a_past(*rounds(True), cost_known=False, limits=Limits(max_tokens=5)),
        {"max_cost_usd", "max_tokens"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_judged_is_named_with_its_reason(name):
    past, guards = CASES[name]
    told = unable(past)
    assert set(told) == guards
    assert all(told.values())
