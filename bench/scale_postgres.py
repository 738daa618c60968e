"""A Postgres server of one's own for as long as a bench lasts, from the binaries that the system has.

The server stands under a shell that reads from the bench: however that ends, killed too, the pipe closes,
and the shell ends the server and takes its folder away.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START_S = 120.0
_WITH_THE_BENCH = r"""
folder=$1 tools=$2 port=$3
shift 3
cd "$folder"
"$@" "$tools/initdb" -D "$folder/data" -A trust -U bench -E UTF8 --locale=C </dev/null >>log 2>&1
"$@" "$tools/postgres" -D "$folder/data" -p "$port" -h 127.0.0.1 -k "$folder" </dev/null >>log 2>&1 &
cat >/dev/null
# The first is for a server that is not yet so far as to hear the second.
kill -TERM $! 2>/dev/null
kill -QUIT $! 2>/dev/null
wait $!
cd /
rm -rf "$folder"
"""


def binaries() -> Path | None:
    """Find the folder of `initdb` and `postgres`; none where the system has none."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(
        (place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None
    )


@contextmanager
def server() -> Iterator[str]:
    """Start a fresh cluster on a free port with its usual settings (every commit is flushed); give its URL.

    Postgres refuses to run as root, so as root it runs as `postgres`, or as `nobody`.
    """
    tools = binaries()
    if tools is None:
        raise SystemExit("no Postgres here: install the package `postgresql`, or leave it out")
    folder = Path(tempfile.mkdtemp(prefix="setpoint-bench-pg-"))
    as_whom = as_somebody(folder)
    port = free_port()
    words = ["sh", "-c", _WITH_THE_BENCH, "sh", str(folder), str(tools), str(port), *as_whom]
    # A session of its own: what is sent to the group of the bench does not end the shell before its work.
    with subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True) as shell:
        try:
            _await(port, folder, shell)
            yield f"postgresql://bench@127.0.0.1:{port}/postgres"
        finally:
            shell.communicate()


def as_somebody(folder: Path) -> list[str]:
    """Return what starts a program as a user other than root, who then owns the folder."""
    if os.geteuid() != 0:
        return []
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    who = known.get("postgres") or known["nobody"]
    shutil.chown(folder, who.pw_name)
    return ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups"]


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _await(port: int, folder: Path, shell: subprocess.Popen[bytes]) -> None:
    """Wait until the server takes connections: its socket is there before it does."""
    deadline = time.monotonic() + _START_S
    while "ready to accept connections" not in _said(folder):
        if time.monotonic() > deadline or shell.poll() is not None:
            raise SystemExit(f"no Postgres on port {port}; it said: {_said(folder)}")
        time.sleep(0.05)


def _said(folder: Path) -> str:
    log = folder / "log"
    return log.read_text("utf-8", "replace") if log.exists() else ""
