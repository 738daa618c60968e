"""Candidates are ordered by evidence first, by money last."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.events.candidates import CandidateResult
from setpoint.phase.policy.candidates import best_first, finalists, reason


def a_standing(candidate=1, **more):
    values = {"red": 0, "blocking": 0, "score": 0.9, "findings": 0, "lines": 3, "cost_usd": Decimal(1)}
    return CandidateResult(candidate=candidate, agent=f"agent-{candidate}", **{**values, **more})


standings = st.lists(
    st.builds(
        a_standing,
        failing=st.lists(st.sampled_from(["tests", "types"]), unique=True).map(tuple),
        red=st.integers(0, 2),
        blocking=st.integers(0, 2),
        score=st.none() | st.floats(0, 1),
        findings=st.integers(0, 2),
        lines=st.integers(0, 3),
        cost_usd=st.none() | st.decimals(0, 3, places=2),
    ),
    min_size=1,
    max_size=6,
).map(lambda all_: [each.model_copy(update={"candidate": n}) for n, each in enumerate(all_, start=1)])


@given(standings)
def test_nothing_goes_before_the_gates_and_the_order_hangs_on_no_order(found):
    ordered = best_first(found)
    assert ordered == best_first(list(reversed(found)))
    assert len(ordered[0].failing) == min(len(each.failing) for each in found)
    assert set(ordered) == set(found)
    assert reason(ordered).startswith(f"candidate {ordered[0].candidate} ")


def test_a_hundredth_of_quality_is_no_difference():
    dear, cheap = a_standing(1, score=0.9012, cost_usd=Decimal(2)), a_standing(2, score=0.9001)
    assert best_first([dear, cheap])[0] == cheap
    assert "has the higher quality" in reason(best_first([a_standing(1, score=0.95), cheap]))


def test_equals_go_by_their_number():
    assert reason(best_first([a_standing(2), a_standing(1)])) == (
        "candidate 1 (agent-1) is as good and comes first, before candidate 2 (agent-2)"
    )


def test_finalists_are_those_in_which_nothing_was_found():
    assert finalists([a_standing(1), a_standing(2, red=1), a_standing(3)]) == (1, 3)
    assert finalists([a_standing(1), a_standing(2, blocking=1)]) == ()


def test_no_candidate_is_said_to_be_none():
    assert reason(()) == "no candidate finished with a change"
