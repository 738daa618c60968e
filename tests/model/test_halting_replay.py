"""Replay of halting policies on logged runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.facts.group_means import LEAST_GROUPS, lower_bound, mean_by_group
from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halting import Economics, LoggedRun, TurnState
from setpoint.model.halting_replay import Gap, compare, replay_run
from setpoint.model.run import Action

ECONOMICS = Economics(worth_usd=10, wrong_usd=5)
TERMS = HaltingTerms(budget_usd=0, may_restart=False)
FIRST = NAMED["first-pass"](TERMS)
TWICE = NAMED["repeat-twice"](TERMS)


def run(course, *, verified=None, full=False, name="r", agent="a", chains=None):
    """Build a run: `x` fails, `r` fails with the same problems, `P` passes its gates."""
    turns = tuple(
        TurnState(
            number=place,
            gates=each == "P",
            failing=int(each != "P"),
            repeated=each == "r",
            cost_usd=0.5,
            chain=chains[place - 1] if chains else 0,
        )
        for place, each in enumerate(course, start=1)
    )
    outcomes = tuple(verified) if verified else tuple(each == "P" for each in course)
    return LoggedRun(run=name, agent=agent, group=name, turns=turns, verified=outcomes, full=full)


def test_a_policy_that_stops_earlier_sees_what_it_would_have_paid():
    logged = run("xrrrP")
    assert replay_run(logged, FIRST)[:3] == (5, 2.5, True)
    assert replay_run(logged, TWICE)[:5] == (3, 1.5, False, False, True)


def test_a_pass_that_hidden_tests_refute_is_a_wrong_delivery():
    done = replay_run(run("xP", verified=(False, False)), FIRST)
    assert (done.success, done.wrong, done.gap) == (False, True, Gap.NONE)


def test_the_best_turn_is_delivered_and_not_the_last():
    logged = run("Px", verified=(True, False))
    done = replay_run(logged, lambda turns: Action.HALT if len(turns) > 1 else Action.CONTINUE)
    assert done.success


def test_the_end_of_a_run_is_a_gap_unless_it_was_the_limit():
    assert replay_run(run("xx"), FIRST).gap is Gap.TURN
    assert replay_run(run("xx", full=True), FIRST).gap is Gap.NONE


def test_an_unknown_outcome_of_a_delivery_is_a_gap():
    assert replay_run(run("xP", verified=(False, None)), FIRST).gap is Gap.OUTCOME


def test_a_logged_restart_answers_a_restart_and_nothing_else():
    logged = run("xrrP", chains=(0, 0, 0, 1))
    restarting = NAMED["rules-v1"](HaltingTerms(budget_usd=0, may_restart=True))
    assert replay_run(logged, restarting).success
    assert replay_run(logged, FIRST).gap is Gap.TURN


def test_too_little_coverage_is_refused_with_its_reason():
    runs = [run("xx" if place < 10 else "xP", name=str(place)) for place in range(100)]
    (figures,) = compare(runs, {"first-pass": FIRST}, "first-pass", ECONOMICS)
    assert figures.coverage == pytest.approx(0.9)
    assert "covers 90% of 100 runs" in figures.refused
    assert "a later turn in 10" in figures.refused
    assert figures.success is None


def test_a_policy_that_restarts_is_refused_by_replay():
    runs = [run("xrrrP", name=str(place)) for place in range(20)]
    restarting = NAMED["rules-v1"](HaltingTerms(budget_usd=0, may_restart=True))
    first, second = compare(runs, {"rules-v1": restarting, "first-pass": FIRST}, "rules-v1", ECONOMICS)
    assert "restarts where the log does not" in first.refused
    assert second.success.value == 1
    assert second.gain_usd is None, "there is nothing to compare with"


def test_the_gain_is_paired_and_bounded():
    runs = [run("xrrxP" if place % 2 else "xP", name=str(place)) for place in range(100)]
    _, better = compare(runs, {"repeat-twice": TWICE, "first-pass": FIRST}, "repeat-twice", ECONOMICS)
    assert better.gain_usd.value == pytest.approx(0.5 * (10 - 2.5 + 1.5))
    assert 3.5 < better.gain_at_least_usd < better.gain_usd.value
    assert better.success_gain.value == 0.5
    assert better.saved_turns == pytest.approx(1 - 3.5 / 2.5)


def test_runs_of_two_agents_are_not_pooled():
    with pytest.raises(ValueError, match="one agent"):
        compare([run("P"), run("P", agent="b")], {"first-pass": FIRST}, "first-pass", ECONOMICS)


COURSES = st.lists(st.text("xrP", min_size=1, max_size=6), min_size=1, max_size=12)


@given(COURSES)
def test_no_policy_takes_more_turns_than_the_log_holds_or_delivers_twice(courses):
    runs = [run(course, name=str(place), full=True) for place, course in enumerate(courses)]
    for name, made in NAMED.items():
        for each in runs:
            done = replay_run(each, made(TERMS))
            assert 1 <= done.turns <= len(each.turns), name
            assert done.success + done.wrong + done.escalated == 1
            assert not done.wrong, "an outcome that equals the gates leaves no wrong delivery"


def test_repeats_within_a_group_do_not_narrow_the_interval():
    values = [float(place % 2) for place in range(40)]
    groups = [str(place) for place in range(40)]
    once = mean_by_group(values, groups)
    thrice = mean_by_group(values * 3, groups * 3)
    assert thrice.error == pytest.approx(once.error)


def test_few_groups_have_no_interval():
    few = mean_by_group([1.0] * 50, ["a"] * 50)
    assert (few.value, few.low, lower_bound(few)) == (1.0, None, None)


@given(st.lists(st.booleans(), min_size=LEAST_GROUPS, max_size=60))
def test_the_interval_of_a_share_holds_it_and_lies_within_0_and_1(found):
    mean = mean_by_group(found, [str(place) for place in range(len(found))], share=True)
    assert 0 <= mean.low <= mean.value <= mean.high <= 1
    assert mean.low < mean.high
