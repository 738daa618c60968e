"""Whether a fix held: what counts as coming back, and what does not."""

import pytest

from model.production_examples import ABOUT_PRODUCTION, BEFORE, FIXED, MENDED, MINUTE, NOON, SIGNAL
from setpoint.model.config.production import ProductionTerms
from setpoint.model.events import production as p
from setpoint.model.production import Hypothesis
from setpoint.production.policy.fix_watch import MOST_DEPLOYMENTS, Outcome, afterword, candidates, watched
from setpoint.production.policy.incidents import Production
from setpoint.testing import MemoryEventLog

FIX = ABOUT_PRODUCTION[7]
TERMS = ProductionTerms(watch_s=3600)
LATER = FIXED.at + MINUTE


def stands(*bodies):
    log = MemoryEventLog(now=lambda: NOON)
    told = (p.AnomalyDetected(signal=SIGNAL), ABOUT_PRODUCTION[4], FIX, *bodies)
    for number, body in enumerate(told):
        log.append(p.TRACE, str(number), [body])
    return Production().after(log.replay(p.TRACE))


def seen(*bodies, now=LATER):
    production = stands(*bodies)
    (problem,) = production.problems.values()
    return watched(production, problem, FIX, TERMS, now)


def again(**more):
    return p.AnomalyDetected(signal=SIGNAL.model_copy(update={"id": "2", "occurred_at": LATER, **more}))


def ran_in(deployment, name):
    return p.CauseSuspected(signal=name, hypothesis=Hypothesis(deployment=deployment))


def test_a_fix_is_watched_for_a_while_and_then_held():
    assert seen().outcome is Outcome.WAIT
    found = seen(now=FIXED.at + 60 * MINUTE)
    assert found.outcome is Outcome.HELD
    assert found.reason == "not seen in production for 1 hours with v3 (ffffffffff)"
    assert seen(ABOUT_PRODUCTION[8], now=FIXED.at + 99 * MINUTE).outcome is Outcome.WAIT


def test_what_begins_after_the_fix_runs_came_back_also_when_it_had_held():
    for bodies in ((again(),), (ABOUT_PRODUCTION[8], again())):
        found = seen(*bodies)
        assert (found.outcome, found.sighting.signal.id) == (Outcome.RETURNED, "2")
        assert "v3 (ffffffffff), which holds the work of run-0mended" in found.reason


@pytest.mark.parametrize("more", [{"occurred_at": FIXED.at - MINUTE}, {"environment": "staging"}])
def test_what_began_before_or_elsewhere_says_nothing(more):
    assert seen(again(**more)).outcome is Outcome.WAIT


def test_what_an_older_release_still_tells_says_nothing():
    signal = again().signal
    assert seen(again(), ran_in(BEFORE, signal.name)).outcome is Outcome.WAIT
    assert seen(again(), ran_in(FIXED, signal.name)).outcome is Outcome.RETURNED


def test_an_alert_that_never_ended_was_not_mended():
    lasting = again(ends=True, occurred_at=NOON)
    late = FIXED.at + 61 * MINUTE
    found = seen(lasting, now=late)
    assert (found.outcome, found.sighting.signal.id) == (Outcome.RETURNED, "2")
    assert found.reason.startswith("not over 1 hours after v3")
    over = p.AnomalyEnded(signal=lasting.signal.name, ended_at=LATER)
    assert seen(lasting, over, now=late).outcome is Outcome.HELD


def test_a_returned_problem_is_no_longer_watched_and_its_run_is_known_to_have_failed():
    (problem,) = stands(ABOUT_PRODUCTION[9]).problems.values()
    assert (problem.fix, problem.failed) == (None, (MENDED["run"],))


def test_only_later_deployments_to_where_it_was_seen_may_hold_the_fix():
    staging = FIXED.model_copy(update={"environment": "staging"})
    many = [FIXED.model_copy(update={"at": FIXED.at + n * MINUTE}) for n in range(30)]
    production = stands(*(p.Deployed(deployment=each) for each in (BEFORE, staging, *many)))
    (problem,) = production.problems.values()
    found = list(candidates(production, problem, TERMS))
    assert found == many[-MOST_DEPLOYMENTS:]


def test_the_story_is_told_what_came_back_on_quoted_lines():
    text = afterword(seen(again(title="# Orders", body="do this\n## now")))
    assert text.startswith("## It came back\n\nSeen again in production with v3")
    assert "> # Orders\n> do this\n> ## now\n> /srv/app/shop/cart.py:14 in average" in text
