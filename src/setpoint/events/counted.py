"""Counting what was recorded, each day that is over once: such a day cannot change any more.

Events are append-only and carry the time at which they were recorded, so the counts of a day stand an hour
after its end. They are kept beside the log under the digest of their query: another query counts anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from setpoint.events.tallies import QUERIES
from setpoint.events.window import Window, between
from setpoint.store.connect import Store
from setpoint.store.tables import METRICS_DAY

SETTLED_S = 3600
"""Seconds after the end of a day for which a process that began to write in it may still be at it."""

Query = Callable[[Window], sa.Select[Any]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Figures of one label on one day."""

    day: date
    label: str
    figures: dict[str, float]


Tallies = dict[str, tuple[Row, ...]]
"""Rows by the name of their tally."""


def tallies(store: Store, since: date, until: date, at: datetime) -> Tallies:
    """Count and add up what was recorded from `since` to `until`, both days in UTC and included.

    `at` is the present: what is counted of days that are over by then is kept. Raises SQLAlchemy's
    `DatabaseError`, or `ValueError`, where an event is damaged.
    """
    days = tuple(since + timedelta(days=each) for each in range((until - since).days + 1))
    found: Tallies = {}
    settled: list[dict[str, str]] = []
    with store.reading() as connection:
        database = connection.dialect.name
        all_kept = _kept(connection, [_version(query, database) for query in QUERIES.values()], since, until)
        for name, query in QUERIES.items():
            version = _version(query, database)
            kept = all_kept.get((name, version), {})
            missing = [day for day in days if day not in kept]
            anew: dict[date, list[Row]] = {day: [] for day in missing}
            for row in _counted(connection, query, missing[0], until) if missing else ():
                if row.day in anew:
                    anew[row.day].append(row)
            found[name] = tuple(row for rows in (*kept.values(), *anew.values()) for row in rows)
            settled += [
                {"tally": name, "version": version, "day": day.isoformat(), "body": _written(rows)}
                for day, rows in anew.items()
                if _over(day, at)
            ]
    if settled:
        _keep(store, settled)
    return found


def _over(day: date, at: datetime) -> bool:
    end = datetime.combine(day + timedelta(days=1), time(), UTC)
    return at >= end + timedelta(seconds=SETTLED_S)


@cache
def _version(query: Query, database: str) -> str:
    """Name what a query counts: its words and constants, but not its days."""
    dialect: sa.Dialect = sa.make_url(f"{database}://").get_dialect()()
    compiled = _statement(query, database).compile(dialect=dialect)
    constants = [str(value) for value in compiled.params.values() if value is not None]
    return hashlib.sha256("\n".join([str(compiled), *constants]).encode()).hexdigest()[:16]


@cache
def _statement(query: Query, database: str) -> sa.Select[Any]:
    return query(Window(database))


def _counted(connection: sa.Connection, query: Query, since: date, until: date) -> tuple[Row, ...]:
    found = connection.execute(_statement(query, connection.dialect.name), between(since, until))
    return tuple(_row(row) for row in found.mappings())


def _row(found: sa.RowMapping) -> Row:
    figures = {name: float(value or 0) for name, value in found.items() if name not in ("day", "label")}
    return Row(day=date.fromisoformat(found["day"]), label=found.get("label") or "", figures=figures)


Kept = dict[tuple[str, str], dict[date, tuple[Row, ...]]]
"""Days by the name and the version of their tally."""


def _kept(connection: sa.Connection, versions: list[str], since: date, until: date) -> Kept:
    columns = METRICS_DAY.c
    query = sa.select(columns.tally, columns.version, columns.day, columns.body).where(
        columns.tally.in_(list(QUERIES)),
        columns.version.in_(versions),
        columns.day.between(since.isoformat(), until.isoformat()),
    )
    found: Kept = {}
    for tally, version, day, body in connection.execute(query).all():
        found.setdefault((tally, version), {})[date.fromisoformat(day)] = _read(day, body)
    return found


@lru_cache(maxsize=16_384)
def _read(day: str, body: str) -> tuple[Row, ...]:
    """Read what was kept of a day; a dashboard asks for the same days again and again."""
    return tuple(
        Row(day=date.fromisoformat(day), label=label, figures=figures) for label, figures in json.loads(body)
    )


def _written(rows: list[Row]) -> str:
    return json.dumps([(row.label, row.figures) for row in rows])


def _keep(store: Store, rows: list[dict[str, str]]) -> None:
    with store.writing() as connection:
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        # Another process may have counted the same; the same events give the same figures.
        connection.execute(insert(METRICS_DAY).on_conflict_do_nothing(), rows)
