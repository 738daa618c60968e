"""Recorded runs as logged ones."""

import pytest

from history.report_runs import recorded, verified_run
from setpoint.history.own_runs import own_run
from setpoint.model.events.people import DeliveryFate, DeliveryJudged
from setpoint.model.events.run import RunFinished


def judged(root, *fates):
    """Return the verified run with what Git showed of its delivery later."""
    told = [DeliveryJudged(branch="b", fate=each, commit="c" * 40) for each in fates]
    return recorded(*(each.body for each in verified_run(root)), *told)


@pytest.mark.parametrize(
    ("fates", "outcome"),
    [
        ((), None),
        ((DeliveryFate.MERGED,), True),
        ((DeliveryFate.EDITED,), False),
        ((DeliveryFate.MERGED, DeliveryFate.REVERTED), False),
    ],
)
def test_the_outcome_is_what_people_made_of_the_delivery(tmp_path, fates, outcome):
    found = own_run(judged(tmp_path, *fates))
    assert [each.gates for each in found.turns][-1]
    assert found.verified[-1] is outcome
    assert set(found.verified[:-1]) <= {None}
    assert not found.full


def test_a_run_under_way_is_not_a_logged_one(tmp_path):
    bodies = [each.body for each in verified_run(tmp_path)]
    assert own_run(recorded(*(each for each in bodies if not isinstance(each, RunFinished)))) is None
