"""Let three workers share a Postgres while everything breaks, and count what was lost or done twice.

    python bench/workers.py [--runs 300] [--pause 60]

It makes a project with that many stories, starts workers in clones of their own, and until all stories are
delivered breaks something at random: `kill -9` of a worker or of a run, SIGSTOP of a worker with all its
processes for longer than its lease, a cut of its network (as root, in a network namespace), a restart of
Postgres. Then it reads the record, the shared repository and the ledger that the scripted agent wrote, and
prints what is wrong; exit code 1 if anything is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from scale_postgres import as_somebody, binaries, free_port

SETPOINT = Path(sys.executable).with_name("setpoint")
HOST, GUEST = "10.77.0.1", "10.77.0.2"
SPACE = "setpoint-bench"
LEASE_S = 15.0
MOST_S = 5400.0
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

    def rows(self, query: str) -> list[tuple]:
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


def run(*words: str, cwd: Path | None = None, **more: object) -> str:
    """Run a program to its end; give what it says."""
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, **more)
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


class Trouble:
    """What breaks, and how long it took until somebody else held what was lost."""

    def __init__(self, server: Server, workers: list[Worker], seed: int) -> None:
        self.server, self.workers, self.dice = server, workers, random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.lost: dict[str, tuple[float, int]] = {}
        """Runs whose process was lost: when, and in which epoch."""
        self.taken_s: list[float] = []
        self.later: list[tuple[float, Callable[[], None]]] = []

    def step(self) -> None:
        """Break one thing."""
        kinds = [self.kill_worker, self.kill_run, self.freeze, self.restart]
        kinds += [self.cut] if self.workers[-1].inside else []
        kind = self.dice.choice(kinds)
        self.counts[kind.__name__] += 1
        kind()

    def watch(self) -> None:
        """Do what is due, begin ended workers again, and see which lost runs are held again."""
        for when, act in [each for each in self.later if each[0] <= time.monotonic()]:
            self.later.remove((when, act))
            act()
        for worker in self.workers:
            worker.keep()
        if not self.lost:
            return
        with suppress(psycopg.Error):
            for name, epoch in self.server.rows("SELECT name, epoch FROM lease"):
                if name in self.lost and epoch > self.lost[name][1]:
                    self.taken_s.append(time.monotonic() - self.lost.pop(name)[0])

    def note(self, pids: list[int]) -> None:
        """Remember the runs that processes hold which are about to be lost."""
        with suppress(psycopg.Error):
            held = self.server.rows(
                "SELECT name, holder, epoch FROM lease WHERE until > now() AND name LIKE 'run-%'"
            )
            for name, holder, epoch in held:
                if int(holder.split(":")[1]) in pids:
                    self.lost[name] = (time.monotonic(), epoch)

    def kill_worker(self) -> None:
        """Kill a worker, as a crash does."""
        worker = self.dice.choice(self.workers)
        if worker.process is not None and not worker.stopped:
            pids = worker.processes()
            self.note(pids)
            for pid in pids:
                if "work" in words_of(pid):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)

    def kill_run(self) -> None:
        """Kill the process of a run."""
        found = [
            pid for each in self.workers if not each.stopped for pid in each.processes()
            if {"run", "resume"} & set(words_of(pid))
        ]  # fmt: skip
        if found:
            with suppress(ProcessLookupError):
                os.kill(self.dice.choice(found), signal.SIGKILL)

    def freeze(self) -> None:
        """Stop a worker with all its processes for longer than its leases."""
        worker = self.dice.choice(self.workers)
        if worker.stopped or worker.process is None:
            return
        worker.stopped = worker.processes()
        self.note(worker.stopped)
        for pid in worker.stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

        def wake() -> None:
            for pid in worker.stopped:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            worker.stopped = []

        self.later.append((time.monotonic() + 1.8 * LEASE_S, wake))

    def restart(self) -> None:
        """Restart the database, half of the times without a farewell."""
        self.server.end(self.dice.choice([signal.SIGINT, signal.SIGQUIT]))
        time.sleep(self.dice.uniform(0, 2))
        self.server.start()

    def cut(self) -> None:
        """Cut the network of the last worker for longer than its leases."""
        worker = self.workers[-1]
        if worker.stopped:
            return
        self.note(worker.processes())
        run("ip", "link", "set", "spb0", "down")
        self.later.append(
            (time.monotonic() + 1.8 * LEASE_S, lambda: run("ip", "link", "set", "spb0", "up") and None)
        )


def judged(server: Server, folder: Path, count: int) -> list[str]:
    """Return what is wrong in the end."""
    wrong = []
    runs = server.rows("SELECT story_id, trace_id, state, ending, branch FROM run")
    good = Counter(
        story for story, _, state, ending, _ in runs if (state, ending) == ("finished", "verified")
    )
    wrong += [
        f"n{each}: verified {good[f'n{each}']} times" for each in range(1, count + 1) if good[f"n{each}"] != 1
    ]
    wrong += [
        f"{trace} of {story} is {state} {ending}"
        for story, trace, state, ending, _ in runs
        if state != "finished"
    ]
    for kind in ("run.started", "run.finished"):
        twice = server.rows(
            f"SELECT trace_id FROM event WHERE kind = '{kind}' GROUP BY 1 HAVING count(*) > 1"
        )
        wrong += [f"{trace}: {kind} twice" for (trace,) in twice]
    gaps = server.rows("SELECT trace_id FROM event GROUP BY 1 HAVING max(seq) <> count(*)")
    wrong += [f"{trace}: its events have a gap" for (trace,) in gaps]
    branches = run(
        "git", "for-each-ref", "--format=%(refname:short)", "refs/heads/setpoint/", cwd=folder / "shared.git"
    )
    names = Counter(re.sub(r"-\d+$", "", each) for each in branches.split())
    wrong += [
        f"n{each}: {names[f'setpoint/n{each}']} branches"
        for each in range(1, count + 1)
        if names[f"setpoint/n{each}"] != 1
    ]
    return wrong


def main() -> None:
    """Make the project, break things, judge."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=300)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument(
        "--pause", type=float, default=12.0, help="Seconds between two faults, on average; 0: none."
    )
    asked.add_argument("--keep", type=Path, help="Folder to keep; default: a temporary one, removed.")
    given = asked.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="setpoint-bench-workers-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    tools = binaries()
    if tools is None:
        raise SystemExit("no Postgres here: install the package `postgresql`")
    place = folder / "postgres"
    place.mkdir()
    with network() as inside:
        server = Server(place, tools, free_port())
        server.make()
        workers: list[Worker] = []
        try:
            project(folder, given.runs)
            migrate(server, folder / "a")
            workers = [Worker(folder / name, server.url()) for name in "ab"]
            workers.append(Worker(folder / "c", server.url(host=HOST) if inside else server.url(), inside))
            report(watched(server, workers, given), server, folder, given.runs)
        finally:
            for worker in workers:
                for pid in worker.processes():
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            server.end()
    if given.keep is None:
        shutil.rmtree(folder)


