"""Every guard fires exactly at its limit, says what it saw and how to go on; guards compose."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phase.policy.rounds import a_past, a_round, finding, reds
from setpoint.model.config.limits import Limits
from setpoint.model.facts.rounds import Share
from setpoint.model.run import Halt
from setpoint.phase.policy import loop_guards, progress_guards
from setpoint.phase.policy.loop_guards import Guard
from setpoint.testing import Scene, failure

LIMITS = Limits(
    max_iterations=4,
    max_refinement_attempts=3,
    stagnation=True,
    minimum_quality=0.6,
    max_cost_usd=Decimal(2),
    max_wall_s=100,
    diminishing_returns=True,
    max_rounds_without_gain=0,
)
GAINS = Limits()
TWO_SHARES = (Share(Decimal("0.80"), 10), Share(Decimal("0.60"), 20))


def scored(*scores):
    return a_past(*(a_round(place, Scene(score=score)) for place, score in enumerate(scores, start=1)))


def failing(*names_of_rounds, chain=0):
    return tuple(
        a_round(place, Scene(failing=names), chain=chain)
        for place, names in enumerate(names_of_rounds, start=1)
    )


def reviewed(number, message="the total is rounded twice"):
    return a_past(*(a_round(place, review=(finding(message),)) for place in range(1, number + 1)))


def unchanged(number):
    return a_past(a_round(1), *(a_round(place, diff="") for place in range(2, number + 2)))


REVIEW_BOUNCES = loop_guards.phase_limit("max_review_bounces", "review", 2)
AT_THE_LIMIT = {
    "max_iterations": (loop_guards.max_iterations(LIMITS), a_past(*reds(3)), a_past(*reds(4))),
    "max_review_bounces": (REVIEW_BOUNCES, reviewed(2), reviewed(3)),
    "max_refinement_attempts": (
        loop_guards.max_refinement_attempts(LIMITS),
        a_past(*reds(3)),
        a_past(*reds(4)),
    ),
    "max_same_review_issue": (progress_guards.same_review_issue(LIMITS), reviewed(2), reviewed(3)),
    "max_same_test_failure": (
        progress_guards.same_test_failure(LIMITS),
        a_past(*reds(2, "t::a")),
        a_past(*reds(3, "t::a")),
    ),
    "repeated_findings": (
        progress_guards.repeated_findings(LIMITS),
        a_past(*reds(2, "t::a")),
        a_past(*reds(3, "t::a")),
    ),
    "max_empty_diffs": (loop_guards.empty_diffs(LIMITS), unchanged(1), unchanged(2)),
    "max_cost_usd": (
        loop_guards.cost(LIMITS),
        a_past(*reds(1), cost_usd=Decimal("1.99")),
        a_past(*reds(1), cost_usd=Decimal("2.00")),
    ),
    "max_wall_s": (loop_guards.wall_time(LIMITS), a_past(active_s=99.9), a_past(active_s=100)),
    "max_tokens": (
        loop_guards.tokens(Limits(max_tokens=5000)),
        a_past(*reds(1), tokens=4999),
        a_past(*reds(1), tokens=5000),
    ),
    "deadline_s": (loop_guards.deadline(Limits(deadline_s=60)), a_past(elapsed_s=59.9), a_past(elapsed_s=60)),
    "enough_left": (
        loop_guards.enough_left(LIMITS),
        a_past(*reds(2), cost_usd=Decimal("1.40"), shares=TWO_SHARES),
        a_past(*reds(2), cost_usd=Decimal("1.41"), shares=TWO_SHARES),
    ),
    "diminishing_returns": (
        progress_guards.diminishing_returns(LIMITS),
        a_past(*reds(2)),
        a_past(*reds(3)),
    ),
    "stagnation": (progress_guards.stagnation(LIMITS), scored(0.80, 0.83), scored(0.80, 0.83, 0.86)),
    "minimum_quality": (progress_guards.minimum_quality(LIMITS), scored(0.1, 0.2), scored(0.1, 0.2, 0.3)),
}


@pytest.mark.parametrize("name", AT_THE_LIMIT)
def test_a_guard_fires_at_its_limit_and_not_before(name):
    guard, before, at = AT_THE_LIMIT[name]

    halt = guard(at)

    assert guard(before) is None
    assert halt is not None
    assert (halt.guard, guard.name) == (name, name)
    assert halt.reason
    assert halt.figures
    assert halt.go_on


@pytest.mark.parametrize("name", AT_THE_LIMIT)
def test_no_guard_fires_on_a_run_without_rounds(name):
    assert AT_THE_LIMIT[name][0](a_past()) is None


def test_reasons_hold_the_figures():
    told = {name: guard(at).reason for name, (guard, _, at) in AT_THE_LIMIT.items()}
    assert told == {
        "max_iterations": "4 of 4 iterations are used up",
        "max_review_bounces": "review sends the work back again: bounce 3, where 2 are allowed",
        "max_refinement_attempts": "the story reached max refinement attempts (3/3); manual intervention "
        "required",
        "max_same_review_issue": "the same review issue in 3 rounds in a row: the total is rounded twice",
        "max_same_test_failure": "the same test failure in 3 rounds in a row: t::a",
        "repeated_findings": "the same problem in 3 rounds in a row",
        "max_empty_diffs": "the maker changed nothing new in 2 rounds in a row",
        "max_cost_usd": "$2.00 of $2.00 are spent",
        "max_wall_s": "100 of 100 seconds are used up",
        "max_tokens": "5000 of 5000 tokens are used up",
        "deadline_s": "the deadline has passed: 60 seconds after the start",
        "enough_left": "$0.59 of $2.00 are left, and no round cost less than $0.60",
        "diminishing_returns": "no fewer problems after 2 bounces: 2 -> 2 -> 2",
        "stagnation": "the quality score hardly moves (variance 0.00060) in 3 rounds in a row",
        "minimum_quality": "the quality score 0.30 is below 0.60 after 3 rounds",
    }


def test_enough_left_looks_at_time_too_and_can_be_switched_off():
    late = a_past(*reds(2), active_s=91, shares=TWO_SHARES)
    assert loop_guards.enough_left(LIMITS)(a_past(*reds(2), active_s=90, shares=TWO_SHARES)) is None
    halt = loop_guards.enough_left(LIMITS)(late)
    assert halt is not None
    assert halt.reason == "9 of 100 seconds are left, and no round took less than 10"
    assert loop_guards.enough_left(LIMITS.model_copy(update={"enough_left": False}))(late) is None


def test_what_a_person_answered_for_counts_no_more():
    stuck = failing(("t::a",), ("t::a",), ("t::a",))
    more = (*stuck, *(a_round(number, Scene(failing=("t::a",))) for number in (4, 5)))
    assert progress_guards.stuck(LIMITS)(a_past(*more, since=3)) is None
    again = (*more, a_round(6, Scene(failing=("t::a",))))
    halt = progress_guards.stuck(LIMITS)(a_past(*again, since=3))
    assert halt is not None
    assert halt.guard == "max_same_test_failure"


def test_scores_of_rounds_that_never_reached_the_suite_are_not_compared():
    partly = tuple(a_round(number, Scene(score=0.5), reached=False) for number in (1, 2, 3))
    assert progress_guards.stagnation(LIMITS)(a_past(*partly)) is None
    assert progress_guards.minimum_quality(LIMITS)(a_past(*partly)) is None


def test_limits_that_are_off_never_fire():
    off = Limits(max_cost_usd=Decimal(0))
    past = a_past(*reds(4, "t::a"), cost_usd=Decimal(1000))
    assert loop_guards.cost(off)(past) is None
    assert loop_guards.phase_limit("max_test_bounces", "test", None)(past) is None
    assert loop_guards.max_refinement_attempts(off)(past) is None
    assert progress_guards.stagnation(off)(scored(0.8, 0.8, 0.8)) is None
    assert progress_guards.minimum_quality(off)(scored(0.1, 0.1, 0.1)) is None


def test_the_circuit_stays_closed_when_the_last_round_sent_nothing_back():
    assert loop_guards.max_refinement_attempts(LIMITS)(a_past(*reds(3), a_round(4))) is None


def test_a_falling_score_stagnates_and_a_rising_one_does_not():
    assert "does not rise" in progress_guards.stagnation(LIMITS)(scored(0.9, 0.8, 0.6)).reason
    assert progress_guards.stagnation(LIMITS)(scored(0.65, 0.78, 0.88)) is None
    assert progress_guards.minimum_quality(LIMITS)(scored(0.1, 0.2, 0.6)) is None


def test_the_same_failure_does_not_count_where_other_problems_were_mended():
    getting_better = a_past(*failing(("t::a", "t::b", "t::c"), ("t::a", "t::b"), ("t::a",)))
    standing_still = a_past(*failing(("t::a", "t::b"), ("t::a", "t::c"), ("t::a", "t::d")))
    assert progress_guards.same_test_failure(LIMITS)(getting_better) is None
    assert progress_guards.same_test_failure(LIMITS)(standing_still).figures == {"rounds": 3, "lasting": 1}


def saying_of(*messages):
    return [a_round(place, Scene(failing=(failure("t::a", text),))) for place, text in enumerate(messages, 1)]


@pytest.mark.parametrize(
    "messages",
    [
        ("assert -2 == 5", "assert -3 == 5", "assert 17 == 5"),
        ("took 0.51 s at 0x7f01", "took 12 s at 0x9e22", "took 3 s at 0x1"),
        ("no file /tmp/pytest-of-me/a1/x", "no file /tmp/pytest-of-me/b2/x", "no file /var/tmp/c/x"),
        ("no file tmpab12cd/x", "no file tmpzz99/x", "no file tmp_q1/x"),
    ],
)
def test_the_same_failure_with_other_numbers_is_the_same_failure(messages):
    past = a_past(*saying_of(*messages))
    assert progress_guards.same_test_failure(LIMITS)(past) is not None
    assert progress_guards.repeated_findings(LIMITS)(past) is not None


def test_the_same_test_that_fails_in_another_way_is_another_failure():
    past = a_past(*saying_of("assert 1 == 2", "assert 'a' in 'b'", "assert x is None"))
    assert progress_guards.same_test_failure(LIMITS)(past) is None
    assert progress_guards.repeated_findings(LIMITS)(past) is None


def test_a_restart_does_not_interrupt_a_row():
    before = failing(("t::a",), ("t::a",))
    after = a_round(3, Scene(failing=("t::a",)), chain=1)
    assert progress_guards.same_test_failure(LIMITS)(a_past(*before, after)) is not None
    assert progress_guards.repeated_findings(LIMITS)(a_past(*before, after)) is not None


def test_a_row_begins_behind_a_gain():
    """The first of three equal rounds fixed `t::b`, which is no round without gain."""
    three, four = (a_past(*failing(*[("t::a",)] * number)) for number in (3, 4))
    assert progress_guards.stuck(GAINS)(three) is None
    assert progress_guards.stuck(GAINS)(four).guard == "max_same_test_failure"


def test_wandering_is_seen_whatever_the_failures_say():
    wanders = saying_of("assert 'a'", "assert 'b'", "assert 'c'", "assert 'd'")
    halt = progress_guards.stuck(GAINS)(a_past(*wanders))
    assert (halt.guard, halt.figures) == (
        "max_rounds_without_gain",
        {"rounds": 3, "limit": 3, "failing": 1},
    )
    assert progress_guards.stuck(GAINS)(a_past(*wanders[:3])) is None
    off = Limits(max_rounds_without_gain=0)
    assert progress_guards.stuck(off)(a_past(*wanders)) is None


def test_tests_that_fail_more_each_round_stop_the_run():
    past = a_past(*failing(("t::a",), ("t::a", "t::c"), ("t::a", "t::c", "t::d")))
    halt = progress_guards.stuck(GAINS)(past)
    assert (halt.guard, halt.reason) == (
        "max_rounds_worse",
        "more tests failed in each of 2 rounds in a row: 1 -> 2 -> 3",
    )
    assert progress_guards.rounds_worse(Limits(max_rounds_worse=0))(past) is None


def test_green_rounds_are_no_repetition():
    assert progress_guards.repeated_findings(LIMITS)(a_past(*(a_round(place) for place in (1, 2, 3)))) is None


def test_a_change_made_before_counts_as_none():
    rounds = [a_round(place, diff=diff) for place, diff in enumerate(("one", "two", "one", "two"), start=1)]
    assert loop_guards.empty_diffs(LIMITS)(a_past(*rounds)).figures == {"rounds": 2, "limit": 2}
    assert loop_guards.empty_diffs(LIMITS)(a_past(*rounds, a_round(5, diff="new"))) is None


def saying(name, fires):
    halt = Halt(guard=name, reason=f"{name} says so", figures={name: 1}, go_on=f"mend {name}")
    return Guard(name=name, judge=lambda past: halt if fires else None)


@given(left=st.booleans(), right=st.booleans())
def test_or_fires_when_either_does_and_asks_the_left_first(left, right):
    halt = (saying("left", left) | saying("right", right))(a_past())
    assert (halt.guard if halt else None) == ("left" if left else "right" if right else None)


@given(left=st.booleans(), right=st.booleans())
def test_and_fires_when_both_do_and_joins_what_they_say(left, right):
    both = saying("left", left) & saying("right", right)
    halt = both(a_past())
    assert both.name == "left & right"
    assert (halt is not None) == (left and right)
    if halt is not None:
        assert halt == Halt(
            guard="left & right",
            reason="left says so; and right says so",
            figures={"left": 1, "right": 1},
            go_on="mend left",
        )


def test_what_is_used_up_is_told_before_what_is_stuck():
    assert loop_guards.exhausting(LIMITS).name.split(" | ") == [
        "deadline_s",
        "max_cost_usd",
        "max_wall_s",
        "max_tokens",
        "enough_left",
        "max_empty_diffs",
        "max_refinement_attempts",
        "max_review_bounces",
        "max_test_bounces",
        "max_iterations",
    ]
    assert progress_guards.stuck(LIMITS).name.split(" | ") == [
        "max_rounds_worse",
        "max_same_review_issue",
        "max_same_test_failure",
        "repeated_findings",
        "max_rounds_without_gain",
        "diminishing_returns",
        "stagnation",
        "minimum_quality",
    ]
