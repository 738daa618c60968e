"""What the policy that only watches adds to a decision."""

import pytest

from phase.policy.rounds import a_past, a_round, reds
from setpoint.model.events.run import HaltingDecided
from setpoint.model.facts.halting import shadow_line
from setpoint.model.run import Action
from setpoint.phase.policy.halting_policy import rules_v1
from setpoint.phase.policy.halting_shadow import shadowed
from setpoint.testing import Scene

PASTS = {
    "one round that fails": a_past(*reds(1)),
    "seven rounds that fail": a_past(*reds(7)),
    "the same problems": a_past(*reds(3, "t::a")),
    "a pass": a_past(a_round(1)),
}


@pytest.mark.parametrize("past", PASTS.values(), ids=PASTS)
def test_the_policy_that_watches_changes_nothing_that_was_decided(past):
    decision, _ = rules_v1(past)
    watched = shadowed(decision, past)
    assert watched.model_copy(update={"values": None, "shadow": None}) == decision
    assert (watched.shadow.policy, watched.shadow.propensity) == ("halter-v1", 1.0)
    assert (watched.values.halt is None) == (not past.last.verified)


def test_at_the_last_round_it_would_not_continue_and_still_values_one_more():
    decision, _ = rules_v1(PASTS["seven rounds that fail"])
    watched = shadowed(decision, PASTS["seven rounds that fail"])
    assert watched.shadow.action is Action.ESCALATE
    assert watched.values.continue_ != 0


def test_one_line_says_what_it_would_do_and_why():
    past = a_past(a_round(1, Scene(failing=("t::a",))))
    line = shadow_line(shadowed(rules_v1(past)[0], past))
    assert line.startswith("halter-v1 (in the shadow) would CONTINUE: worth continue $")
    assert "; P(verified) 0.03; chance that the next turn passes every gate: 0." in line


def test_a_decision_of_an_older_record_is_read_and_shows_no_such_line():
    old = '{"iteration": 1, "decision": {"policy": "rules-v1", "action": "continue", "reason": "open"}}'
    assert shadow_line(HaltingDecided.model_validate_json(old).decision) == ""
