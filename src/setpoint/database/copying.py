"""Copying a record from SQLite into an empty Postgres database, with proof that nothing is lost."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.database.tables import ARTIFACT, METADATA
from setpoint.errors import RecordedDataError, UsageError

ENGINE = "dbos"
"""Schema of the durable engine's tables on Postgres."""
_ROWS = 1000
_VERSION = "dbos_migrations"


class _Seen(NamedTuple):
    """Rows that passed by, whatever their order."""

    rows: int = 0
    digest: int = 0

    def and_these(self, rows: Iterable[tuple[Any, ...]]) -> _Seen:
        digests = [int.from_bytes(hashlib.sha256(repr(row).encode()).digest(), "big") for row in rows]
        return _Seen(self.rows + len(digests), (self.digest + sum(digests)) % (1 << 256))


def snapshot(file: Path, into: Path) -> Path:
    """Copy a SQLite file as it is at one moment, also while others write it; the file stays as it is."""
    copied = into / file.name
    with (
        closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(copied)) as target,
    ):
        source.backup(target)
    return copied


def copy_record(
    own: sa.Engine, engine: sa.Engine | None, artifacts: Iterable[tuple[str, bytes]], target: Store
) -> dict[str, int]:
    """Copy all tables and artifacts in one transaction; gives how many rows each table got.

    Raises `UsageError` where the target holds something already, and `RecordedDataError` where something
    did not arrive as it was; then nothing is copied.
    """
    theirs = sa.MetaData()
    theirs.reflect(target.engine, schema=ENGINE)
    of_engine = [table for table in theirs.sorted_tables if table.name != _VERSION]
    for column in (column for table in of_engine for column in table.columns):
        if isinstance(column.type, sa.JSON):
            column.type.none_as_null = True
    with target.writing() as into:
        for table in (*METADATA.sorted_tables, *of_engine):
            if into.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
                message = f"{target.shown}: table {table.name} holds something: nothing was copied"
                raise UsageError(message, hint="name an empty database, migrated by `setpoint db migrate`")
        copied = _copied(own, into, METADATA.sorted_tables)
        if engine is not None:
            copied |= _copied(engine, into, of_engine)
        for digest, data in artifacts:
            if hashlib.sha256(data).hexdigest() == digest:  # a damaged file is no loss: nothing can read it
                into.execute(sa.insert(ARTIFACT), {"digest": digest, "data": data})
                copied[ARTIFACT.name] += 1
    return copied


def _copied(source: sa.Engine, into: sa.Connection, tables: Iterable[sa.Table]) -> dict[str, int]:
    found, there = dict[str, int](), sa.inspect(source)
    for table in tables:
        if not there.has_table(table.name):
            continue
        known = {column["name"] for column in there.get_columns(table.name)}
        names = [column.name for column in table.columns if column.name in known]
        sent = arrived = _Seen()
        with source.execution_options(schema_translate_map={ENGINE: None}).begin() as connection:
            for rows in _read(connection, table, names):
                sent = sent.and_these(rows)
                into.execute(sa.insert(table), [dict(zip(names, row, strict=True)) for row in rows])
        for rows in _read(into, table, names):
            arrived = arrived.and_these(rows)
        if sent != arrived:
            message = f"table {table.name}: {arrived.rows} of {sent.rows} rows arrived as they were"
            raise RecordedDataError(message, hint="nothing was copied; report it as a fault of Setpoint")
        found[table.name] = sent.rows
    return found


def _read(connection: sa.Connection, table: sa.Table, names: list[str]) -> Iterator[list[tuple[Any, ...]]]:
    query = sa.select(*(table.c[name] for name in names)).order_by(*table.primary_key.columns)
    for rows in connection.execute(query.execution_options(yield_per=_ROWS)).partitions():
        yield [tuple(row) for row in rows]
