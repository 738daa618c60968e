"""A Postgres server of one's own for as long as a bench lasts, from the binaries that the system has."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path | None:
    """Find the folder of `initdb` and `postgres`; none where the system has none."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


@contextmanager
def server() -> Iterator[str]:
    """Start a fresh cluster on a free port with its usual settings (every commit is flushed); give its URL.

    Postgres refuses to run as root, so as root it runs as `postgres`, or as `nobody`.
    """
    tools = binaries()
    if tools is None:
        raise SystemExit("no Postgres here: install the package `postgresql`, or leave it out")
    folder = Path(tempfile.mkdtemp(prefix="setpoint-bench-pg-"))
    who = _someone() if os.geteuid() == 0 else None
    if who is not None:
        shutil.chown(folder, who)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    data = folder / "data"
    try:
        _run(who, tools / "initdb", "-D", data, "-A", "trust", "-U", "bench", "-E", "UTF8", "--locale=C")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        _run(who, tools / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        yield f"postgresql://bench@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run(
            [tools / "pg_ctl", "-D", data, "-m", "immediate", "stop"],
            user=who,
            check=False,
            capture_output=True,
        )
        shutil.rmtree(folder, ignore_errors=True)


def _someone() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _run(who: str | None, *argv: object) -> None:
    # The server that `pg_ctl` leaves behind would keep a pipe open, so nothing is captured.
    subprocess.run([str(word) for word in argv], user=who, check=True, stdout=subprocess.DEVNULL, cwd="/")
