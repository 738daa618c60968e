"""Postgres for tests: the server that `SETPOINT_TEST_POSTGRES` names by URL, or one of their own.

Where the programs of a server are installed, one is started with the first test that needs it, in a folder
of its own. Its programs refuse to work for root, so there they run as `nobody`. The server stands under a
shell that reads from us: however the tests end, killed too, that pipe closes, and the shell ends the server
and takes its folder away.
"""

from __future__ import annotations

import atexit
import functools
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from setpoint.database.connect import migrate
from setpoint.durable.tables import migrate_engine

SERVER = os.environ.get("SETPOINT_TEST_POSTGRES", "")
_CONNECTIONS = 500
"""What one process of tests may hold at once: stores of many examples of a property, each with its pool."""
_START_S = 60.0

_WITH_THE_TESTS = r"""
folder=$1 initdb=$2 postgres=$3 port=$4 connections=$5
shift 5
cd "$folder"
"$@" "$initdb" -U tests -A trust -N -D "$folder/data" </dev/null >>log 2>&1
"$@" "$postgres" -D "$folder/data" -p "$port" -h 127.0.0.1 -k "$folder" -c fsync=off \
    -c max_connections="$connections" </dev/null >>log 2>&1 &
cat >/dev/null
# The first is for a server that is not yet so far as to hear the second, which it is started deaf to.
kill -TERM $! 2>/dev/null
kill -QUIT $! 2>/dev/null
wait $!
cd /
rm -rf "$folder"
"""


def _programs() -> Path | None:
    """Find the folder with `initdb` and `postgres`, the newest version's."""
    found = [
        Path(path).resolve().parent for path in (shutil.which("initdb"), shutil.which("postgres")) if path
    ]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((each for each in found if (each / "initdb").exists() and (each / "postgres").exists()), None)


PROGRAMS = _programs()
WHERE_GIVEN = (pytest.param("postgres", marks=pytest.mark.slow),) if SERVER or PROGRAMS else ()
"""The parameter to add to a fixture: one more database, so a test with it is of the second tier."""


def fresh_database() -> str:
    """Make a database on the server with all tables, empty, and give its URL."""
    return empty_database(_migrated())


def empty_database(template: str = "template1") -> str:
    """Make a database on the server as another one is, without tables by default, and give its URL."""
    name = f"setpoint_{secrets.token_hex(6)}"
    execute(SERVER or _started(), f"CREATE DATABASE {name} TEMPLATE {template}")
    return named(name)


def named(name: str) -> str:
    """Give the URL of a database on the server."""
    url = sa.make_url(SERVER or _started()).set(drivername="postgresql", database=name)
    return url.render_as_string(hide_password=False)


SECRET = "sesame-5"
"""Password in the URL of a worker, which is to be seen nowhere."""


def worker_role(url: str) -> tuple[str, str]:
    """Make a role without rights; gives its name, and the URL of a database for it."""
    name = f"worker_{secrets.token_hex(6)}"
    execute(url, f"CREATE ROLE {name} LOGIN PASSWORD '{SECRET}'")
    return name, sa.make_url(url).set(username=name, password=SECRET).render_as_string(hide_password=False)


def execute(url: str, *statements: str) -> None:
    """Carry out statements, each by itself."""
    engine = sa.create_engine(
        sa.make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


@functools.cache
def _migrated() -> str:
    """Make the database once that others are copied from: much faster than migrating each."""
    url = empty_database()
    store = migrate(url)
    migrate_engine(url)
    store.close()
    return str(sa.make_url(url).database)


@functools.cache
def _started() -> str:
    """Start a server and give its URL; it listens on loopback alone and forgets all in the end."""
    assert PROGRAMS is not None
    folder = Path(tempfile.mkdtemp(prefix="setpoint-postgres-"))
    as_whom: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        as_whom = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    port = _free_port()
    words = [str(folder), str(PROGRAMS / "initdb"), str(PROGRAMS / "postgres"), str(port), str(_CONNECTIONS)]
    # A session of its own: what is sent to the group of the tests does not end the shell before its work.
    shell = subprocess.Popen(
        ["sh", "-c", _WITH_THE_TESTS, "sh", *words, *as_whom], stdin=subprocess.PIPE, start_new_session=True
    )
    atexit.register(shell.communicate)
    url = f"postgresql://tests@127.0.0.1:{port}/postgres"
    _await(url, folder / "log")
    return url


def _await(url: str, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                said = log.read_text(errors="replace") if log.exists() else "nothing"
                message = f"no server within {_START_S:g} seconds; it said: {said}"
                raise RuntimeError(message) from error
            time.sleep(0.05)
        else:
            return


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
