"""What DBOS asks of SQLite under Python 3.12 and newer, under whatever Python and SQLite the tests run."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from setpoint.database.engine_file import EngineConnection, open_engine_file

pytestmark = pytest.mark.smoke

TABLE = "CREATE TABLE mail (id TEXT, sent_ms INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000))"


def test_a_column_that_defaults_to_milliseconds_is_filled(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "engine.db", factory=EngineConnection)) as connection:
        connection.execute(TABLE)
        before = time.time() * 1000
        connection.execute("INSERT INTO mail (id) VALUES ('a')")
        (sent_ms,) = connection.execute("SELECT sent_ms FROM mail").fetchone()
    assert before - 2 <= sent_ms <= time.time() * 1000 + 2


def test_every_connection_of_a_client_knows_the_function_and_keeps_foreign_keys(tmp_path: Path) -> None:
    engine = open_engine_file(tmp_path / "engine.db")
    with engine.connect() as first, engine.connect() as second:
        for connection in (first, second):
            assert connection.execute(sa.text("SELECT unixepoch('subsec') > 1e9")).scalar() == 1
            assert connection.execute(sa.text("PRAGMA foreign_keys")).scalar() == 1
    engine.dispose()


@pytest.mark.skipif(sqlite3.sqlite_version_info >= (3, 42), reason="SQLite's own function reads every date")
def test_a_date_is_refused_rather_than_misread() -> None:
    refused = pytest.raises(sqlite3.OperationalError, match="raised exception")
    with closing(sqlite3.connect(":memory:", factory=EngineConnection)) as connection, refused:
        connection.execute("SELECT unixepoch('2026-01-01')")
