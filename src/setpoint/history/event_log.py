"""The event log on the store's database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from setpoint.database.connect import Store
from setpoint.database.tables import EVENT, RUN
from setpoint.errors import RecordedDataError
from setpoint.history.event_codec import known_event, read_body
from setpoint.history.run_fold import RunFold, fold, restored, row_of
from setpoint.model.events import Body, Event
from setpoint.model.events.run import (
    GateAnswered,
    GateOpened,
    RunFinished,
    RunResumed,
    RunStarted,
)
from setpoint.model.ids import EventId, TraceId, sortable_row


def _now() -> datetime:
    return datetime.now(UTC)


class SqlEventLog:
    """Appends facts in one transaction each and reads them back; safe for several processes on one store."""

    def __init__(self, store: Store, now: Callable[[], datetime] = _now) -> None:
        """Use an open store; `now` gives the times of the events, aware, in UTC."""
        self._store = store
        self._now = now

    def append(self, trace_id: TraceId, key: str, bodies: Sequence[Body]) -> tuple[Event, ...]:
        """Record facts under a key; once this returns they outlast a loss of power.

        All of them are recorded or none. A key that was recorded before returns what is recorded, whatever is
        handed in now.
        """
        with self._store.writing() as connection:
            _take_turn(connection, trace_id)
            before = _select(connection, EVENT.c.trace_id == trace_id, EVENT.c.key == key)
            if before or not bodies:
                return before
            last = connection.scalar(sa.select(sa.func.max(EVENT.c.seq)).where(EVENT.c.trace_id == trace_id))
            rows = _rows(trace_id, key, bodies, at=self._now(), last=last or 0)
            _insert(connection, rows)
            added = tuple(
                known_event(
                    id_=row["id"], trace_id=trace_id, seq=row["seq"], at=row["at"], key=key, body=body
                )
                for row, body in zip(rows, bodies, strict=True)
            )
            _list(connection, trace_id, added)
            return added

    def broke(self, trace_id: TraceId, reason: str) -> None:
        """Say in the row of a run why its process ended, until another one continues it."""
        with self._store.writing() as connection:
            connection.execute(sa.update(RUN).where(RUN.c.trace_id == trace_id).values(reason=reason))

    def told(self, trace_id: TraceId) -> str:
        """Return what the row of a run holds of it, made from its events; it is stored for the next time.

        Raises as `replay` does.
        """
        try:
            with self._store.writing() as connection:
                _take_turn(connection, trace_id)
                row = row_of(_refolded(connection, trace_id))
                connection.execute(sa.update(RUN).where(RUN.c.trace_id == trace_id).values(row))
        except RecordedDataError:  # a process that may not write reads all the same
            row = row_of(fold(self.replay(trace_id)))
        return str(row["told"])

    def replay(
        self, trace_id: TraceId, after: int = 0, *, kinds: Collection[str] = (), most: int | None = None
    ) -> tuple[Event, ...]:
        """Return a run's events in order, those with `seq` above `after`; where asked for, only some kinds.

        `most` gives so many of them at most, the first.

        Raises `RecordedDataError` where an event was written by a newer version or is damaged.
        """
        wanted = [EVENT.c.trace_id == trace_id, EVENT.c.seq > after]
        if kinds:
            wanted.append(EVENT.c.kind.in_(kinds))
        with self._store.reading() as connection:
            return _select(connection, *wanted, most=most)

    def replays(
        self, traces: Collection[TraceId], *, kinds: Collection[str] = ()
    ) -> dict[TraceId, list[Event]]:
        """Return the events of several runs, each run's in order; where asked for, only some kinds.

        Raises as `replay` does.
        """
        found: dict[TraceId, list[Event]] = {}
        # Not the column itself: the database is to go by the runs, which are few, and not by the kinds.
        wanted = [EVENT.c.trace_id.in_(traces), *([(EVENT.c.kind + "").in_(kinds)] if kinds else [])]
        with self._store.reading() as connection:
            for event in _select(connection, *wanted):
                found.setdefault(event.trace_id, []).append(event)
        return found

    def readable(
        self, traces: Collection[TraceId], *, kinds: Collection[str] = ()
    ) -> dict[TraceId, list[Event]]:
        """Return what `replays` does; nothing where an event cannot be read: `replay` says of which run."""
        try:
            return self.replays(traces, kinds=kinds)
        except RecordedDataError:
            return {}

    def traces(self) -> tuple[TraceId, ...]:
        """Return all runs, newest first."""
        begun = sa.func.min(EVENT.c.id)
        query = sa.select(EVENT.c.trace_id).group_by(EVENT.c.trace_id).order_by(begun.desc())
        with self._store.reading() as connection:
            return tuple(TraceId(trace) for trace in connection.scalars(query))


def _rows(
    trace_id: TraceId, key: str, bodies: Sequence[Body], *, at: datetime, last: int
) -> list[dict[str, Any]]:
    return [
        {
            "id": EventId(id_),
            "trace_id": trace_id,
            "seq": last + place,
            "at": at,
            "kind": body.kind,
            "key": key,
            "place": place,
            "body": body.model_dump_json(),
        }
        for place, (id_, body) in enumerate(
            zip(sortable_row("evt", at, len(bodies)), bodies, strict=True), start=1
        )
    ]


def _insert(connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
    if connection.dialect.name != "postgresql":
        connection.execute(sa.insert(EVENT), rows)
        return
    # One stream of rows instead of one statement for each: half the time, of the server and of ours.
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY event ({', '.join(rows[0])}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(tuple(row.values()))


_COLUMNS = tuple(EVENT.c[name] for name in ("id", "trace_id", "seq", "at", "kind", "key", "body"))


def _select(
    connection: sa.Connection, *where: sa.ColumnElement[bool], most: int | None = None
) -> tuple[Event, ...]:
    found = connection.execute(sa.select(*_COLUMNS).where(*where).order_by(EVENT.c.seq).limit(most))
    # Taken apart by place: a log of a million events is read at every look at all runs.
    return tuple(
        [
            known_event(id_=id_, trace_id=trace, seq=seq, at=at, key=key, body=_body(trace, seq, kind, body))
            for id_, trace, seq, at, kind, key, body in found
        ]
    )


def _body(trace_id: str, seq: int, kind: str, body: str) -> Body:
    try:
        return read_body(kind, body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        message = (
            f"event {seq} of {trace_id}, kind '{kind}', cannot be read by this version: "
            f"{first['msg']}{f' at {place}' if place else ''}"
        )
        raise RecordedDataError(message, hint="update Setpoint: a newer version has written it") from error


def _take_turn(connection: sa.Connection, trace_id: TraceId) -> None:
    """Let the writers of one run take turns; SQLite has one writer at a time by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(sa.literal(trace_id, sa.Text))))
        )


