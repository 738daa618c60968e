"""What is kept of days and hours that are over, and what is counted once more."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from model.examples import ORDER, OUTCOME
from setpoint.database.connect import open_store
from setpoint.database.tables import METRICS_DAY
from setpoint.history.event_log import SqlEventLog
from setpoint.history.metrics.day_counts import QUERIES
from setpoint.history.metrics.metrics import report
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.model.ids import TraceId

NOW = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path)
    yield opened
    opened.close()


def finish(store, name, at):
    log = SqlEventLog(store, now=lambda: at)
    order = ORDER.model_copy(update={"trace_id": TraceId(name), "started_at": at})
    log.append(TraceId(name), "start", [RunStarted(order=order, workdir="/copy")])
    log.append(TraceId(name), "end", [RunFinished(outcome=OUTCOME)])


def runs(store, at):
    return next(each.n for each in report(store, 1, at).metrics if each.name == "success_rate")


def kept(store):
    with store.reading() as connection:
        rows = connection.execute(sa.select(METRICS_DAY.c.tally, METRICS_DAY.c.day)).all()
    names = {day for _, day in rows if day >= "2026-03-20"}
    assert len([day for _, day in rows if day in names]) == len(QUERIES) * len(names)
    return names


def test_hours_of_today_that_stand_are_counted_once_and_added_to(store):
    finish(store, "run-1", NOW - 4 * HOUR)
    assert (runs(store, NOW), kept(store)) == (1, {"2026-03-20T08"})
    finish(store, "run-2", NOW)
    assert (runs(store, NOW), kept(store)) == (2, {"2026-03-20T08"})
    assert (runs(store, NOW + 2 * HOUR), kept(store)) == (2, {"2026-03-20T10"})
    finish(store, "run-3", NOW + 2 * HOUR)
    assert (runs(store, NOW + 4 * HOUR), kept(store)) == (3, {"2026-03-20T12"})


def test_what_stands_is_not_looked_at_again_and_what_may_change_is(store):
    finish(store, "run-1", NOW - 4 * HOUR)
    assert runs(store, NOW) == 1
    finish(store, "run-late", NOW - 2 * HOUR)
    assert runs(store, NOW) == 1, "half past seven stands since nine"
    finish(store, "run-in-time", NOW - HOUR)
    assert runs(store, NOW) == 2


def test_a_day_that_is_over_is_kept_whole_and_its_hours_are_not(store):
    finish(store, "run-1", NOW)
    runs(store, NOW + 3 * HOUR)
    midnight = datetime(2026, 3, 21, tzinfo=UTC)
    runs(store, midnight + HOUR / 2)
    assert kept(store) == {"2026-03-20T23"}
    assert runs(store, midnight + HOUR) == 0
    assert kept(store) == {"2026-03-20"}


@pytest.mark.parametrize("hours", [-3, 0, 5])
def test_hours_that_are_kept_change_no_figure(store, hours):
    for number in range(6):
        finish(store, f"run-{number}", NOW - timedelta(hours=5 * number, minutes=7))
    for before in range(-9, 6, 4):
        report(store, 3, NOW + before * HOUR)
    told = report(store, 3, NOW + hours * HOUR)
    with store.writing() as connection:
        connection.execute(sa.delete(METRICS_DAY))
    anew = report(store, 3, NOW + hours * HOUR)
    figures = [[(each.name, each.value, each.n, each.by_day) for each in one.metrics] for one in (told, anew)]
    assert figures[0] == figures[1]
