"""Measure the record and the dashboard with 100,000 runs and 1,000,000 events, on SQLite and on Postgres.

    python bench/scale.py [--runs 100000] [--events 1000000] [--only sqlite|postgres] [--json FILE]

Some hundred runs are recorded by the product's own log, through the events of its domain: short ones that
ended soon, and full ones with tool calls, measurements, reviews, bounces and questions. Copies of them, with
new names, stories and times over 180 days, fill the tables; how many of each follows from the number of
events wanted per run. Then everything is measured through the product, beside the plainest SQL that does as
much on the same database in the same process. Pages are measured in the process that makes them.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi.routing import APIRoute
from scale_data import STORIES, Recorded, an_order, copied, question, recorded
from scale_postgres import server
from starlette.testclient import TestClient

from setpoint.app.project.access_keys import make_key, stored_keys
from setpoint.cli.app import COLLECT
from setpoint.cli.project.serve import _told
from setpoint.database.connect import Store, migrate, open_store
from setpoint.database.tables import EVENT, METRICS_DAY, METRICS_SNAPSHOT, RUN
from setpoint.history.event_log import SqlEventLog
from setpoint.history.metrics.metrics import report
from setpoint.history.replay import history
from setpoint.model import events as e
from setpoint.model.attempt import ToolCall
from setpoint.model.gate import opened_key
from setpoint.model.ids import TraceId
from setpoint.web.access import Access
from setpoint.web.app import DESCRIBED, PAGES, make_app
from setpoint.wiring.project import Project, open_project

DAYS = 180
SEED = 20260301
HOST = "127.0.0.1:7410"
LONG, LONGEST = 2000, "run-long0000000000"
"""Events of one run that is much longer than the others, and its name."""
REPLAYED = 20_000
"""Runs that are read back: enough to tell what a million events take."""
ASKING = 20
"""Runs that wait for a person, old ones among them."""
CARDS = 100
"""Stories with a file on the board."""
BATCH = 1000
SCRAPED = "#scraped"
"""Marks what Prometheus asks for; no server sees it."""
AIM_PAGE_MS, AIM_METRICS_S, AIM_APPEND, AIM_REPLAY_S = 300.0, 1.0, 15_000, 3.0
Figures = dict[str, Any]


def timed(what: Callable[[], object]) -> float:
    """Give the seconds that something takes."""
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def fill(store: Store, root: Path, runs: int, events: int) -> Figures:
    """Fill the tables with so many runs and about so many events; gives what was made."""
    chance, now = random.Random(SEED), datetime.now(UTC)
    begins = now - timedelta(days=DAYS)
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as folder:
        small = open_store(Path(folder))
        short, full = recorded(small, root, begins, 200, chance)
        small.close()
    lengths = [statistics.fmean(len(each.events) for each in some) for some in (short, full)]
    share = min(max((events / runs - lengths[0]) / (lengths[1] - lengths[0]), 0.0), 1.0)
    made: list[Recorded] = []
    for number in range(runs):
        original = chance.choice(full if chance.random() < share else short)
        later = timedelta(days=DAYS) * (number / runs) * 0.9995
        made.append(copied(original, f"run-{number:014}", number, later))
        if len(made) == BATCH:
            _write(store, made)
            made = []
    _write(store, made)
    _special(store, root, runs, now)
    with store.reading() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("ANALYZE"))
        told = connection.execute(
            sa.select(sa.func.count(), sa.func.avg(sa.func.length(EVENT.c.body))).select_from(EVENT)
        ).one()
        kinds = connection.execute(sa.select(EVENT.c.kind, sa.func.count()).group_by(EVENT.c.kind)).all()
    return {
        "runs": runs + ASKING + 1,
        "events": told[0],
        "mean_body_bytes": round(float(told[1])),
        "kinds": dict(map(tuple, kinds)),
    }


def _write(store: Store, made: list[Recorded]) -> None:
    if not made:
        return
    with store.writing() as connection:
        connection.execute(sa.insert(RUN), [each.run for each in made])
        connection.execute(sa.insert(EVENT), [row for each in made for row in each.events])


def _special(store: Store, root: Path, runs: int, now: datetime) -> None:
    """Add what is rare: runs that wait for a person, one of them long ago, and one with very many events."""
    for number in range(ASKING):
        at = now - timedelta(days=DAYS * number / ASKING)
        log = SqlEventLog(store, now=_always(at))
        trace = f"run-asking{number:08}"
        log.append(
            TraceId(trace),
            "start",
            [e.RunStarted(order=an_order(root, trace, runs + number, at), workdir="/copy")],
        )
        gate = question("escalation-1", at)
        log.append(TraceId(trace), opened_key(gate.id), [e.GateOpened(gate=gate)])
    log = SqlEventLog(store)
    trace = LONGEST
    log.append(TraceId(trace), "start", [e.RunStarted(order=an_order(root, trace, 7, now), workdir="/copy")])
    log.append(TraceId(trace), "calls", calls(LONG))


def calls(count: int) -> list[e.Body]:
    """Give so many calls of tools, the most frequent event there is."""
    return [
        e.ToolExecuted(
            phase="implement",
            iteration=1,
            label="implement-1",
            call=ToolCall(
                id=f"t{number}", name="bash", title="pytest -q tests/test_basket.py", ok=True, duration_s=0.5
            ),
        )
        for number in range(count)
    ]


def appending(store: Store) -> Figures:
    """Append single events, and batches of many, beside raw inserts of the same rows."""
    log, trace = SqlEventLog(store), TraceId("run-append00000000")
    bodies = calls(BATCH)
    batches = [timed(partial(log.append, trace, f"batch-{n}", bodies)) for n in range(20)]
    singles = [timed(partial(log.append, trace, f"one-{n}", bodies[:1])) for n in range(200)]
    raw = [timed(partial(_raw_insert, store, f"run-raw{n:011}", bodies)) for n in range(20)]
    rate, raw_rate = BATCH / statistics.median(batches), BATCH / statistics.median(raw)
    return {
        "events_per_s": round(rate),
        "raw_events_per_s": round(raw_rate),
        "times_raw": round(raw_rate / rate, 2),
        "single_ms": round(1000 * statistics.median(singles), 2),
        "batch": BATCH,
        "met": rate >= AIM_APPEND,
    }


def _raw_insert(store: Store, trace: str, bodies: list[e.Body]) -> None:
    """Insert ready rows in one transaction by the driver itself."""
    at = "2026-01-01 00:00:00.000000"
    rows = [
        (f"evt-{trace}{n}", trace, n, at, "tool.executed", "k", n, "{}" + " " * 280)
        for n in range(len(bodies))
    ]
    with store.writing() as connection:
        mark = "%s" if connection.dialect.name == "postgresql" else "?"
        names = "id, trace_id, seq, at, kind, key, place, body"
        statement = f"INSERT INTO event ({names}) VALUES ({', '.join([mark] * 8)})"
        connection.connection.cursor().executemany(statement, rows)


def replaying(store: Store) -> Figures:
    """Read runs back as typed events, many at once and one by one, beside reading as many rows raw."""
    log = SqlEventLog(store)
    traces = log.traces()[-REPLAYED:]
    read = sum(len(log.replay(trace)) for trace in traces[:100])  # the machine's caches are warm for all
    parts = [traces[first : first + 500] for first in range(0, len(traces), 500)]
    read, cpu = 0, time.process_time()
    began = time.perf_counter()
    for part in parts:
        read += sum(map(len, log.replays(part).values()))
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    raw = timed(lambda: _raw_read(store, read))
    single = [timed(partial(_history, log, trace)) for trace in traces[:300]]
    long = [timed(partial(_history, log, TraceId(LONGEST))) for _ in range(5)]
    million = 1_000_000 / read
    return {
        "events": read,
        "s_per_million": round(seconds * million, 2),
        "cpu_s_per_million": round(cpu * million, 2),
        "raw_s_per_million": round(raw * million, 2),
        "times_raw": round(seconds / raw, 1),
        "history_of_a_run_ms": round(1000 * statistics.median(single), 2),
        f"history_of_{LONG}_events_ms": round(1000 * statistics.median(long), 1),
        "met": seconds * million <= AIM_REPLAY_S,
    }


def _always(at: datetime) -> Callable[[], datetime]:
    return lambda: at


def _history(log: SqlEventLog, trace: TraceId) -> object:
    return history(log.replay(trace))


def _raw_read(store: Store, limit: int) -> int:
    with store.reading() as connection:
        cursor: Any = connection.connection.cursor()
        cursor.execute(f"SELECT id, trace_id, seq, at, kind, key, place, body FROM event LIMIT {limit}")
        return sum(1 for _ in cursor)


def measuring(store: Store) -> Figures:
    """Compute the metrics: for the first time, once more, and the reports of days that are over."""
    with store.writing() as connection:
        connection.execute(sa.delete(METRICS_DAY))
        connection.execute(sa.delete(METRICS_SNAPSHOT))
    now = datetime.now(UTC)
    first = timed(lambda: report(store, 90, now))
    again = {days: [timed(partial(report, store, days, now)) for _ in range(5)] for days in (7, 30, 90)}
    raw = timed(lambda: _raw_count(store))
    warm = {days: round(max(times), 3) for days, times in again.items()}
    return {
        "first_90_days_s": round(first, 2),
        "warm_s": warm,
        "raw_count_by_kind_s": round(raw, 3),
        "times_raw": round(max(warm.values()) / raw, 2),
        "met": max(warm.values()) < AIM_METRICS_S,
    }


def _raw_count(store: Store) -> None:
    with store.reading() as connection:
        connection.execute(sa.text("SELECT kind, count(*) FROM event GROUP BY kind")).all()


def pages(project: Project, rounds: int, runs: int) -> Figures:
    """Ask for every page and every list of the JSON API, and give the 95th percentile of each.

    The seconds of the processor are those of this process, which does not hold Postgres' own.
    """
    token = make_key(project, "read")
    access = Access(keys=lambda: stored_keys(project.state))
    app = make_app(project, access, [HOST], _told)
    visitor = TestClient(app, base_url=f"http://{HOST}")
    visitor.headers |= {"authorization": f"Bearer {token}"}
    chance, found = random.Random(SEED), {}
    for path in _paths():
        walls, cpus = zip(*(_asked(visitor, _named(path, chance, runs)) for _ in range(rounds)), strict=True)
        found[path] = {
            "p50_ms": round(statistics.median(walls), 1),
            "p95_ms": round(_p95(walls), 1),
            "cpu_p95_ms": round(_p95(cpus), 1),
        }
    slow = [path for path, each in found.items() if each["p95_ms"] > AIM_PAGE_MS]
    slow_cpu = [path for path, each in found.items() if each["cpu_p95_ms"] > AIM_PAGE_MS]
    return {"pages": found, "slow": slow, "slow_by_processor": slow_cpu, "met": not slow}


def _asked(visitor: TestClient, where: str) -> tuple[float, float]:
    """Ask for a page; gives the milliseconds by the clock, and of the processor."""
    kind = "application/json" if where.startswith("/api/") else "text/html"
    kind = "text/plain" if where.endswith(SCRAPED) else kind
    began, cpu = time.perf_counter(), time.process_time()
    answer = visitor.get(where, headers={"accept": kind})
    taken = 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - cpu)
    if answer.status_code >= 400:
        raise SystemExit(f"{where}: {answer.status_code} {answer.text[:500]}")
    return taken


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


def _named(path: str, chance: random.Random, runs: int) -> str:
    return path.format(
        run=f"run-{chance.randrange(runs):014}",
        long=LONGEST,
        asking=f"run-asking{chance.randrange(ASKING):08}",
    )


def _paths() -> list[str]:
    """Give every page and list without a parameter, and what there is to see of three kinds of runs."""
    plain = [
        route.path
        for router in (*(each for each, _ in DESCRIBED), *PAGES)
        for route in router.routes
        if isinstance(route, APIRoute)
        and "GET" in (route.methods or ())
        and "{" not in route.path
        and not route.path.startswith(("/login", "/favicon", "/static"))
    ]
    return [
        *plain,
        *(
            f"/metrics{SCRAPED}",
            "/metrics?days=30",
            "/metrics?days=90",
            "/api/v1/metrics?days=90",
            "/api/v1/runs?most=500",
        ),
        *("/runs/{run}", "/runs/{long}", "/runs/{asking}", "/runs/{run}/report"),
        *("/api/v1/runs/{run}", "/api/v1/runs/{long}/events"),
    ]


@contextmanager
def project_on(place: Path, url: str | None) -> Iterator[Project]:
    """Open a repository whose record lies in its own SQLite file, or at a URL."""
    place.mkdir()
    subprocess.run(["git", "init", "-q", place], check=True)
    stories = place / ".setpoint" / "stories"
    stories.mkdir(parents=True)
    for number in range(CARDS):
        name = f"story-{number * STORIES // CARDS:04}"
        (stories / f"{name}.md").write_text(
            f"---\nid: {name}\npriority: 100\n---\n# Totals must be right {name}\n", "utf-8"
        )
    project = open_project(place)
    if url is not None:
        project.store.close()
        store = migrate(url)
        project = project._replace(store=store)
    try:
        yield project
    finally:
        project.store.close()


def measured(name: str, options: argparse.Namespace) -> Figures:
    """Fill a database and measure everything on it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="setpoint-bench-")))
        url = stack.enter_context(server()) if name == "postgres" else None
        project = stack.enter_context(project_on(folder / "project", url))
        found: Figures = {}
        steps: dict[str, Callable[[], Figures]] = {
            "filled": lambda: fill(project.store, project.root, options.runs, options.events),
            "replay": lambda: replaying(project.store),
            "metrics": lambda: measuring(project.store),
            "pages": lambda: pages(project, options.rounds, options.runs),
            "append": lambda: appending(project.store),
        }
        for step, play in steps.items():
            began = time.perf_counter()
            found[step] = play()
            seconds = time.perf_counter() - began
            load = f"load {os.getloadavg()[0]:.1f}"
            print(f"{name} {step} ({seconds:.1f} s, {load}): {json.dumps(found[step])}", flush=True)
        return found


def main() -> int:
    """Measure and print; exit 1 where an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    gc.set_threshold(*COLLECT)  # as the command line does
    names = [options.only] if options.only else ["sqlite", "postgres"]
    found = {name: measured(name, options) for name in names}
    if options.json:
        options.json.write_text(json.dumps(found, indent=2), "utf-8")
    missed = [
        f"{name}: {step}"
        for name, each in found.items()
        for step, told in each.items()
        if told.get("met") is False
    ]
    print("missed: " + ", ".join(missed) if missed else "every aim is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
