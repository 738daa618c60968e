"""Opening the store: a SQLite file in the state directory, or a Postgres database."""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setpoint.database.store_faults import address, missing_record, store_fault
from setpoint.errors import RecordedDataError, RunInUse
from setpoint.model.config.database_url import without_password

if TYPE_CHECKING:
    import sqlalchemy as sa
    from sqlalchemy.engine.interfaces import DBAPIConnection

HEAD = "0010"
"""The newest migration; a test keeps it equal to what lies in `migrations/versions`."""
OLDEST = "0010"
"""The oldest layout whose code may work on this one beside newer code; raised where a migration contracts."""

_BUSY_S = 30
_WRITES = "setpoint_writes"
_MIGRATION_LOCK = 0x5E7_0001
_RESTART_S = 20.0
"""Seconds to wait for a server that restarts."""
_PATIENCE = {"connect_timeout": 5, "tcp_user_timeout": 5000, "client_encoding": "utf8"}
"""Seconds to wait for a server, and milliseconds for its network to answer, so that a cut is noticed."""


class Store:
    """A database whose tables are those of `database.tables`; may be shared between threads.

    Lists are read without SQLAlchemy, which takes longer to import than most verbs take. A SQLite file that
    does not exist holds nothing, and is made when its engine is asked for.
    """

    def __init__(self, where: Path | str) -> None:
        """Name a SQLite file (a `Path`) or a database by its URL; nothing is opened yet."""
        self._where = where
        self.fences: dict[str, int] = {}
        """Epochs of the leases that this process holds; without them, nothing of it is written."""
        self._engine: sa.Engine | None = None
        self._looking: sqlite3.Connection | None = None
        self._look = threading.RLock()

    @property
    def engine(self) -> sa.Engine:
        """What SQLAlchemy works with; the database is opened when it is first asked for."""
        with self._look:
            return self._engine or self.open()

    @property
    def url(self) -> str:
        """Return the URL of a server's database with the name that a service file may tell alone."""
        url = self.engine.url.set(drivername="postgresql")
        name = url.database or str(self.rows("SELECT current_database() AS name")[0]["name"])
        return url.set(database=name).render_as_string(hide_password=False)

    def open(self, *, migrates: bool = False) -> sa.Engine:
        """Open the database; a file is made or migrated where needed, a server's only where asked for."""
        where = self._where
        engine = _sqlite(where) if isinstance(where, Path) else _postgres(where)
        with ExitStack() as undo:
            undo.callback(engine.dispose)
            with refusals(where, "Setpoint's store"):
                _bring_up_to_date(engine, migrates=migrates or isinstance(where, Path))
            undo.pop_all()
        self._engine = engine
        return engine

    def mark(self) -> str:
        """Return what every commit changes, of this process or another; it costs next to nothing to ask."""
        question = "SELECT pg_current_snapshot() AS data_version"
        if isinstance(self._where, Path):
            question = "PRAGMA data_version"
        # SQLite's number is of commits by other connections than the one that asks, so one is kept for it.
        return "".join(str(row["data_version"]) for row in self._asked(question, {}))

    def rows(self, query: str, **values: object) -> list[Mapping[str, Any]]:
        """Return the rows of a query; `:name` stands for a value, after IN for those of a tuple."""
        for name, several in list(values.items()):
            if isinstance(several, tuple):
                each = {f"{name}_{place}": value for place, value in enumerate(several)}
                marks = ", ".join(f":{key}" for key in each) or "NULL"
                query = re.sub(rf":{name}\b", f"({marks})", query)
                values = {**values, **each}
        return self._asked(query, values)

    def answers(self) -> bool:
        """Whether the database answers and holds a record."""
        import sqlalchemy as sa

        try:
            self.rows("SELECT 1 FROM event LIMIT 1")
        except (sa.exc.SQLAlchemyError, sqlite3.Error, RecordedDataError):
            return False
        return True

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
        with self.answering(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Yield a connection that writes all or nothing; waits for its turn before it reads anything."""
        with self.answering(), _writing(self.engine) as connection:
            for name, epoch in self.fences.items():
                _require_lease(connection, name, epoch)
            yield connection

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Raise `RecordedDataError` where a file cannot be used in a block, or a server does not answer."""
        try:
            yield
        except Exception as error:
            import sqlalchemy as sa

            cause, fault = getattr(error, "orig", error), None
            if isinstance(self._where, Path):
                fault = store_fault(self._where, cause)
            elif isinstance(error, sa.exc.OperationalError):
                message = f"{without_password(self._where)} does not answer: {str(cause).splitlines()[0]}"
                fault = RecordedDataError(message, hint="`setpoint db check` says whether it can be reached")
            if fault is None:
                raise
            raise fault from error

    def close(self) -> None:
        """Let go of all connections."""
        with self._look:
            if self._engine is not None:
                self._engine.dispose()
            if self._looking is not None:
                self._looking.close()
            self._engine = self._looking = None

    def _asked(self, query: str, values: Mapping[str, object]) -> list[Mapping[str, Any]]:
        if not isinstance(self._where, Path):
            import sqlalchemy as sa

            # Postgres takes no zero in a text: what is asked for with one is nowhere.
            given = {key: v.replace("\0", "\ufffd") if isinstance(v, str) else v for key, v in values.items()}
            with self.reading() as connection:
                return [*connection.execute(sa.text(query), given).mappings()]
        if not self._where.exists():
            return []
        with self._look, self.answering():
            if self._looking is None:
                self._looking = _connected(self._where)
                self._looking.row_factory = sqlite3.Row
            return self._looking.execute(query, values).fetchall()


def open_store(where: Path | str) -> Store:
    """Open the store of a state directory (a `Path`) or of a database URL; a file is migrated where needed.

    Raises `RecordedDataError` where it cannot be read, is not migrated, or a newer Setpoint wrote it.
    """
    if isinstance(where, str) and not where.startswith("sqlite:///"):
        store = Store(where)
        store.open()
        return store
    path = where / "app.db" if isinstance(where, Path) else Path(where.removeprefix("sqlite:///"))
    if fault := missing_record(path):
        raise fault
    store = Store(path)
    try:
        known = all(row["version_num"] == HEAD for row in store.rows("SELECT * FROM alembic_version"))
    except sqlite3.DatabaseError:
        known = False
    except RecordedDataError:
        store.close()
        raise
    if not known:
        store.close()
        store.open()
    return store


def migrate(url: str, role: str = "") -> Store:
    """Make or update the tables of a Postgres database; a role that is named gets the rights of a worker."""
    from setpoint.database.rights import grant

    store = Store(url)
    store.open(migrates=True)
    if role:
        with refusals(url, f"a database of the role {role}"), store.writing() as connection:
            grant(connection, role)
    return store


@contextmanager
def refusals(where: Path | str, what: str) -> Iterator[None]:
    """Say of what a database refuses in a block which database it is, without its password, and why."""
    import sqlalchemy as sa

    try:
        yield
    except sa.exc.DatabaseError as error:
        if fault := store_fault(where, error.orig):
            raise fault from error
        message = f"{without_password(str(where))}: cannot be opened as {what}: {error.orig}"
        hint = "check the database, its URL and the rights of the role"
        raise RecordedDataError(message, hint=hint) from error


@contextmanager
def _writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    with engine.connect().execution_options(**{_WRITES: True}) as connection, connection.begin():
        yield connection


def _require_lease(connection: sa.Connection, name: str, epoch: int) -> None:
    """Keep a run from being taken over until this is written; `RunInUse` where it is taken over."""
    import sqlalchemy as sa

    words = sa.text("SELECT 1 FROM lease WHERE name = :name AND epoch = :epoch FOR SHARE")
    if connection.execute(words, {"name": name, "epoch": epoch}).first() is None:
        message = f"{name} was taken over by another worker: nothing more of this process is recorded"
        raise RunInUse(message, hint="`setpoint status` says who works on it")


def _postgres(url: str) -> sa.Engine:
    import sqlalchemy as sa

    address = sa.make_url(url).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(address, pool_pre_ping=True, connect_args=_PATIENCE)

    known = threading.Event()

    @sa.event.listens_for(engine, "do_connect")
    def connecting(
        dialect: sa.Dialect, _record: object, words: tuple[Any, ...], terms: dict[str, Any]
    ) -> Any:  # noqa: ANN401 - as its driver gives it
        """Wait for a server that was there and restarts; one that was never there is an error at once."""
        deadline = time.monotonic() + _RESTART_S
        while True:
            try:
                return dialect.connect(*words, **terms)
            except dialect.loaded_dbapi.OperationalError:
                if not known.is_set() or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    @sa.event.listens_for(engine, "connect")
    def connected(connection: DBAPIConnection, _record: object) -> None:
        known.set()
        # The queries of the metrics are long and touch little: to compile them takes longer than to run them.
        connection.autocommit = True
        connection.cursor().execute("SET jit = off")
        connection.autocommit = False

    return engine


def _sqlite(path: Path) -> sa.Engine:
    import sqlalchemy as sa

    path.parent.mkdir(parents=True, exist_ok=True)
    url, only_read = sa.URL.create("sqlite", database=str(path)), address(path)
    named = {"creator": partial(_connected, path)} if only_read else {"connect_args": {"timeout": _BUSY_S}}
    engine = sa.create_engine(url, **named)

    @sa.event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _record: object) -> None:
        # The driver's own transactions begin too late (before the first write); ours begin in `began`.
        connection.isolation_level = None
        if only_read is None:
            use_wal(connection)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @sa.event.listens_for(engine, "begin")
    def began(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _connected(path: Path) -> sqlite3.Connection:
    """Connect to a file; where it cannot be written to, only to read."""
    uri = address(path)
    return sqlite3.connect(uri or path, timeout=_BUSY_S, check_same_thread=False, uri=uri is not None)


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


def shown(engine: sa.Engine) -> str:
    """Name a database without its password."""
    return without_password(str(engine.url)).replace("+psycopg", "")


def _bring_up_to_date(engine: sa.Engine, *, migrates: bool) -> None:
    import sqlalchemy as sa

    with engine.begin() as connection:
        found = _layout(connection)
    if found == HEAD:
        return
    if not migrates:
        told = f"has layout {found}" if found else "has no tables of Setpoint"
        message = f"{shown(engine)}: {told}, and this version needs {HEAD}"
        raise RecordedDataError(message, hint="`setpoint db migrate`, as the role that owns the tables")
    with _writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
            if (encoding := connection.scalar(sa.text("SHOW server_encoding"))) != "UTF8":
                message = f"{shown(engine)}: its encoding is {encoding}, and Setpoint needs UTF8"
                raise RecordedDataError(message, hint="createdb --encoding UTF8 --template template0 ...")
        if _layout(connection) != HEAD:
            _migrate(connection)


def _layout(connection: sa.Connection) -> str:
    """Return which layout is found, without Alembic's half second; this version's for one that it can use."""
    import sqlalchemy as sa

    if not sa.inspect(connection).has_table("alembic_version"):
        return ""
    row = connection.execute(sa.text("SELECT * FROM alembic_version")).mappings().first()
    found = str(row["version_num"]) if row else ""
    if row is None or found <= HEAD:
        return found
    if (row.get("oldest") or found) <= HEAD:
        return HEAD
    message = f"written by a newer version of Setpoint (layout {found}, known up to {HEAD})"
    raise RecordedDataError(f"{shown(connection.engine)}: {message}", hint="update Setpoint")


def _migrate(connection: sa.Connection) -> None:
    # Alembic is slow to import, and only the first run in a project and an update of Setpoint need it.
    import sqlalchemy as sa
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if "oldest" not in {column["name"] for column in sa.inspect(connection).get_columns("alembic_version")}:
        connection.execute(sa.text("ALTER TABLE alembic_version ADD COLUMN oldest VARCHAR(32)"))
    connection.execute(sa.text("UPDATE alembic_version SET oldest = :oldest"), {"oldest": OLDEST})
