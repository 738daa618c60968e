"""Figures that all policies share."""

import pytest

from phase.policy.rounds import a_round, finding, reds
from setpoint.model.facts.rounds import blocking, open_count, problems, qualities, same_problems_running
from setpoint.testing import Scene, failure


def test_problems_are_failures_blocking_findings_and_broken_tools():
    scene = Scene(failing=("t::a",), findings=(finding("by a check"),), broken=("coverage",))
    past = a_round(1, scene, review=(finding("by review"),))
    assert open_count(past) == 4
    assert [each.message for each in blocking(past)] == ["by a check", "by review"]


def test_the_same_failure_elsewhere_is_the_same_problem():
    here = a_round(1, Scene(failing=(failure("t::a", "boom at 0x7f01 in /tmp/x/work.py:12 after 3.1s"),)))
    there = a_round(2, Scene(failing=(failure("t::a", "boom at 0x9e22 in /var/y/work.py:99 after 12 s"),)))
    assert problems(here) == problems(there)
    assert same_problems_running((here, there)) == 1


@pytest.mark.parametrize(
    ("rounds", "running"),
    [
        ((), 0),
        (reds(1, "t::a"), 0),
        (reds(4, "t::a"), 3),
        (reds(3), 0),
        ((*reds(2, "t::a"), a_round(3)), 0),
        ((*reds(2, "t::a"), a_round(3, Scene(failing=("t::a",)), chain=1)), 2),
    ],
)
def test_repetition_is_counted_across_a_restart(rounds, running):
    assert same_problems_running(rounds) == running


def test_scores_that_were_not_measured_are_left_out():
    past = a_round(1)
    bare = past.model_copy(update={"tests": past.tests.model_copy(update={"score": None})})
    assert qualities((a_round(1, Scene(score=0.5)), bare, a_round(3, Scene(score=0.7)))) == (0.5, 0.7)
