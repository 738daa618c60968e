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
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
from scale_postgres import binaries, free_port
from workers_team import HOST, LEASE_S, Server, Worker, migrate, network, project, run, words_of

MOST_S = 5400.0


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

        def join() -> None:
            run("ip", "link", "set", "spb0", "up")

        self.later.append((time.monotonic() + 1.8 * LEASE_S, join))


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
                "SELECT count(DISTINCT story_id) FROM run WHERE state IN ('finished', 'waiting')"
            )
            if now[0][0] // 25 > done // 25:
                print(
                    f"{time.monotonic() - began:.0f} s: {now[0][0]} ended, faults {dict(trouble.counts)}",
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
            for word in ("is recorded", "is pushed", "another worker continues")
        },
        "wrong": wrong,
    }
    print(json.dumps(told, indent=2))
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
