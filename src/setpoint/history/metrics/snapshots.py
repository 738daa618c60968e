"""Reports of the metrics that are kept for good: one for each day that is over, and those a person asks for.

No clock has to run for them: whatever process lives makes those that are due, also for days on which none
lived, since a day that is over can still be computed exactly. Each is stored once, whoever makes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from setpoint.database.connect import Store
from setpoint.database.tables import METRICS_SNAPSHOT, RUN
from setpoint.errors import RecordedDataError
from setpoint.history.metrics.day_counts import SETTLED_S
from setpoint.history.metrics.metrics import NO_PLUGINS, MetricsReport, reports
from setpoint.history.metrics.plugged import PluginMetrics
from setpoint.model.ids import sortable
from setpoint.model.value import Value

WINDOWS = (7, 30, 90)
"""Lengths of the windows of which a day gets a snapshot, in days."""
MOST_DAYS_BACK = 30
"""Days before today for which a snapshot that is missing is still made."""


class Snapshot(Value):
    """A report as it was stored."""

    id: str
    occasion: str
    """The day that was over, such as `2026-03-20`, or `asked` and a time."""
    report: MetricsReport
    """Without its single days: those of a later report say the same."""


@contextmanager
def _storing() -> Iterator[None]:
    """Say in our own words that the database is locked, full or gone: whoever keeps metrics outlasts that."""
    try:
        yield
    except sa.exc.DatabaseError as error:
        message = f"the reports of the metrics cannot be stored: {error.orig}"
        hint = (
            "look whether the disk is full or another program holds the database; they are made up for later"
        )
        raise RecordedDataError(message, hint=hint) from error


def store_snapshot(store: Store, made: MetricsReport, occasion: str = "") -> Snapshot | None:
    """Keep a report: what is recorded later cannot change it; none where the occasion has one already.

    Raises `RecordedDataError` where the database does not take it.
    """
    occasion = occasion or f"asked {made.at.isoformat()}"
    lean = made.model_copy(
        update={"metrics": tuple(each.model_copy(update={"by_day": ()}) for each in made.metrics)}
    )
    id_ = sortable("met", made.at)
    row = {
        "id": id_,
        "at": made.at,
        "days": made.days,
        "occasion": occasion,
        "body": lean.model_dump_json(),
    }
    with _storing(), store.writing() as connection:
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        done = connection.execute(insert(METRICS_SNAPSHOT).values(row).on_conflict_do_nothing())
    return Snapshot(id=id_, occasion=occasion, report=lean) if done.rowcount else None


def store_due(
    store: Store, now: datetime | None = None, *, plugged: PluginMetrics = NO_PLUGINS
) -> tuple[Snapshot, ...]:
    """Store the reports of every day that is over and has none yet, oldest first.

    Begins with the day of the first run, at most `MOST_DAYS_BACK` days ago. Raises
    `RecordedDataError` where an event is damaged, or the database does not take them.
    """
    now = now or datetime.now(UTC)
    newest = (now - timedelta(seconds=SETTLED_S)).date() - timedelta(days=1)
    with _storing(), store.reading() as connection:
        first = connection.scalar(sa.select(sa.func.min(RUN.c.started_at)))
        known = METRICS_SNAPSHOT.c
        earliest = newest - timedelta(days=MOST_DAYS_BACK - 1)
        stored = sa.select(known.occasion, known.days).where(known.occasion >= earliest.isoformat())
        have = {(occasion, days) for occasion, days in connection.execute(stored)}
    if first is None:
        return ()
    made: list[Snapshot | None] = []
    for day in _days(max(first.date(), earliest), newest):
        missing = [days for days in WINDOWS if (day.isoformat(), days) not in have]
        if missing:
            told = reports(
                store, missing, datetime.combine(day, time.max, UTC), now=now, by_day=False, plugged=plugged
            )
            made += [store_snapshot(store, each, day.isoformat()) for each in told]
    return tuple(each for each in made if each is not None)


def snapshots(store: Store, *, limit: int = 100, days: int | None = None) -> tuple[Snapshot, ...]:
    """Return the newest stored reports, newest first; where asked for, those over so many days alone."""
    query = sa.select(METRICS_SNAPSHOT).order_by(METRICS_SNAPSHOT.c.at.desc(), METRICS_SNAPSHOT.c.id.desc())
    if days is not None:
        query = query.where(METRICS_SNAPSHOT.c.days == days)
    with store.reading() as connection:
        return tuple(_snapshot(row) for row in connection.execute(query.limit(limit)))


def _snapshot(row: sa.Row[Any]) -> Snapshot:
    return Snapshot(id=row.id, occasion=row.occasion, report=MetricsReport.model_validate_json(row.body))


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=each) for each in range((last - first).days + 1)]
