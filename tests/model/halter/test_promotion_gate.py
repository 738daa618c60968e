"""What a halting policy has to show before it decides."""

import pytest

from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halter.promotion_gate import as_live, gate_conditions
from setpoint.model.halting import Economics, LoggedRun, TurnState
from setpoint.model.run import Action

TERMS = HaltingTerms(max_turns=6, budget_usd=0, may_restart=False)
RULES = NAMED["rules-v1"](TERMS)


def a_run(name, passes_at, *, verified=True, turns=6, repeated=True):
    """A run whose problems repeat until it passes; 0: it never does."""
    states = tuple(
        TurnState(
            number=n,
            gates=n == passes_at,
            failing=int(n != passes_at),
            repeated=repeated and 1 < n != passes_at,
            cost_usd=0.3,
        )
        for n in range(1, (passes_at or turns) + 1)
    )
    labels = tuple(verified if each.gates else None for each in states)
    return LoggedRun(run=name, agent="pi 1", turns=states, verified=labels, full=not passes_at)


def judged(policy, runs):
    made = NAMED[policy](TERMS)
    return gate_conditions(runs, [made] * len(runs), RULES, Economics())


def met(conditions):
    return [each.met for each in conditions]


LATE = [a_run(f"r{n}", 5) for n in range(300)]
"""Each passes after its problems have repeated more than twice, where rules-v1 stops."""


def test_a_policy_that_gains_on_enough_runs_meets_every_condition():
    assert met(judged("first-pass", LATE)) == [True] * 5


def test_too_few_runs_are_not_enough_however_large_the_gain():
    assert met(judged("first-pass", LATE[:299])) == [False, True, True, True, True]


def test_a_policy_that_only_costs_more_is_refused():
    hopeless = [a_run(f"r{n}", 0) for n in range(300)]
    gain = judged("first-pass", hopeless)[2]
    assert not gain.met
    assert gain.figure.startswith("-0.900, 95 % bound")


def test_a_gain_that_comes_from_wrong_deliveries_is_refused():
    runs = [*LATE[:250], *(a_run(f"w{n}", 5, verified=False) for n in range(50))]
    assert met(judged("first-pass", runs)) == [True, True, True, True, False]


def test_a_saving_that_costs_success_is_refused():
    quick = [a_run(f"q{n}", 3, repeated=False) for n in range(30)]
    runs = [*quick, *(a_run(f"h{n}", 0, repeated=False) for n in range(300))]
    conditions = {each.name: each.met for each in judged("classic", runs)}
    assert conditions["success, less that of rules-v1"]  # classic waits for its window
    conditions = {each.name: each.met for each in judged("fixed-1", runs)}
    assert conditions["gain of a run in $, less that of rules-v1"]
    assert not conditions["success, less that of rules-v1"]


def test_runs_that_are_too_short_for_the_policy_refuse_it():
    short = [a_run(f"r{n}", 0, turns=3).model_copy(update={"full": False}) for n in range(300)]
    assert met(judged("first-pass", short))[1] is False


def test_without_runs_there_is_one_condition_and_it_is_not_met():
    (condition,) = judged("first-pass", [])
    assert not condition.met


@pytest.mark.parametrize("policy", NAMED)
def test_in_a_run_every_policy_delivers_what_passes_every_gate(policy):
    assert as_live(NAMED[policy](TERMS))((TurnState(number=1, gates=True, failing=0),)) is Action.HALT
