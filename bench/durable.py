"""Measure what a step of a run costs beside a step of the bare engine, and what waiting runs cost a worker.

    python bench/durable.py [--steps 500] [--waiting 1000]

Steps run one after the other on SQLite and on a Postgres of its own: of DBOS alone, and as a run of Setpoint
takes them, with its fact in the record. Then a worker looks at a board on which so many runs wait for a
person, and its memory and threads are read before and after ten looks.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from dbos import DBOS, DBOSConfig
from scale_postgres import binaries, server

from setpoint.app.runs.standing_worker import StandingWorker
from setpoint.database.connect import migrate, open_store
from setpoint.durable.dbos import DbosEngine
from setpoint.durable.tables import migrate_engine
from setpoint.history.event_log import SqlEventLog
from setpoint.model.events.run import GateOpened, PhaseEntered, RunStarted
from setpoint.model.gate import Choice, Gate, GateKind, Option
from setpoint.model.ids import GateId, StoryId, TraceId
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.ports import Durable
from setpoint.runs.journal import Journal
from setpoint.testing.contracts.counted_run import order, outcome
from setpoint.wiring.project import open_project

Measured = Callable[[Path, str | None, int], float]


def ours(state: Path, url: str | None, steps: int) -> float:
    """Return seconds for the steps of a run, each with its fact in the record."""
    log = SqlEventLog(open_store(url or state))

    async def body(ordered: RunOrder, durable: Durable) -> RunOutcome:
        journal, began = Journal(ordered.trace_id, log, durable), time.perf_counter()

        async def act() -> PhaseEntered:
            return PhaseEntered(phase="implement", iteration=1)

        for number in range(steps):
            await journal.step(f"step-{number}", act, PhaseEntered)
        took.append(time.perf_counter() - began)
        return outcome()

    took: list[float] = []
    asyncio.run(DbosEngine(state, url).drive(order(), body))
    return took[0]


def bare(state: Path, url: str | None, steps: int) -> float:
    """Return seconds for steps of DBOS alone that return as much."""
    address = url or f"sqlite:///{state / 'bare.db'}"

    async def run() -> float:
        DBOS(config=DBOSConfig(name="bare-bench", system_database_url=address, log_level="ERROR"))

        @DBOS.workflow()
        async def flow() -> float:
            began = time.perf_counter()
            for number in range(steps):
                await DBOS.run_step_async({"name": f"step-{number}"}, act)
            return time.perf_counter() - began

        async def act() -> dict[str, str]:
            return {"kind": "phase.entered", "phase": "implement", "iteration": "1"}

        DBOS.launch()
        try:
            return await (await DBOS.start_workflow_async(flow)).get_result()
        finally:
            DBOS.destroy(destroy_registry=True)

    return asyncio.run(run())


def told(name: str, seconds: float, steps: int) -> None:
    """Print a row."""
    print(f"{name:28} {seconds * 1000 / steps:7.1f} ms a step {steps / seconds:7.0f} steps/s", flush=True)


def waiting(count: int) -> None:
    """Print memory and threads of a worker before and after looks at a board where that many runs wait."""
    folder = Path(tempfile.mkdtemp(prefix="setpoint-bench-durable-"))
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    (folder / "README.md").write_text("A project\n")
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    identity = ("-c", "user.name=Bench", "-c", "user.email=bench@localhost")
    subprocess.run(["git", "-C", str(folder), *identity, "commit", "-qm", "Begin"], check=True)
    project = open_project(folder)
    stories = project.state / "stories"
    stories.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name = StoryId(f"story-{number}")
        (stories / f"{name}.md").write_text(f"---\nid: {name}\ntitle: Story {number}\n---\n\nDo it.\n")
        run = TraceId(f"run-{number:06}")
        asked = order(run)
        asked = asked.model_copy(update={"story": asked.story.model_copy(update={"id": name})})
        gate = Gate(
            id=GateId("gate-1"),
            kind=GateKind.ESCALATION,
            question="Continue?",
            options=(Option(choice=Choice.CONTINUE, text="It continues."),),
            asked_at=datetime.now(UTC),
        )
        project.log.append(run, "run", (RunStarted(order=asked, workdir=""),))
        project.log.append(run, "gate-1", (GateOpened(gate=gate),))
    worker = StandingWorker(project, project.settings.board, (), lambda *_: None)
    for look in range(11):
        began = time.perf_counter()
        asyncio.run(worker.look())
        if look in (0, 10):
            status = Path("/proc/self/status").read_text().splitlines()
            told = dict(line.split(":", 1) for line in status)
            mib = int(told["VmRSS"].split()[0]) / 1024
            seconds = time.perf_counter() - began
            print(f"look {look:2}: {mib:6.0f} MiB, {told['Threads'].strip()} threads, {seconds:.1f} s")


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--steps", type=int, default=500)
    asked.add_argument("--waiting", type=int, default=1000)
    given = asked.parse_args()
    kinds: list[tuple[str, Measured]] = [
        ("DBOS alone", bare),
        ("Setpoint", ours),
    ]
    for name, measured in kinds:
        with tempfile.TemporaryDirectory() as state:
            told(f"{name}, SQLite", measured(Path(state), None, given.steps), given.steps)
    if binaries() is not None:
        with server() as url:
            migrate(url).close()
            migrate_engine(url)
            for name, measured in kinds:
                with tempfile.TemporaryDirectory() as state:
                    told(f"{name}, Postgres", measured(Path(state), url, given.steps), given.steps)
    waiting(given.waiting)


if __name__ == "__main__":
    main()
