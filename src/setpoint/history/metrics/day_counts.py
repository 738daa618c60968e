"""Counting what was recorded, each day that is over once: such a day cannot change any more.

Events are append-only and carry the time at which they were recorded, so the counts of a day are final an
hour after its end, and so are those of an hour. They are kept beside the log under the digest of their query:
another query counts again. Of the present day, what its hours up to the last final one gave together is
kept, so that a look at the metrics counts what came in two hours at most.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache, partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from setpoint.database.connect import Store
from setpoint.database.tables import METRICS_DAY
from setpoint.history.metrics.event_counts import QUERIES
from setpoint.history.metrics.window import Window

SETTLED_S = 3600
"""Seconds after the end of a day or an hour for which a process that began to write in it may be at it."""
_DAY = len("2026-03-20")
"""Length of the name of a whole day; hours of one are kept as `2026-03-20T13`, from its begin to 13:00."""
_A_DAY = timedelta(days=1)

Query = Callable[[Window], sa.Select[Any]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Figures of one label on one day."""

    day: date
    label: str
    figures: dict[str, float]


Tallies = dict[str, tuple[Row, ...]]
"""Rows by the name of their tally."""
Days = dict[str, tuple[Row, ...]]
"""Rows of one tally by the name of the day, or of the hours of a day, under which they are kept."""
_Count = Callable[[datetime, datetime], tuple[Row, ...]]
"""Counts what was recorded from one time up to another, the second excluded."""


@dataclass(frozen=True, kw_only=True)
class Counter:
    """Counts one tally."""

    name: str
    version: str
    """What is kept of a day holds for this version alone."""
    count: Callable[[sa.Connection, datetime, datetime], tuple[Row, ...]]
    """Counts what was recorded from one time up to another, the second excluded."""


def tallies(
    store: Store, since: date, until: date, at: datetime, *, counters: Sequence[Counter] | None = None
) -> Tallies:
    """Count and add up what was recorded from `since` to `until`, both days in UTC and included.

    `counters` are by default Setpoint's own. `at` is the present: what is counted of days, and
    of hours of its own day, that are over by then is kept. Raises SQLAlchemy's `DatabaseError`, or
    `ValueError`, where an event is damaged.
    """
    asked = _Asked(since=since, until=until, cut=_cut(at))
    found: Tallies = {}
    settled: list[dict[str, str]] = []
    with store.reading() as connection:
        counters = _own(connection.dialect.name) if counters is None else counters
        all_kept = _kept(connection, counters, asked)
        for each in counters:
            kept = all_kept.get((each.name, each.version), {})
            found[each.name], new = _completed(asked, kept, partial(each.count, connection))
            settled += [
                {"tally": each.name, "version": each.version, "day": key, "body": _written(rows)}
                for key, rows in new.items()
            ]
    if settled:
        _keep(store, settled)
    return found


@cache
def _own(database: str) -> tuple[Counter, ...]:
    return tuple(
        Counter(name=name, version=_version(query, database), count=partial(_counted, query))
        for name, query in QUERIES.items()
    )


