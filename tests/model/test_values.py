"""The small values: what they accept, what they say, how they sort."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from model.examples import AT, COMMIT, HALT, ORDER, OUTCOME, RED, a_snapshot, an_attempt
from setpoint.model import evidence
from setpoint.model.attempt import Usage
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evidence import CheckResult, CheckState, Outcome
from setpoint.model.ids import StoryId, sortable, sortable_row
from setpoint.model.quality import WEIGHTS, QualityVector
from setpoint.model.stories.story import Story
from setpoint.model.verdict import HardGate

MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - the zone is given apart


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValidationError, match="give it in UTC"):
        an_attempt(started_at=datetime(2026, 2, 1))  # noqa: DTZ001 - that is the point


def test_money_is_written_as_text():
    assert json.loads(Usage(cost_usd=Decimal("0.10")).model_dump_json())["cost_usd"] == "0.10"


@given(earlier=MOMENTS, later=MOMENTS)
def test_identifiers_sort_by_time(earlier, later):
    if later - earlier >= timedelta(milliseconds=1):
        assert sortable("run", earlier) < sortable("run", later)
    assert sortable("run", earlier) != sortable("run", earlier)


def test_a_row_of_identifiers_is_sorted_and_has_no_twins():
    row = sortable_row("evt", AT, 50)
    assert list(row) == sorted(set(row))
    assert len(row) == 50


@given(
    vector=st.dictionaries(st.sampled_from(sorted(WEIGHTS)), st.floats(0, 1)),
    weights=st.dictionaries(st.sampled_from(sorted(WEIGHTS)), st.floats(0.01, 10), min_size=1),
)
def test_the_score_is_a_mean_of_what_was_measured(vector, weights):
    measured = [value for name, value in vector.items() if name in weights]
    score = QualityVector(**vector).score(weights)
    if measured:
        assert min(measured) - 1e-9 <= score <= max(measured) + 1e-9
    else:
        assert score is None


def test_what_was_not_measured_is_left_out_of_the_weights():
    assert QualityVector().score() is None
    assert QualityVector(tests=1.0, coverage=0.5).score() == pytest.approx((0.30 + 0.125) / 0.55)
    assert QualityVector(tests=1.0).score({"tests": 0.0}) is None
    assert sum(WEIGHTS.values()) == pytest.approx(1)


def test_an_evaluation_knows_its_evidence():
    assert RED.evidence_of("pytest").state is CheckState.FAIL
    assert RED.evidence_of("no such check") is None
    assert RED.blocking == RED.broken == ()


def test_a_test_report_counts():
    report = evidence.TestReport(
        outcomes={"a": Outcome.PASSED, "b": Outcome.FAILED, "c": Outcome.ERROR, "d": Outcome.FLAKY}
    )
    assert report.counts == {"passed": 1, "failed": 1, "error": 1, "flaky": 1}
    assert report.red == {"b", "c"}


def test_a_result_has_the_state_of_its_evidence():
    assert CheckResult(evidence=RED.evidence_of("pytest")).state is CheckState.FAIL


def test_only_a_verified_run_has_the_mark():
    marks = {ending: OUTCOME.model_copy(update={"ending": ending, "halt": HALT}).mark for ending in Ending}
    assert [ending for ending, mark in marks.items() if mark == "IMPLEMENTATION_VERIFIED"] == ["verified"]


def test_a_snapshot_without_files_is_empty():
    assert not a_snapshot(None).empty
    assert a_snapshot(None).model_copy(update={"files": ()}).empty
    assert a_snapshot(None).commit == COMMIT


def test_a_gate_holds_when_it_passes_or_there_is_nothing_to_measure():
    held = [state for state in CheckState if HardGate(name="tests", state=state).passed]
    assert held == [CheckState.PASS, CheckState.NOT_MEASURED]


@pytest.mark.parametrize(
    "wrong",
    [{"max_iterations": 0}, {"max_iterations": 11}, {"max_wall_s": 0}, {"max_cost_usd": -1}, {"wish": 1}],
)
def test_limits_have_limits(wrong):
    with pytest.raises(ValidationError):
        Limits(**wrong)


def test_a_wish_is_title_and_body():
    assert Story(id=StoryId("s"), title="Title").wish == "Title"
    assert Story(id=StoryId("s"), title="Title", body="Body").wish == "Title\n\nBody"


def test_an_order_is_read_as_it_was_written():
    assert type(ORDER).model_validate_json(ORDER.model_dump_json()) == ORDER
