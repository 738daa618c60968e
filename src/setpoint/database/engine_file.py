"""Opening the file of the durable engine, on every SQLite that a supported Python comes with.

From Python 3.12 on DBOS writes `unixepoch('subsec')` into its statements and into the columns of its tables.
SQLite knows `unixepoch` since 3.38 and `'subsec'` since 3.42; Debian 12 has 3.40 and Ubuntu 22.04 has 3.37.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa

BUSY_S = 30
"""Seconds to wait for a file that another process writes."""
_HAS_SUBSEC = (3, 42)


class EngineConnection(sqlite3.Connection):
    """A connection on which `unixepoch('subsec')` gives seconds with fractions, however old SQLite is."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - as `sqlite3.connect` hands them on
        """Connect, and add the function where SQLite lacks it."""
        super().__init__(*args, **options)
        if sqlite3.sqlite_version_info < _HAS_SUBSEC:
            self.create_function("unixepoch", 1, _unixepoch)


def open_engine_file(path: Path) -> sa.Engine:
    """Open the file for a client of the engine, with the connections that DBOS itself would make."""
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        connect_args={"factory": EngineConnection, "timeout": BUSY_S, "isolation_level": "IMMEDIATE"},
    )

    @sa.event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA foreign_keys=ON")

    return engine


def _unixepoch(modifier: str) -> float:
    if modifier != "subsec":
        message = f"unixepoch({modifier!r}) is not known here: only 'subsec' is"
        raise ValueError(message)
    return round(time.time(), 3)
