"""Opening the store: a SQLite file in the state directory, or a Postgres database."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from setpoint.errors import RecordedDataError

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

HEAD = "0007"
"""The newest migration; a test keeps it equal to what lies in `migrations/versions`."""

_BUSY_S = 30
_WRITES = "setpoint_writes"
_MIGRATION_LOCK = 0x5E7_0001


class Store:
    """An open database whose tables are those of `store.tables`; may be shared between threads."""

    def __init__(self, engine: sa.Engine) -> None:
        """Take over an engine made by `open_store`."""
        self.engine = engine
        self._looking: sqlite3.Connection | None = None
        self._look = threading.Lock()

    def mark(self) -> str:
        """Return what every commit changes, of this process or another; it costs next to nothing to ask."""
        if self.engine.dialect.name != "sqlite":
            with self.reading() as connection:
                return str(connection.scalar(sa.text("SELECT pg_current_snapshot()")))
        with self._look:
            # The number is of commits by other connections than the one that asks, so one is kept for it.
            if self._looking is None:
                file = str(self.engine.url.database)
                self._looking = sqlite3.connect(file, timeout=_BUSY_S, check_same_thread=False)
            return str(self._looking.execute("PRAGMA data_version").fetchone()[0])

    @property
    def journal(self) -> Path | None:
        """Return the file that every commit writes to; none where a server keeps the database."""
        if self.engine.dialect.name != "sqlite":
            return None
        self.mark()  # the file is there for as long as a connection is
        return Path(f"{self.engine.url.database}-wal")

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Yield a connection that sees one state of the database."""
        with self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Yield a connection that writes all or nothing; waits for its turn before it reads anything."""
        try:
            with self.engine.connect().execution_options(**{_WRITES: True}) as connection, connection.begin():
                yield connection
        except sa.exc.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_READONLY:
                raise
            message = f"{self.engine.url.database}: this process may not write here"
            raise RecordedDataError(message, hint="use a terminal of your own, outside any sandbox") from None

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()
        with self._look:
            if self._looking is not None:
                self._looking.close()
                self._looking = None


def open_store(where: Path | str) -> Store:
    """Open the store of a state directory (a `Path`) or of a database URL, made or migrated where needed.

    Raises `RecordedDataError` if a newer version of Setpoint wrote it, or the file is not a database.
    """
    engine = _sqlite(where / "app.db") if isinstance(where, Path) else _by_url(where)
    store = Store(engine)
    with ExitStack() as undo:
        undo.callback(store.close)
        try:
            _bring_up_to_date(store)
        except sa.exc.DatabaseError as error:
            shown = engine.url.render_as_string(hide_password=True)
            message = f"{shown}: cannot be opened as Setpoint's store: {error.orig}"
            raise RecordedDataError(
                message, hint="move the file away, or check the database and its URL"
            ) from error
        undo.pop_all()
    return store


def _code(error: sa.exc.OperationalError) -> int | None:
    """Return SQLite's primary result code; none of another database."""
    extended = getattr(error.orig, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF


def _by_url(url: str) -> sa.Engine:
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(Path(parsed.database or ""))
    engine = sa.create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)

    @sa.event.listens_for(engine, "connect")
    def connected(connection: DBAPIConnection, _record: object) -> None:
        # The queries of the metrics are long and touch little: to compile them takes longer than to run them.
        connection.autocommit = True
        connection.cursor().execute("SET jit = off")
        connection.autocommit = False

    return engine


def _sqlite(path: Path) -> sa.Engine:
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)), connect_args={"timeout": _BUSY_S})

    @sa.event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _record: object) -> None:
        # The driver's own transactions begin too late (before the first write); ours begin in `began`.
        connection.isolation_level = None
        use_wal(connection)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @sa.event.listens_for(engine, "begin")
    def began(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def use_wal(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work side by side; the file remembers it.

    The change needs the file for a moment alone, and SQLite does not wait for that by itself.
    """
    deadline = time.monotonic() + _BUSY_S
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _bring_up_to_date(store: Store) -> None:
    with store.reading() as connection:
        if _is_current(connection):
            return
    with store.writing() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        if not _is_current(connection):
            _migrate(connection)


def _is_current(connection: sa.Connection) -> bool:
    """Return whether nothing is to be done, without the half second that importing Alembic takes."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return False
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    if found is not None and found > HEAD:
        shown = connection.engine.url.render_as_string(hide_password=True)
        message = f"{shown}: written by a newer version of Setpoint (layout {found}, known up to {HEAD})"
        raise RecordedDataError(message, hint="update Setpoint")
    return bool(found == HEAD)


def _migrate(connection: sa.Connection) -> None:
    # Alembic is slow to import, and only the first run in a project and an update of Setpoint need it.
    from alembic import command  # noqa: PLC0415 - see above
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
