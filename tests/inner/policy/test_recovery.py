"""How an attempt continues after a breakage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.inner.policy.recovery import FATAL, Patience, next_step
from setpoint.model.attempt import PASSING, Breakage, BreakageKind, Recovery

KINDS = st.sampled_from(list(BreakageKind))
AMPLE = Patience(tries=3, wait_s=3600)


def broke(*kinds: BreakageKind, wait_s: float | None = None) -> list[Breakage]:
    return [Breakage(kind=kind, message=str(kind), wait_s=wait_s) for kind in kinds]


@pytest.mark.parametrize(
    ("kinds", "goes_on", "then"),
    [
        ([BreakageKind.CRASH], True, Recovery.SAME_SESSION),
        ([BreakageKind.CRASH], False, Recovery.NEW_SESSION),
        ([BreakageKind.CRASH, BreakageKind.CRASH], True, Recovery.NEW_SESSION),
        ([BreakageKind.CRASH, BreakageKind.RATE_LIMIT], True, Recovery.SAME_SESSION),
        ([BreakageKind.SESSION], True, Recovery.NEW_SESSION),
        ([BreakageKind.OVERFLOW], True, Recovery.NEW_SESSION),
        ([BreakageKind.CRASH] * 3, True, Recovery.END),
        ([BreakageKind.AUTH], True, Recovery.END),
        ([BreakageKind.RATE_LIMIT] * 9, True, Recovery.SAME_SESSION),
    ],
)
def test_each_breakage_has_its_step(kinds, goes_on, then):
    assert next_step(broke(*kinds), AMPLE, goes_on=goes_on).then is then


def test_another_agent_takes_over_where_the_own_steps_are_used_up():
    others = Patience(tries=3, wait_s=600, others=1)
    for last in (broke(*[BreakageKind.CRASH] * 3), broke(BreakageKind.AUTH), broke(BreakageKind.MISSING)):
        assert next_step(last, others, goes_on=True).then is Recovery.NEXT_AGENT
    assert next_step(broke(BreakageKind.CRASH), others, goes_on=True).then is Recovery.SAME_SESSION
    spent = Patience(tries=3, wait_s=600, others=1, exhausted=True)
    assert next_step(broke(BreakageKind.AUTH), spent, goes_on=True).then is Recovery.END
    assert next_step(broke(BreakageKind.BUDGET), others, goes_on=True).then is Recovery.END


def test_a_request_that_the_model_refuses_is_not_sent_again_by_the_same_session():
    refused = Breakage(kind=BreakageKind.MODEL, message="bad request", status=400)
    assert next_step([refused], AMPLE, goes_on=True).then is Recovery.NEW_SESSION


def test_a_limit_is_waited_for_as_long_as_the_provider_says_and_no_longer_than_allowed():
    limited = broke(BreakageKind.RATE_LIMIT, wait_s=900)
    assert next_step(limited, AMPLE, goes_on=True).wait_s == 900
    assert next_step(limited, Patience(tries=3, wait_s=600), goes_on=True).then is Recovery.END


def test_where_waiting_is_switched_off_a_limit_counts_as_a_try():
    limited, hasty = broke(*[BreakageKind.OVERLOAD] * 2), Patience(tries=2, wait_s=0)
    assert next_step(limited[:1], hasty, goes_on=True).then is Recovery.SAME_SESSION
    assert next_step(limited, hasty, goes_on=True).then is Recovery.END


@given(st.lists(KINDS, min_size=1, max_size=12), st.booleans())
def test_it_ends_and_a_session_never_outlives_two_breakages_of_its_own(kinds, goes_on):
    step = next_step(broke(*kinds), AMPLE, goes_on=goes_on)
    own = [kind for kind in kinds if kind not in PASSING]
    if kinds[-1] in FATAL or (kinds[-1] not in PASSING and len(own) >= AMPLE.tries):
        assert step.then is Recovery.END
    if (len(kinds) > 1 and not {*kinds[-2:]} & PASSING) or not goes_on:
        assert step.then is not Recovery.SAME_SESSION
