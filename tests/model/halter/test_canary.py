"""Signs of harm and of drift in runs since a promotion."""

from model.halter.test_promotion_gate import a_run
from setpoint.model.halter.canary import WatchedRun, drift, harm
from setpoint.model.halter.deployment import drawn
from setpoint.model.halter.prediction import hazards
from setpoint.model.halter.terms import PRIORS

FITTED = PRIORS.model_copy(update={"agent": "pi 1", "runs": 300})


def watched(count, *, assigned="", verified=True, wrong=False, passes_at=2):
    return [
        WatchedRun(
            run=a_run(f"{assigned}{verified}{wrong}{n}", passes_at, turns=4),
            assigned=assigned,
            verified=verified,
            wrong=wrong,
        )
        for n in range(count)
    ]


def test_fewer_verified_runs_than_under_the_rules_are_harm():
    rules = [*watched(30), *watched(10, verified=False)]
    bad = [*watched(4, assigned="first-pass"), *watched(8, assigned="first-pass", verified=False)]
    assert harm([*rules, *bad], "first-pass").startswith(
        "4 of 12 runs of first-pass are verified, and 30 of 40"
    )
    good = [*watched(9, assigned="first-pass"), *watched(3, assigned="first-pass", verified=False)]
    assert harm([*rules, *good], "first-pass") == ""


def test_more_edited_deliveries_than_under_the_rules_are_harm():
    bad = [*watched(8, assigned="first-pass"), *watched(4, assigned="first-pass", wrong=True)]
    assert "4 of 12 deliveries of first-pass were edited or reverted" in harm(
        [*watched(40), *bad], "first-pass"
    )


def test_a_few_runs_show_no_harm():
    bad = watched(9, assigned="first-pass", verified=False)
    assert harm([*watched(40), *bad], "first-pass") == ""


def test_passes_far_from_what_was_predicted_are_drift():
    chance = hazards(a_run("r", 2).turns[:1], FITTED, 1)[0]
    passing = round(40 * chance)
    as_predicted = [*watched(passing), *watched(40 - passing, passes_at=0, verified=False)]
    of_one_turn = []
    for each in as_predicted:
        run = each.run.model_copy(update={"turns": each.run.turns[:2], "verified": (None, None)})
        of_one_turn.append(each.model_copy(update={"run": run}))
    assert drift(of_one_turn, FITTED) == ""
    assert drift(watched(60), FITTED).startswith("drift: every gate passed in 60 of 60 next turns")
    assert drift(watched(29), FITTED) == ""


def test_without_fitted_weights_there_is_nothing_to_drift_from():
    assert drift(watched(60), PRIORS) == ""


def test_a_share_of_runs_is_drawn_by_their_names():
    names = [f"run-{n}" for n in range(4000)]
    taken = [each for each in names if drawn("canary", each, 0.2)]
    assert 0.17 < len(taken) / len(names) < 0.23
    assert taken == [each for each in names if drawn("canary", each, 0.2)]
    assert not any(drawn("canary", each, 0) for each in names)
    assert all(drawn("canary", each, 1) for each in names)
