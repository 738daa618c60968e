"""Measure what Setpoint itself takes: per iteration of a run, at the start of one, and for `setpoint --help`.

    python bench/overhead.py [--runs 3] [--json]

A real run on a real git repository with the real event log, work copy, reports and durable engine on SQLite;
only the agent and the evaluator are scripted, and their own time is taken off. A long run less a short one,
divided by the difference of their iterations, is what one more iteration costs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from setpoint.agents.rules import RulesAgent
from setpoint.app.runs.order import make_order, resolve_story
from setpoint.durable.dbos import DbosEngine
from setpoint.history.reports.run_report import write_all
from setpoint.model.ending import Ending
from setpoint.model.halter.prediction import HaltingTerms, choose
from setpoint.model.halting import TurnState
from setpoint.model.ids import TraceId
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.phase import loop
from setpoint.pipelines import render
from setpoint.ports import Durable, RunPorts
from setpoint.testing.agent import Act, ScriptedAgent
from setpoint.testing.evaluator import Scene, ScriptedEvaluator
from setpoint.wiring.project import Project, open_project
from setpoint.wiring.run_ports import SystemClock
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.work_copy import GitWorkspace

SHORT, LONG = 2, 10
FILES, LINES = 200, 50
"""Size of the repository: that many modules of that many lines."""
AIM_ITERATION_MS, AIM_PREDICTION_MS, AIM_HELP_S = 150.0, 5.0, 0.4


class Clocked:
    """Stands before a neighbour and adds up the time its methods take."""

    def __init__(self, inner: object, name: str, spent: dict[str, float]) -> None:
        self._inner, self._name, self._spent = inner, name, spent

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - stands for any method of a port
        found = getattr(self._inner, name)
        if not callable(found):
            return found
        if asyncio.iscoroutinefunction(found):

            async def waited(*arguments: object, **named: object) -> object:
                with taken(self._spent, self._name):
                    return await found(*arguments, **named)

            return waited

        def called(*arguments: object, **named: object) -> object:
            with taken(self._spent, self._name):
                return found(*arguments, **named)

        return called


def counting_processes() -> Callable[[], int]:
    """Count the processes started from now on; unlike seconds, the count is the same on any machine."""
    started = 0

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal started
        del arguments
        started += event == "subprocess.Popen"

    sys.addaudithook(heard)
    return lambda: started


@contextmanager
def taken(spent: dict[str, float], name: str) -> Iterator[None]:
    """Add the time that the block takes to an account."""
    began = time.perf_counter()
    try:
        yield
    finally:
        spent[name] += time.perf_counter() - began


def repository(folder: Path) -> Path:
    """Make a git repository of some size with one commit."""
    package = folder / "src" / "sample"
    package.mkdir(parents=True)
    for number in range(FILES):
        lines = [f"value_{line} = {number * line}" for line in range(LINES)]
        (package / f"module_{number}.py").write_text("\n".join(lines) + "\n", "utf-8")
    git = ["git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
    return folder


def scripted(iterations: int) -> tuple[ScriptedAgent, ScriptedEvaluator]:
    """Give an agent that changes a file each time, and an evaluator that is content with the last change."""
    acts = [Act(edits={"src/sample/module_0.py": f"value = {number}\n"}) for number in range(iterations)]
    red = [Scene(failing=(f"tests/test_sample.py::test_{number}",)) for number in range(iterations - 1)]
    return ScriptedAgent(*acts, name="mechanic"), ScriptedEvaluator(*red, Scene(), base=Scene())


def ports(project: Project, ordered: RunOrder, iterations: int, spent: dict[str, float]) -> RunPorts:
    """Wire the real neighbours around a scripted agent and evaluator, all of them clocked."""
    agent, evaluator = scripted(iterations)
    rules = RulesAgent()
    folder = project.run_folder(ordered.trace_id)

    def publish(trace_id: TraceId) -> None:
        with taken(spent, "reports"):
            write_all(folder, project.log.replay(trace_id))

    def clocked(inner: object, name: str) -> Any:  # noqa: ANN401 - stands for whatever it holds
        return Clocked(inner, name, spent)

    maker = clocked(agent, "agent")
    return RunPorts(
        agents={"maker": maker, "reviewer": rules, "planner": rules, "researcher": rules},
        workspace=clocked(GitWorkspace(project.folders), "workspace"),
        forge=clocked(GitBranchForge(project.root), "forge"),
        evaluator=clocked(evaluator, "evaluator"),
        log=clocked(project.log, "log"),
        durable=None,  # type: ignore[arg-type] # the loop puts the engine's in
        clock=SystemClock(),
        keep=project.artifacts.keep,
        read=project.artifacts.read,
        kept_at=project.artifacts.kept_at,
        render=partial(render, overrides=None),
        publish=publish,
        folder=str(folder),
    )


def one_run(project: Project, iterations: int) -> tuple[float, dict[str, float]]:
    """Drive one run; gives its seconds without agent and evaluator, and the seconds of each neighbour."""
    spent: dict[str, float] = defaultdict(float)
    ordered = make_order(
        project, resolve_story(project, f"make the failing tests pass in {iterations} ({time.time_ns()})")
    )
    ordered = ordered.model_copy(
        update={"limits": ordered.limits.model_copy(update={"max_iterations": LONG})}
    )

    async def body(recorded: RunOrder, durable: Durable) -> RunOutcome:
        with taken(spent, "run"):
            return await loop.drive(recorded, ports(project, recorded, iterations, spent), durable)

    began = time.perf_counter()
    outcome = asyncio.run(DbosEngine(project.state).drive(ordered, body))
    whole = time.perf_counter() - began
    if outcome.ending is not Ending.VERIFIED or outcome.iterations != iterations:
        raise SystemExit(f"the bench is wrong: {outcome.ending} after {outcome.iterations}: {outcome.reason}")
    own = spent["run"] - spent["agent"] - spent["evaluator"]
    spent["engine"] = whole - spent["run"]
    return own, dict(spent)


def help_seconds(times: int) -> float:
    """Give the median time of `setpoint --help`."""
    program = [str(Path(sys.executable).with_name("setpoint")), "--help"]

    def once() -> float:
        began = time.perf_counter()
        subprocess.run(program, check=True, capture_output=True)
        return time.perf_counter() - began

    once()
    return statistics.median(once() for _ in range(times))


def prediction_ms(times: int = 200) -> float:
    """Return the median time of one prediction of the halting policy, behind ten turns."""
    turns = tuple(
        TurnState(number=number, gates=False, failing=20 - number, quality=0.5, repeated=number % 2 == 0)
        for number in range(1, 11)
    )
    terms = HaltingTerms(max_turns=20, budget_usd=0)

    def once() -> float:
        began = time.perf_counter()
        choose(turns, terms)
        return (time.perf_counter() - began) * 1000

    return statistics.median(once() for _ in range(times))


def measured(runs: int) -> dict[str, float]:
    """Measure, and give every figure by name: medians, in milliseconds unless the name says seconds."""
    rows: list[dict[str, float]] = []
    started = math.nan
    processes = counting_processes()
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as folder:
        project = open_project(repository(Path(folder)), {"agents": {"maker": "mechanic"}})
        one_run(project, SHORT)
        for _ in range(runs):
            counts = [processes()]
            short, of_short = one_run(project, SHORT)
            counts.append(processes())
            long, of_long = one_run(project, LONG)
            counts.append(processes())
            steps = LONG - SHORT
            started = ((counts[2] - counts[1]) - (counts[1] - counts[0])) / steps
            row = {"iteration": (long - short) / steps}
            for name in ("workspace", "log", "reports"):
                row[f"iteration: {name}"] = (of_long[name] - of_short[name]) / steps
            row["start and end of a run"] = short - SHORT * row["iteration"]
            row["start and end of the engine"] = of_short["engine"]
            rows.append(row)
    figures = {
        f"{name} ms": round(statistics.median(row[name] for row in rows) * 1000, 1) for name in rows[0]
    }
    known = sum(figures[f"iteration: {name} ms"] for name in ("workspace", "log", "reports"))
    figures["iteration: steps of the engine and the loop itself ms"] = round(
        figures["iteration ms"] - known, 1
    )
    figures["processes started in an iteration"] = round(started, 1)
    figures["prediction for a halting decision ms"] = round(prediction_ms(), 3)
    figures["help s"] = round(help_seconds(max(runs, 3)), 3)
    return figures


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="pairs of runs to take the median of")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    figures = measured(given.runs)
    if given.json:
        print(json.dumps(figures, indent=2))
        return 0
    for name, figure in figures.items():
        print(f"{figure:10}  {name}")
    print(
        f"\naims: iteration at most {AIM_ITERATION_MS:g} ms, "
        f"prediction at most {AIM_PREDICTION_MS:g} ms, help at most {AIM_HELP_S:g} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
