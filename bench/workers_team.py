"""Three workers in clones of their own, a Postgres that can be restarted, and a network that can be cut."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from scale_postgres import as_somebody

SETPOINT = Path(sys.executable).with_name("setpoint")
HOST, GUEST = "10.77.0.1", "10.77.0.2"
SPACE = "setpoint-bench"
LEASE_S = 15.0
AGENT = """\
import pathlib, random, re, sys, time
story = re.search(r"notes/(n\\d+)\\.txt", sys.argv[2]).group(1)
with open(sys.argv[1], "a") as ledger:
    ledger.write(f"{story} {time.time()}\\n")
time.sleep(random.uniform(0.2, 2.5))
path = pathlib.Path("notes", f"{story}.txt")
path.parent.mkdir(exist_ok=True)
path.write_text(f"{story}\\n")
"""
SETTINGS = """\
shared_repository = "origin"
[agents]
maker = "script"
test_designer = "rules"
[agent.script]
command = ["python3", "{agent}", "{ledger}", "{{prompt}}"]
[sandbox]
agents = "none"
[board]
lease_s = {lease}
drain_s = 5
"""
STORY = """\
---
id: {id}
title: Write notes/{id}.txt
acceptance: ["grep -q {id} notes/{id}.txt"]
---

The file holds its own name.
"""


@dataclass
class Server:
    """A Postgres that can be restarted."""

    folder: Path
    tools: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        hosts = f"127.0.0.1,{HOST}" if has_network() else "127.0.0.1"
        words = ["-D", str(self.folder / "data"), "-p", str(self.port), "-h", hosts, "-k", str(self.folder)]
        with (self.folder / "log").open("ab") as log:
            command = [
                *as_somebody(self.folder),
                str(self.tools / "postgres"),
                *words,
                "-c",
                "max_connections=300",
            ]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                return
            time.sleep(0.1)
        raise SystemExit(f"Postgres does not start: {self.folder / 'log'}")

    def make(self) -> None:
        """Make its files and the database."""
        run(
            *as_somebody(self.folder),
            str(self.tools / "initdb"),
            "-A",
            "trust",
            "-U",
            "bench",
            "-D",
            str(self.folder / "data"),
        )
        with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {HOST}/24 trust\n")
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE setpoint")

    def end(self, number: int = signal.SIGINT) -> None:
        """End it with a signal."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(60)

    def url(self, name: str = "setpoint", host: str = "127.0.0.1") -> str:
        """Return the address of a database."""
        return f"postgresql://bench@{host}:{self.port}/{name}"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the database."""
        with psycopg.connect(self.url()) as connection:
            return connection.execute(query).fetchall()


@dataclass
class Worker:
    """One worker in a clone of its own, begun again whenever it has ended."""

    clone: Path
    url: str
    inside: tuple[str, ...] = ()
    """What starts a program in its network."""
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    stopped: list[int] = field(default_factory=list)

    def keep(self) -> None:
        """Start it where it does not run."""
        if self.process is None or (self.process.poll() is not None and not self.stopped):
            self.starts += 1
            with (self.clone.parent / f"{self.clone.name}.log").open("ab") as log:
                self.process = subprocess.Popen(
                    [*self.inside, str(SETPOINT), "work"], cwd=self.clone, stdout=log, stderr=log,
                    env={**os.environ, "SETPOINT_DATABASE": self.url}, start_new_session=True,
                )  # fmt: skip

    def processes(self) -> list[int]:
        """Return the processes that work in its clone, children included."""
        found = []
        for status in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                here = str(status.with_name("cwd").readlink())
                if here == str(self.clone) or f"/{self.clone.name}-" in here:
                    found.append(int(status.parent.name))
        return found


def run(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program to its end; give what it says."""
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def has_network() -> bool:
    """Whether a network can be made and cut here."""
    return os.geteuid() == 0 and shutil.which("ip") is not None


@contextmanager
def network() -> Iterator[tuple[str, ...]]:
    """Make a network namespace linked to this one, where we may; gives what starts a program there."""
    if not has_network():
        yield ()
        return
    for words in ("netns del " + SPACE, "link del spb0"):  # of a bench that was killed
        with suppress(SystemExit):
            run("ip", *words.split())
    run("ip", "netns", "add", SPACE)
    try:
        run("ip", "link", "add", "spb0", "type", "veth", "peer", "name", "spb1", "netns", SPACE)
        run("ip", "addr", "add", f"{HOST}/24", "dev", "spb0")
        run("ip", "link", "set", "spb0", "up")
        for words in (f"addr add {GUEST}/24 dev spb1", "link set spb1 up", "link set lo up"):
            run("ip", "-n", SPACE, *words.split())
        yield ("ip", "netns", "exec", SPACE)
    finally:
        run("ip", "netns", "del", SPACE)


def project(folder: Path, count: int) -> None:
    """Make the shared repository with its stories outside of it, in the clone of the first worker."""
    origin = folder / "origin"
    origin.mkdir(parents=True)
    (folder / "agent.py").write_text(AGENT)
    (folder / "ledger").touch()
    settings = SETTINGS.format(agent=folder / "agent.py", ledger=folder / "ledger", lease=LEASE_S)
    (origin / "setpoint.toml").write_text(settings)
    run("git", "init", "-q", "-b", "main", cwd=origin)
    run("git", "add", "-A", cwd=origin)
    run(
        "git",
        "-c",
        "user.name=Bench",
        "-c",
        "user.email=bench@localhost",
        "commit",
        "-qm",
        "Begin",
        cwd=origin,
    )
    run("git", "clone", "-q", "--bare", str(origin), str(folder / "shared.git"))
    for name in "abc":  # each worker has a clone of its own
        run("git", "clone", "-q", str(folder / "shared.git"), str(folder / name))
    stories = folder / "a" / ".setpoint" / "stories"
    stories.mkdir(parents=True)
    for number in range(1, count + 1):
        (stories / f"n{number}.md").write_text(STORY.format(id=f"n{number}"))


def migrate(server: Server, clone: Path) -> None:
    """Make the tables."""
    environment = {**os.environ, "SETPOINT_DATABASE": server.url()}
    run(str(SETPOINT), "db", "migrate", cwd=clone, env=environment)


def words_of(pid: int) -> list[str]:
    """Return the command line of a process; empty where it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
    return []
