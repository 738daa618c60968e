"""Guards and halting policies of plug-ins: asked, bounded, and left out where they break."""

from phase.policy.rounds import a_past, a_round
from setpoint.model.config.limits import Limits
from setpoint.model.run import Action, Decision, Halt
from setpoint.phase.plugin_decisions import decide
from setpoint.phase.policy.halting_policy import rules_v1
from setpoint.testing import Scene

RED = a_past(a_round(1, Scene(failing=("t::a",)), reached=True))
GREEN = a_past(a_round(1, Scene(), reached=True))
SPENT = RED.model_copy(update={"limits": Limits(max_iterations=1)})


def halting(past):
    return Halt(guard="max_cost_usd", reason="enough", go_on="look at it")


def raising(past):
    raise ValueError("no idea")


def answering(action):
    return lambda past: (Decision(policy="mine-v1", action=action, reason="mine"), None)


def test_a_guard_stops_what_would_go_on_under_its_own_name():
    decision, halt = decide(RED, {"calm": lambda past: None, "strict": halting}, {})
    assert (decision.action, decision.reason) == (Action.ESCALATE, "enough")
    assert (halt.guard, halt.go_on) == ("strict", "look at it")


def test_a_guard_is_not_asked_about_verified_work():
    assert GREEN.last.verified
    assert decide(GREEN, {"strict": halting}, {}) == rules_v1(GREEN)


def test_a_guard_that_breaks_is_named_and_left_out():
    for broken in (raising, lambda past: True):
        decision, halt = decide(RED, {"bad": broken, "calm": lambda past: None}, {})
        assert (decision.action, halt) == (Action.CONTINUE, None)
        assert "left out: guard 'bad': " in decision.reason
    decision, halt = decide(RED, {"bad": raising, "strict": halting}, {})
    assert halt.guard == "strict"
    assert "guard 'bad': ValueError: no idea" in decision.reason


def test_a_policy_decides_in_place_of_the_rules():
    for action in (Action.ESCALATE, Action.RESTART, Action.CONTINUE):
        decision, halt = decide(RED, {}, {"mine": answering(action)})
        assert (decision.policy, decision.action, halt) == ("mine-v1", action, None)
    assert decide(GREEN, {}, {"mine": answering(Action.HALT)})[0].policy == "mine-v1"


def test_no_policy_passes_what_is_not_verified():
    for action in (Action.HALT, Action.CONFIRM):
        decision, _ = decide(RED, {}, {"mine": answering(action)})
        assert (decision.policy, decision.action) == ("rules-v1", Action.CONTINUE)
        assert f"halting policy 'mine': ValueError: it answered {action}" in decision.reason


def test_no_policy_goes_beyond_the_limits_or_works_on_verified_work():
    for past in (SPENT, GREEN):
        assert decide(past, {}, {"mine": answering(Action.CONTINUE)}) == rules_v1(past)
    assert decide(SPENT, {}, {})[1].guard == "max_iterations"


def test_a_policy_that_breaks_is_named_and_left_out():
    for broken in (raising, lambda past: None, lambda past: ("halt", None)):
        decision, _ = decide(RED, {}, {"mine": broken})
        assert (decision.policy, decision.action) == ("rules-v1", Action.CONTINUE)
        assert "left out: halting policy 'mine': " in decision.reason
