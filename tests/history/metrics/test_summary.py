"""What is said of ten figures against the window before."""

from datetime import UTC, date, datetime

import pytest

from setpoint.history.metrics.definitions import measures
from setpoint.history.metrics.metrics import Metric, MetricsReport
from setpoint.history.metrics.summary import FIRST, getting_better, trend_in_words, value_in_words, verdict

RATE = Metric(name="success_rate", loop="across", definition="", unit="share", better="higher")
STEPS = Metric(name="iterations_per_run", loop="across", definition="", unit="per run", better="lower")


def changed(metric, before, now, n=20, previous_n=20):
    trend = "same" if now == before else "up" if now > before else "down"
    return metric.model_copy(
        update={"value": now, "previous": before, "n": n, "previous_n": previous_n, "trend": trend}
    )


def told(*metrics):
    day = date(2026, 3, 1)
    at = datetime(2026, 3, 7, tzinfo=UTC)
    return getting_better(MetricsReport(at=at, days=7, since=day, until=day, metrics=metrics))


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (changed(RATE, 0.5, 0.9), "better"),
        (changed(RATE, 0.9, 0.5), "worse"),
        (changed(RATE, 0.6, 0.8, n=5, previous_n=5), "no clear change"),
        (changed(RATE, 0.1, 0.9, n=4), "too few to compare"),
        (changed(RATE, 1.0, 1.0), "no clear change"),
        (changed(STEPS, 3.0, 2.0), "better"),
        (changed(STEPS, 2.0, 3.0), "worse"),
        (changed(STEPS.model_copy(update={"better": ""}), 2.0, 3.0), "higher"),
        (RATE, "too few to compare"),
    ],
)
def test_a_change_is_judged_by_its_direction_and_its_sample(metric, said):
    assert verdict(metric) == said


def test_one_sentence_says_whether_it_gets_better():
    better, worse = changed(RATE, 0.5, 0.9), changed(STEPS, 2.0, 3.0)
    assert told(better) == "Yes. Against the 7 days before, better: runs that end verified."
    assert told(changed(RATE, 0.9, 0.5)) == "No. Against the 7 days before, worse: runs that end verified."
    assert told(better, worse).startswith(
        "Partly. Against the 7 days before, better: runs that end verified; "
    )
    assert told(changed(RATE, 0.8, 0.8)) == "No clear change against the 7 days before."
    assert told(changed(RATE, 0.5, 0.9, n=3)).startswith("Too few runs to tell: 3 in the last 7 days, 20 in")


def test_the_worth_of_learnings_is_silent_until_its_sample_says_something():
    uplift = RATE.model_copy(update={"name": "memory_uplift"})
    few, many = (changed(uplift, 0.05, 0.2, n=n, previous_n=400) for n in (299, 300))
    assert (value_in_words(few), trend_in_words(few)) == ("-", "too few runs to tell (300 are needed)")
    assert (value_in_words(many), trend_in_words(many)) == ("20.0%", "better, was 5.0% (n 400)")


def test_every_metric_has_words_and_the_ten_exist():
    assert all(each.words for each in measures())
    assert len({each.words for each in measures()}) == len(measures())
    assert set(FIRST) <= {each.name for each in measures()}
    assert len(FIRST) == 10