def watched(server: Server, workers: list[Worker], given: argparse.Namespace) -> Trouble:
    """Break things until all is delivered; then let the workers end."""
    trouble, began, breaks = Trouble(server, workers, given.seed), time.monotonic(), time.monotonic() + 20
    done = 0
    while time.monotonic() - began < MOST_S:
        trouble.watch()
        with suppress(psycopg.Error):
            now = server.rows(
                "SELECT count(DISTINCT story_id) FROM run WHERE state = 'finished' AND ending = 'verified'"
            )
            if now[0][0] // 25 > done // 25:
                print(
                    f"{time.monotonic() - began:.0f} s: {now[0][0]} delivered, faults {dict(trouble.counts)}",
                    flush=True,
                )
            done = now[0][0]
            if done >= given.runs and not trouble.later:
                break
        if given.pause and time.monotonic() > breaks and done < given.runs:
            trouble.step()
            breaks = time.monotonic() + trouble.dice.uniform(0.5, 1.5) * given.pause
        time.sleep(0.5)
    print(f"{done} of {given.runs} stories in {time.monotonic() - began:.0f} s")
    return trouble


def report(trouble: Trouble, server: Server, folder: Path, count: int) -> None:
    """Print what came of it; end with exit code 1 where something is wrong."""
    wrong = judged(server, folder, count)
    begun = Counter(line.split()[0] for line in (folder / "ledger").read_text().splitlines())
    attempts = {
        kind: dict(server.rows(
            "SELECT story_id, count(*) FROM event JOIN run USING (trace_id) "
            f"WHERE kind = 'agent.{kind}' AND key LIKE 'implement%' GROUP BY 1"
        ))
        for kind in ("started", "finished")
    }  # fmt: skip
    wrong += [f"{each}: paid {count} times, recorded {attempts['started'].get(each, 0)} times"
              for each, count in begun.items() if count > attempts["started"].get(each, 0)]  # fmt: skip
    wrong += [
        f"{each}: {count} attempts came to their end"
        for each, count in attempts["finished"].items()
        if count > 1
    ]
    told = {
        "faults": dict(trouble.counts),
        "worker_starts": [each.starts for each in trouble.workers],
        "attempts_begun": sum(begun.values()),
        "attempts_ended": sum(attempts["finished"].values()),
        "takeovers": len(trouble.taken_s),
        "takeover_s": {
            "median": round(statistics.median(trouble.taken_s or [0]), 1),
            "max": round(max(trouble.taken_s or [0]), 1),
            "lease": LEASE_S,
        },
        "refused_late": {
            word: sum(text.count(word) for text in (each.read_text() for each in folder.glob("?.log")))
            for word in ("is recorded", "is pushed", "another worker goes on")
        },
        "wrong": wrong,
    }
    print(json.dumps(told, indent=2))
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