def _cut(at: datetime) -> datetime:
    """Return the end of the last hour that cannot change any more."""
    return (at.astimezone(UTC) - timedelta(seconds=SETTLED_S)).replace(minute=0, second=0, microsecond=0)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The days that are asked for, and how far they cannot change any more."""

    since: date
    until: date
    cut: datetime

    @property
    def end(self) -> datetime:
        """When the last day ends."""
        return _midnight(self.until + timedelta(days=1))

    @property
    def opened(self) -> str:
        """How the names begin under which hours of the day around the cut are kept."""
        return f"{self.cut.date().isoformat()}T"

    def begun(self, kept: Days, first: date) -> str:
        """Name what is kept of the day around the cut, where that is the first day to be counted."""
        names = (
            each for each in kept if each.startswith(self.opened) and each <= f"{self.opened}{self.cut:%H}"
        )
        return max(names, default="") if first == self.cut.date() else ""


def _completed(asked: _Asked, kept: Days, count: _Count) -> tuple[tuple[Row, ...], Days]:
    """Return all rows of one tally, and what of them was counted now and cannot change, by its name."""
    rows = [row for name, each in kept.items() if len(name) == _DAY for row in each]
    days = (asked.since + timedelta(days=each) for each in range((asked.until - asked.since).days + 1))
    missing = [day for day in days if day.isoformat() not in kept]
    if not missing:
        return tuple(rows), {}
    begin, hours = _midnight(missing[0]), asked.begun(kept, missing[0])
    since = begin + timedelta(hours=int(hours[-2:])) if hours else begin
    until = min(asked.cut, asked.end)
    anew: dict[date, list[Row]] = {day: [] for day in missing}
    for row in (*kept.get(hours, ()), *(count(since, until) if since < until else ())):
        if row.day in anew:
            anew[row.day].append(row)
    new: Days = {
        day.isoformat(): tuple(each) for day, each in anew.items() if _midnight(day) <= until - _A_DAY
    }
    if since < until < asked.end and until.hour and until.date() in anew:
        new[f"{asked.opened}{until:%H}"] = _together(anew[until.date()])
    later = count(max(until, begin), asked.end) if until < asked.end else ()
    both = _together(
        [*(row for each in anew.values() for row in each), *(row for row in later if row.day in anew)]
    )
    return (*rows, *both), new


def _together(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Add up rows of one label on one day that were counted by themselves."""
    found: dict[tuple[date, str], Row] = {}
    for row in rows:
        before = found.get((row.day, row.label))
        sums = {name: before.figures[name] + value for name, value in row.figures.items()} if before else {}
        found[row.day, row.label] = replace(row, figures=sums) if before else row
    return tuple(found.values())


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


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


def _counted(query: Query, connection: sa.Connection, begin: datetime, end: datetime) -> tuple[Row, ...]:
    found = connection.execute(_statement(query, connection.dialect.name), {"begin": begin, "end": end})
    return tuple(_row(row) for row in found.mappings())


def _row(found: sa.RowMapping) -> Row:
    figures = {name: float(value or 0) for name, value in found.items() if name not in ("day", "label")}
    return Row(day=date.fromisoformat(found["day"]), label=found.get("label") or "", figures=figures)


def _kept(
    connection: sa.Connection, counters: Sequence[Counter], asked: _Asked
) -> dict[tuple[str, str], Days]:
    """Read what is kept of the days that are asked for, by the name and the version of its tally."""
    columns = METRICS_DAY.c
    query = sa.select(columns.tally, columns.version, columns.day, columns.body).where(
        columns.tally.in_([each.name for each in counters]),
        columns.version.in_({each.version for each in counters}),
        columns.day.between(asked.since.isoformat(), f"{asked.until.isoformat()}U"),
        sa.or_(sa.func.length(columns.day) == _DAY, columns.day.startswith(asked.opened)),
    )
    found: dict[tuple[str, str], Days] = {}
    for tally, version, day, body in connection.execute(query).all():
        found.setdefault((tally, version), {})[day] = _read(day, body)
    return found


@lru_cache(maxsize=16_384)
def _read(day: str, body: str) -> tuple[Row, ...]:
    """Read what was kept of a day; a dashboard asks for the same days again and again."""
    return tuple(
        Row(day=date.fromisoformat(day[:_DAY]), label=label, figures=figures)
        for label, figures in json.loads(body)
    )


def _written(rows: Iterable[Row]) -> str:
    return json.dumps([(row.label, row.figures) for row in rows])


def _keep(store: Store, rows: list[dict[str, str]]) -> None:
    columns = METRICS_DAY.c
    with store.writing() as connection:
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        # Another process may have counted the same; the same events give the same figures.
        connection.execute(insert(METRICS_DAY).on_conflict_do_nothing(), rows)
        # Hours that a later hour, or the whole day, holds too.
        newest = max(row["day"] if len(row["day"]) > _DAY else f"{row['day']}U" for row in rows)
        mine = columns.version.in_([row["version"] for row in rows])
        connection.execute(
            sa.delete(METRICS_DAY).where(mine, sa.func.length(columns.day) > _DAY, columns.day < newest)
        )