def _refolded(connection: sa.Connection, trace_id: TraceId) -> RunFold:
    return fold(_select(connection, EVENT.c.trace_id == trace_id))


def _list(connection: sa.Connection, trace_id: TraceId, events: Sequence[Event]) -> None:
    """Bring the run's row up to date with facts that were just recorded; what is of no run has none."""
    of_run = RUN.c.trace_id == trace_id
    known = connection.execute(sa.select(RUN.c.told).where(of_run)).one_or_none()
    values: dict[str, Any] = {}
    for event in events:
        match event.body:
            case RunStarted(order=order) if known is None:
                row = {
                    "trace_id": trace_id,
                    "story_id": order.story.id,
                    "title": order.story.title,
                    "root": order.root,
                    "state": "running",
                    "started_at": order.started_at,
                }
                connection.execute(sa.insert(RUN), row)
            case RunResumed(process=process):
                values |= {"process": process, "reason": ""}
            case GateOpened() | GateAnswered():  # also of a record that cannot be folded
                values["state"] = "waiting" if isinstance(event.body, GateOpened) else "running"
            case RunFinished(outcome=outcome):
                values |= {
                    "state": "finished",
                    "ending": outcome.ending,
                    "reason": outcome.reason,
                    "branch": outcome.branch,
                    "cost_usd": str(outcome.cost_usd) if outcome.cost_known else None,
                    "finished_at": event.at,
                }
    if known is None and not isinstance(events[0].body, RunStarted):
        return
    with suppress(RecordedDataError):  # the reader of the row says what cannot be read
        before = restored(known.told if known else None)
        values |= row_of(fold(events, before) if before else _refolded(connection, trace_id))
    if values:
        connection.execute(sa.update(RUN).where(of_run).values(values))
