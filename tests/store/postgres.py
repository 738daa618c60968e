"""Postgres for tests: the server that `SETPOINT_TEST_POSTGRES` names by URL, or one of their own.

Where the programs of a server are installed, one is started with the first test that needs it, in a folder
of its own, and ended with the tests. Its programs refuse to work for root, so there they run as `nobody`.
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
from pathlib import Path

import sqlalchemy as sa

SERVER = os.environ.get("SETPOINT_TEST_POSTGRES", "")


def _programs() -> Path | None:
    """Find the folder with `initdb` and `pg_ctl`, the newest version's."""
    found = [Path(path).resolve().parent for path in (shutil.which("initdb"), shutil.which("pg_ctl")) if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((each for each in found if (each / "initdb").exists() and (each / "pg_ctl").exists()), None)


PROGRAMS = _programs()
WHERE_GIVEN = ("postgres",) if SERVER or PROGRAMS else ()
"""The parameter to add to a fixture."""


def fresh_database() -> str:
    """Make an empty database on the server and give its URL."""
    name = f"setpoint_{secrets.token_hex(6)}"
    url = sa.make_url(SERVER or _started()).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)


@functools.cache
def _started() -> str:
    """Start a server and give its URL; it listens on loopback alone and forgets all in the end."""
    assert PROGRAMS is not None
    folder = Path(tempfile.mkdtemp(prefix="setpoint-postgres-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    as_whom: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        as_whom = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    port = _free_port()
    data, words = (
        str(folder / "data"),
        ["-c", "fsync=off", "-p", str(port), "-k", str(folder), "-h", "127.0.0.1"],
    )
    _run([*as_whom, str(PROGRAMS / "initdb"), "-U", "tests", "-A", "trust", "-N", "-D", data], folder)
    start = ["start", "-w", "-D", data, "-l", str(folder / "log"), "-o", " ".join(words)]
    _run([*as_whom, str(PROGRAMS / "pg_ctl"), *start], folder)
    stop = [*as_whom, str(PROGRAMS / "pg_ctl"), "stop", "-m", "immediate", "-D", data]
    atexit.register(_run, stop, folder)
    return f"postgresql://tests@127.0.0.1:{port}/postgres"


def _run(argv: list[str], folder: Path) -> None:
    with (folder / "said").open("a") as said:
        subprocess.run(argv, cwd=folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL, check=True)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
