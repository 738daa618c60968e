"""Which rounds brought the work nearer to green."""

import pytest

from phase.policy.rounds import BASE, a_past, a_round, finding
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, Frame
from setpoint.model.facts.gains import gained, in_words, without_gain, worse
from setpoint.model.goals import GoalMode, GoalResult, GoalState
from setpoint.testing import Scene, evaluation, failure

GREEN_BASE = evaluation(Stage.BASE, "base", "tree-0")


def full(*failing_of_rounds):
    return [a_round(place, Scene(failing=names)) for place, names in enumerate(failing_of_rounds, start=1)]


def partly(number, *failing):
    return a_round(number, Scene(failing=failing), reached=False)


def test_a_test_that_fails_at_the_base_and_passes_is_a_gain_once():
    swaps = full(("t::a",), ("t::b",), ("t::a",), ("t::b",))
    assert gained(a_past(*swaps)) == (True, False, False, False)
    assert without_gain(a_past(*swaps)) == 3


def test_breaking_one_test_and_mending_another_in_turns_gains_nothing():
    rounds = full(("t::x", "t::y"), ("t::x", "t::z"), ("t::x", "t::w"), ("t::x", "t::y"))
    assert gained(a_past(*rounds, base=GREEN_BASE)) == (True, False, False, False)


def test_fewer_failing_tests_of_the_work_are_a_gain_though_the_base_had_none():
    rounds = full(
        ("t::x", "t::y", "t::z"), ("t::x", "t::y", "t::z"), ("t::y", "t::z"), ("t::x", "t::z"), ("t::z",)
    )
    assert gained(a_past(*rounds, base=GREEN_BASE)) == (True, False, True, False, True)


def test_a_round_that_ran_part_of_the_tests_is_compared_on_those_alone():
    """The second round finds three tests that the first did not run; the third mends one of them."""
    rounds = (
        partly(1, "t::a", "t::b"),
        *[a_round(2, Scene(failing=("t::c", "t::d", "t::e")))],
        partly(3, "t::c", "t::d"),
        partly(4, "t::c", "t::e"),
    )
    assert gained(a_past(*rounds)) == (False, True, True, False)


def test_a_failure_that_gets_further_is_a_gain():
    broken, met = failure("t::a", "no module", cause=Cause.IMPORT), failure("t::a")
    rounds = [partly(1, broken, "t::b"), partly(2, met, "t::b"), partly(3, met, "t::b")]
    base = evaluation(Stage.BASE, "base", "tree-0", Scene(failing=(broken, "t::b")))
    assert gained(a_past(*rounds, base=base)) == (False, True, False)


def at_line(line):
    return failure("t.py::a").model_copy(update={"frames": (Frame(file="t.py", line=line),)})


def test_a_later_line_of_the_test_is_a_gain_unless_the_work_changed_the_file():
    base = evaluation(Stage.BASE, "base", "tree-0", Scene(failing=(at_line(4),)))
    rounds = [partly(place, at_line(line)) for place, line in enumerate((4, 9, 9), start=1)]
    assert gained(a_past(*rounds, base=base)) == (False, True, False)
    edited = [
        each.model_copy(update={"snapshot": each.snapshot.model_copy(update={"files": ("t.py",)})})
        for each in rounds
    ]
    assert gained(a_past(*edited, base=base)) == (False, False, False)


def test_a_request_that_reviewers_drop_is_a_gain_and_one_that_stays_is_none():
    named = [
        a_round(place, review=(finding(word),)) for place, word in enumerate(("name", "type", "tone"), 1)
    ]
    same = [a_round(place, review=(finding("name"),)) for place in (1, 2, 3)]
    assert gained(a_past(*named, base=GREEN_BASE)) == (True, True, True)
    assert gained(a_past(*same, base=GREEN_BASE)) == (True, False, False)
    back = [a_round(place, review=(finding(word),)) for place, word in enumerate(("a", "b", "a", "b"), 1)]
    assert gained(a_past(*back, base=GREEN_BASE)) == (True, True, True, False)


def goal(distance):
    told = {"value": 0.8 - distance, "target": 0.8}
    return GoalResult(name="coverage", mode=GoalMode.GATE, state=GoalState.MISSED, **told)


def test_a_nearer_goal_is_a_gain():
    rounds = [
        a_round(place, Scene(goals=(goal(away),))) for place, away in enumerate((0.5, 0.3, 0.3, 0.1), 1)
    ]
    assert gained(a_past(*rounds, base=GREEN_BASE)) == (True, True, False, True)


@pytest.mark.parametrize(
    ("reds", "told"),
    [
        ((1, 2, 3), (1, 2, 3)),
        ((1, 2, 2), ()),
        ((1, 2, 1, 2), (1, 2)),
        ((3,), ()),
        ((), ()),
    ],
)
def test_worse_rounds_in_a_row_are_told_with_their_numbers(reds, told):
    rounds = full(*[("t::a", "t::b", "t::c")[:number] for number in reds])
    assert worse(a_past(*rounds, base=BASE)) == told


def test_what_is_gained_is_told_in_figures_that_both_measured():
    base = evaluation(Stage.BASE, "base", "tree-0", Scene(failing=("t::a", "t::b"), passed=8, coverage=0.28))
    best = a_round(1, Scene(failing=("t::a",), passed=11, coverage=0.4))
    early = a_round(1, Scene(failing=("t::a",), coverage=0.4), reached=False)
    assert in_words(base, best) == "failing tests 2 -> 1, coverage 28% -> 40%, tests 10 -> 12"
    assert in_words(base, early) == "failing tests 2 -> 1 (the full suite was not reached)"
    assert in_words(base, None) == "nothing: no state is better than the base"


def test_rounds_that_a_person_answered_for_are_not_counted():
    rounds = full(*[("t::a", "t::b")] * 5)
    assert without_gain(a_past(*rounds, since=3)) == 2
