"""A promoted policy decides within gates and limits, for its own agent alone."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phase.policy.rounds import a_past, a_round, reds
from setpoint.model.config.limits import Limits
from setpoint.model.halter.deployment import ActiveHalting, HaltingBook, Promotion
from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.terms import HalterModel
from setpoint.model.run import Action, Decision
from setpoint.model.verdict import Judgement
from setpoint.phase.policy.halting_policy import rules_v1
from setpoint.phase.policy.halting_promoted import with_promoted
from setpoint.testing import Scene

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RED = Scene(failing=("t::a",))
STUCK = a_past(*reds(4, "t::a"), limits=Limits(restart_on_repeat=False))
AFRESH = a_past(*reds(3, "t::a"))
FAILING = a_past(*reds(2))


def active(policy, agent="unknown", **more):
    promotion = Promotion(agent=agent, policy=policy, runs=300, since=NOW, **more)
    return ActiveHalting(book=HaltingBook().with_promotion(promotion))


def decided(past, charge, run="run-1"):
    return with_promoted(past, rules_v1(past), run=run, active=charge)


def test_it_continues_where_the_rules_see_no_progress():
    assert rules_v1(STUCK)[0].action is Action.ESCALATE
    decision, halt = decided(STUCK, active("first-pass"))
    assert (decision.policy, decision.action, decision.assigned) == (
        "first-pass",
        Action.CONTINUE,
        "first-pass",
    )
    assert halt is None


def test_it_stops_where_the_rules_would_continue_and_says_how_to_end_it():
    decision, halt = decided(FAILING, active("fixed-1"))
    assert (decision.action, halt.guard) == (Action.ESCALATE, "fixed-1")
    assert "setpoint lab halting demote" in halt.go_on


def test_it_begins_no_restart():
    assert rules_v1(AFRESH)[0].action is Action.RESTART
    assert decided(AFRESH, active("rules-v1"))[0].action is not Action.RESTART


def test_the_weights_that_it_decides_with_are_named():
    model = HalterModel(agent="unknown", runs=300)
    assert decided(FAILING, active("halter-v1", model=model))[0].weights == model.id


@pytest.mark.parametrize("policy", NAMED)
def test_limits_people_and_gates_hold_for_every_policy(policy):
    person = a_round(1, RED, judgement=Judgement.REQUIRE_HUMAN)
    held = {
        "limit": a_past(*reds(2), limits=Limits(max_iterations=2)),
        "person": a_past(person),
        "pass": a_past(a_round(1)),
        "let continue by a person": STUCK.model_copy(update={"since": 3}),
    }
    for past in held.values():
        rules = rules_v1(past)
        decision, halt = decided(past, active(policy))
        assert (decision.action, decision.reason, halt) == (rules[0].action, rules[0].reason, rules[1])


@given(
    reds=st.lists(st.sampled_from(["", "t::a", "t::b"]), min_size=1, max_size=6),
    policy=st.sampled_from(sorted(NAMED)),
    sure=st.floats(-5, 5),
)
def test_no_policy_ever_halts_with_a_failing_gate(reds, policy, sure):
    rounds = [a_round(n, Scene(failing=(name,) if name else ())) for n, name in enumerate(reds, start=1)]
    model = HalterModel(agent="unknown", verified=(sure, *HalterModel().verified[1:]))
    past = a_past(*rounds)
    decision, _ = decided(past, active(policy, model=model))
    if not past.last.verified:
        assert decision.action in (Action.CONTINUE, Action.ESCALATE, Action.RESTART)


def test_another_version_of_the_agent_falls_back_to_the_rules_and_says_so_once(monkeypatch):
    monkeypatch.setattr("setpoint.phase.policy.halting_promoted.agent_of", lambda rounds: "pi 2")
    charge = active("first-pass", agent="pi 1")
    first, _ = decided(a_past(*reds(1)), charge)
    assert first.policy == "rules-v1"
    assert "rules-v1 decides: first-pass is promoted for pi 1, and this is pi 2" in first.reason
    assert decided(FAILING, charge) == rules_v1(FAILING)
    assert decided(a_past(*reds(1)), active("first-pass", agent="other 1")) == rules_v1(a_past(*reds(1)))


def test_a_promotion_that_has_just_ended_is_named_in_the_run():
    charge = ActiveHalting(notices={"unknown": "first-pass was promoted and has fallen back: drift"})
    assert decided(a_past(*reds(1)), charge)[0].reason.endswith(
        "rules-v1 decides: " + charge.notices["unknown"]
    )


def test_a_canary_decides_on_its_share_and_the_propensity_is_logged():
    charge = active("first-pass").model_copy(update={"canaries": ("unknown",)})
    decisions: list[Decision] = [decided(STUCK, charge, f"run-{n}")[0] for n in range(400)]
    taken = [each for each in decisions if each.assigned]
    left = [each for each in decisions if not each.assigned]
    assert 50 < len(taken) < 115
    assert {(each.action, each.propensity) for each in taken} == {(Action.CONTINUE, 0.2)}
    assert {(each.action, each.propensity) for each in left} == {(Action.ESCALATE, 0.8)}
