"""Reports that are kept: one for each day that is over, made by whichever process lives, once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import sqlalchemy as sa

from model.examples import ORDER, OUTCOME
from setpoint.database.connect import open_store
from setpoint.errors import RecordedDataError
from setpoint.history.event_log import SqlEventLog
from setpoint.history.metrics.metrics import report
from setpoint.history.metrics.snapshots import MOST_DAYS_BACK, WINDOWS, snapshots, store_due, store_snapshot
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.model.ids import TraceId

NOW = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path)
    yield opened
    opened.close()


def finish(store, name, at, cost=2):
    log = SqlEventLog(store, now=lambda: at)
    order = ORDER.model_copy(update={"trace_id": TraceId(name), "started_at": at})
    outcome = OUTCOME.model_copy(update={"cost_usd": Decimal(cost)})
    log.append(TraceId(name), "start", [RunStarted(order=order, workdir="/copy")])
    log.append(TraceId(name), "end", [RunFinished(outcome=outcome)])


def success(snapshot):
    return next(each for each in snapshot.report.metrics if each.name == "cost_per_run")


def test_a_database_that_takes_nothing_is_told_in_our_own_words(store):
    finish(store, "run-1", NOW - timedelta(days=2))
    with store.writing() as connection:
        connection.execute(sa.text("ALTER TABLE metrics_snapshot RENAME TO gone"))
    for keep in (lambda: store_due(store, NOW), lambda: store_snapshot(store, report(store, 7, NOW))):
        with pytest.raises(RecordedDataError, match="cannot be stored: no such table"):
            keep()


def test_a_snapshot_stays_as_it_was_stored(store):
    finish(store, "run-1", NOW - timedelta(hours=1))
    first = store_snapshot(store, report(store, 7, NOW))
    finish(store, "run-2", NOW, cost=4)
    second = store_snapshot(store, report(store, 90, NOW + timedelta(hours=1)))
    assert snapshots(store) == (second, first)
    assert snapshots(store, limit=1) == (second,)
    assert snapshots(store, days=7) == (first,)
    assert (success(first).value, success(second).value) == (2.0, 3.0)
    assert all(each.by_day == () for each in first.report.metrics)


def test_every_day_that_is_over_gets_its_reports_once_also_where_no_process_lived_on_it(store):
    finish(store, "run-1", NOW - timedelta(days=3))
    finish(store, "run-2", NOW - timedelta(hours=1), cost=4)
    made = store_due(store, NOW)
    assert [(each.occasion, each.report.days) for each in made] == [
        (f"2026-03-{day}", days) for day in (17, 18, 19) for days in WINDOWS
    ]
    assert {success(each).value for each in made} == {2.0}, "what came later is no part of them"
    assert store_due(store, NOW) == ()
    later = store_due(store, NOW + timedelta(days=1))
    assert {(each.occasion, success(each).value) for each in later} == {("2026-03-20", 3.0)}


def test_a_day_is_over_an_hour_after_its_end(store):
    finish(store, "run-1", NOW)
    midnight = datetime(2026, 3, 21, tzinfo=UTC)
    assert store_due(store, midnight + timedelta(minutes=59)) == ()
    assert len(store_due(store, midnight + timedelta(minutes=60))) == len(WINDOWS)


def test_nothing_is_stored_before_the_first_run_nor_for_days_long_past(store):
    assert store_due(store, NOW) == ()
    finish(store, "run-1", NOW - timedelta(days=400))
    assert len(store_due(store, NOW)) == MOST_DAYS_BACK * len(WINDOWS)
