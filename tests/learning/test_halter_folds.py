"""Predictions of logged runs by weights of other tasks."""

from __future__ import annotations

from learning.test_halter_fit import a_run
from setpoint.learning.halter_folds import held_out_error, held_out_models
from setpoint.model.halter.terms import PRIORS

QUICK = [a_run(f"r{number}", 4, 0) for number in range(60)]


def test_no_run_is_predicted_by_weights_that_were_fitted_to_its_own_task():
    wrong = a_run("odd", 4, 4, 4)
    (alone,) = held_out_models([wrong])
    assert alone == PRIORS
    pairs = held_out_models([wrong.model_copy(update={"run": f"odd-{n}", "group": "odd"}) for n in range(3)])
    assert set(pairs) == {PRIORS}


def test_weights_of_other_tasks_predict_better_than_the_priors_where_tasks_resemble_each_other():
    held = held_out_error(QUICK, held_out_models(QUICK))
    assert held.turns == 60
    assert held.held_out < 0.05 < held.by_priors


def test_runs_without_a_second_turn_say_nothing():
    runs = [a_run("r", 4)]
    assert held_out_error(runs, held_out_models(runs)) is None


def test_the_errors_of_the_same_weights_are_equal():
    held = held_out_error(QUICK, [PRIORS] * len(QUICK))
    assert held.held_out == held.by_priors
