"""What the plots of a halting comparison show."""

import pytest

from setpoint.history.reports.halting_page import page, pareto_plot
from setpoint.model.facts.group_means import Mean
from setpoint.model.halter.prediction import HaltingTerms, predict
from setpoint.model.halting import LoggedRun, TurnState
from setpoint.model.halting_replay import PolicyFigures
from setpoint.model.halting_tables import ReplayTable, calibration, frontier

TERMS = HaltingTerms(may_restart=False)


def passing(name, *, right, quality=None):
    turn = TurnState(number=1, gates=True, failing=0, quality=quality)
    return LoggedRun(run=name, agent="a", turns=(turn,), verified=(right,), full=False)


def figures(policy, cost, success):
    return PolicyFigures(
        policy=policy, runs=9, tasks=9, coverage=1, cost_usd=Mean(value=cost), success=Mean(value=success)
    )


THREE = (figures("cheap", 0.2, 0.3), figures("dear", 2.0, 0.9), figures("beaten", 1.0, 0.25))


def test_the_error_is_the_distance_of_prediction_and_outcome():
    runs = [passing(f"r{number}", right=number < 6) for number in range(8)]
    chance = predict(runs[0].turns, TERMS).p_verified
    found = calibration(runs, TERMS)
    assert (found.runs, [each.count for each in found.bins]) == (8, [8])
    assert found.bins[0].observed == 0.75
    assert found.error == pytest.approx(abs(chance - 0.75))
    assert found.bins[0].low < 0.75 < found.bins[0].high


def test_runs_of_unknown_outcome_are_not_counted():
    assert calibration([passing("r", right=None)], TERMS) is None


def test_predictions_that_differ_lie_in_bins_of_their_own():
    runs = [passing("a", right=True, quality=1.0), passing("b", right=False, quality=0.0)]
    found = calibration(runs, TERMS)
    assert [each.count for each in found.bins] == [1, 1]
    assert [each.observed for each in found.bins] == [0, 1]


def test_a_policy_is_beaten_where_another_reaches_as_much_for_less():
    assert frontier(THREE) == ("cheap", "dear")
    assert frontier((*THREE, figures("twin", 2.0, 0.9))) == ("cheap", "dear", "twin")


def test_the_page_holds_both_plots_and_escapes_names():
    table = ReplayTable(
        agent="<b>pi</b>",
        logged=1,
        labelled=1,
        restarts=False,
        figures=THREE,
        calibration=calibration([passing("r", right=True)], TERMS),
    )
    text = page([table])
    assert text.count("<svg") == 2
    assert "&lt;b&gt;pi&lt;/b&gt;" in text
    assert "<b>pi" not in text
    assert "<script" not in text


def test_names_of_the_same_place_are_one_label():
    twins = pareto_plot((figures("one", 1.0, 0.5), figures("two", 1.0, 0.5)))
    assert twins.count("<circle") == 1
    assert "one, two" in twins
