"""The page of a run says what was predicted at each decision."""

from model.examples import ONE_MORE
from setpoint.model.events.run import HaltingDecided
from setpoint.model.halting_values import HaltingValues
from setpoint.model.run import Action, Decision, Shadow
from web.conftest import ASKING


def test_a_decision_shows_its_values_and_its_heaviest_reasons(browser, project):
    values = HaltingValues(
        continue_=4.17,
        restart=-0.5,
        escalate=-1.0,
        p_verified=0.03,
        reasons=("the same problems again: less likely",),
        one_more=ONE_MORE,
    )
    decision = Decision(
        policy="rules-v1",
        action=Action.CONTINUE,
        reason="1 problem is open",
        values=values,
        shadow=Shadow(policy="halter-v1", action=Action.CONTINUE),
    )
    project.log.append(ASKING, "decide-1", [HaltingDecided(iteration=1, decision=decision)])
    page = browser.get(f"/runs/{ASKING}").text
    assert "would CONTINUE: worth continue $4.17, restart -$0.50, escalate -$1.00; P(verified) 0.03" in page
    assert "the same problems again: less likely" in page
    assert "one more iteration: 63% to pass every gate (14% to 95%)" in page
