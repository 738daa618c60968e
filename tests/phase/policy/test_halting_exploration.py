"""One more iteration on a share of the runs that a lack of progress would stop."""

import pytest

from phase.policy.rounds import a_past, a_round, reds
from phase.policy.test_halting_promoted import active
from setpoint.model.config.halting import HaltingSettings
from setpoint.model.config.limits import Limits
from setpoint.model.halter.deployment import ActiveHalting
from setpoint.model.run import Action
from setpoint.phase.policy.halting_exploration import in_charge
from setpoint.phase.policy.halting_policy import rules_v1

LIMITS = Limits(restart_on_repeat=False)
STUCK = a_past(*reds(3, "t::a"), limits=LIMITS)
ALWAYS = HaltingSettings(shadow_continue=1.0)


def decided(past, settings, run="run-1"):
    return in_charge(past, rules_v1(past), run=run, active=ActiveHalting(settings=settings))


def test_it_is_off_unless_set():
    assert rules_v1(STUCK)[0].action is Action.ESCALATE
    assert decided(STUCK, HaltingSettings()) == rules_v1(STUCK)


def test_a_run_that_would_stop_takes_one_more_iteration_and_then_stops():
    decision, halt = decided(STUCK, ALWAYS)
    assert (decision.action, decision.wanted, halt) == (Action.CONTINUE, Action.ESCALATE, None)
    assert "one more iteration shows what it brings" in decision.reason
    still = a_past(*reds(4, "t::a"), limits=LIMITS)
    assert decided(still, ALWAYS)[0].action is Action.ESCALATE


def test_the_share_is_drawn_and_its_propensity_is_logged():
    some = HaltingSettings(shadow_continue=0.25)
    seen = [decided(STUCK, some, f"run-{n}")[0] for n in range(400)]
    more = [each for each in seen if each.action is Action.CONTINUE]
    assert 70 < len(more) < 130
    assert {each.propensity for each in more} == {0.25}
    assert {each.propensity for each in seen if each.wanted is None} == {0.75}


@pytest.mark.parametrize(
    "past",
    [
        a_past(a_round(1)),
        a_past(*reds(2)),
        STUCK.model_copy(update={"limits": LIMITS.model_copy(update={"max_iterations": 3})}),
        STUCK.model_copy(update={"since": 1}),
    ],
    ids=["verified work", "progress", "a limit", "a person let it continue"],
)
def test_nothing_else_is_changed(past):
    assert decided(past, ALWAYS) == rules_v1(past)


def test_runs_of_a_promoted_policy_take_none():
    charge = active("repeat-twice").model_copy(update={"settings": ALWAYS})
    decision, _ = in_charge(STUCK, rules_v1(STUCK), run="run-1", active=charge)
    assert (decision.action, decision.wanted) == (Action.ESCALATE, None)
