"""Copying a record from SQLite into an empty Postgres database, with proof that nothing is lost."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from setpoint.database.connect import Store, shown
from setpoint.database.tables import ARTIFACT, METADATA
from setpoint.errors import RecordedDataError, UsageError

ENGINE = "dbos"
"""Schema of the durable engine's tables on Postgres."""
_ROWS = 1000


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
    own: sa.Engine, engine: sa.Engine | None, artifacts: Iterable[tuple[str, bool, bytes]], target: Store
) -> dict[str, int]:
    """Copy all tables and artifacts in one transaction; gives how many rows each table got.

    Raises `UsageError` where the target holds something already, and `RecordedDataError` where something
    did not arrive as it was; then nothing is copied.
    """
    theirs = sa.MetaData()
    theirs.reflect(target.engine, schema=ENGINE)
    of_engine = [table for table in theirs.sorted_tables if table.name != "dbos_migrations"]
    for kind in (column.type for table in of_engine for column in table.columns):
        if isinstance(kind, sa.JSON):
            kind.none_as_null = True
    with target.writing() as into:
        for table in (*METADATA.sorted_tables, *of_engine):
            if into.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
                message = f"{shown(target.engine)}: table {table.name} holds something: nothing was copied"
                raise UsageError(message, hint="name an empty database, migrated by `setpoint db migrate`")
        copied = _copied(own, into, METADATA.sorted_tables)
        if engine is not None:
            copied |= _copied(engine, into, of_engine)
        for digest, hidden, data in artifacts:
            if hashlib.sha256(data).hexdigest() == digest:  # a damaged file is no loss: nothing can read it
                into.execute(sa.insert(ARTIFACT), {"digest": digest, "hidden": hidden, "data": data})
                copied[ARTIFACT.name] += 1
    return copied


def _copied(source: sa.Engine, into: sa.Connection, tables: Iterable[sa.Table]) -> dict[str, int]:
    found, there = dict[str, int](), sa.inspect(source)
    for table in (each for each in tables if there.has_table(each.name)):
        known = {column["name"] for column in there.get_columns(table.name)}
        query = sa.select(*(column for column in table.columns if column.name in known))
        with source.execution_options(schema_translate_map={ENGINE: None}).begin() as connection:
            sent = _passed(connection, query, partial(into.execute, sa.insert(table)))
        if sent != _passed(into, query):
            message = f"table {table.name}: not all of {sent[0]} rows arrived as they were"
            raise RecordedDataError(message, hint="nothing was copied; report it as a fault of Setpoint")
        found[table.name] = sent[0]
    return found


def _passed(
    connection: sa.Connection, query: sa.Select[Any], take: Callable[[list[Any]], object] = len
) -> tuple[int, int]:
    """Hand on what a query finds; gives how many rows, and a digest that does not hang on their order."""
    count = digest = 0
    for rows in connection.execute(query.execution_options(yield_per=_ROWS)).partitions():
        take([row._asdict() for row in rows])
        count += len(rows)
        digest += sum(int(hashlib.sha256(repr(row).encode()).hexdigest(), 16) for row in rows)
    return count, digest
