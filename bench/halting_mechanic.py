"""Make a log of runs of the built-in mechanic on seeded bugs, for `setpoint halting replay`.

    python bench/halting_mechanic.py FOLDER --minutes 60 --runs 330
    python bench/halting_mechanic.py FOLDER --export mechanic.csv.gz

The loop and the mechanic are the real ones. Each run gets a small package with one to three bugs and the
tests that show them. Guards are off: a run ends where its gates pass or at the limit, so replay is exact.
**Hidden tests**, many more calls of the same functions, are compared with the original program on the tree of
every iteration; neither the mechanic nor the loop sees them. A finished run is a line of `FOLDER/runs.jsonl`;
the same command again makes those that are missing. The mechanic costs no money: `--cost` is what each turn
is taken to cost.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import gzip
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from halting_intercode import COLUMNS
from halting_packages import PACKAGES
from memory_bugs import Suite
from repair_bugs import chosen, sites

from setpoint.history.own_runs import own_run
from setpoint.history.replay import history
from setpoint.model.attempt import Attempt, Brief
from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Failure
from setpoint.model.ids import TraceId, Tree
from setpoint.model.run import RunOrder
from setpoint.phase import loop
from setpoint.ports import Measured, Observer
from setpoint.ports.toolkit import CommandRequest, CommandResult
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import RunHarness, Scene, evaluation, failure
from setpoint.wiring.toolkit import HostToolkit
from setpoint_mechanic.repair import MechanicAgent
from setpoint_probe.source.source import FunctionNode, Source, splice

LIMIT = 6
"""Iterations of a run that does not pass."""
FULL = Limits(
    max_iterations=LIMIT,
    max_refinement_attempts=10,
    max_rounds_without_gain=0,
    max_rounds_worse=0,
    max_same_review_issue=99,
    max_same_test_failure=99,
    repeated_findings=99,
    restart_on_repeat=False,
    max_empty_diffs=99,
    max_cost_usd=Decimal(0),
    max_wall_s=900.0,
    enough_left=False,
)
"""Nothing but the limit ends a run that does not pass."""
SEEN, HIDDEN = 4, 40
"""Calls of each function in the tests of the package, and in the hidden ones."""
BUGS = (1, 1, 1, 2, 2, 3)
"""How many bugs a run has, drawn evenly from these."""
CPU_S = 3.0
"""CPU seconds that the mechanic may search in one iteration."""
WALL_S = 60.0
"""Wall seconds for the same: so many that a busy machine does not change what is found."""
CALLS = """
import importlib, json, signal, sys
sys.path.insert(0, sys.argv[1])
signal.alarm(int(sys.argv[2]))
made = []
for name, given in eval(sys.stdin.read()):
    try:
        made.append(repr(getattr(importlib.import_module("package"), name)(*given)))
    except Exception as error:
        made.append(type(error).__name__)
print(json.dumps(made))
"""
Call = tuple[str, tuple[object, ...]]
Task = dict[str, Any]


def results(source: str, calls: Iterable[Call]) -> list[str] | None:
    """Return what each call gives, in a process of its own; none where they do not end or cannot be made."""
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as place:
        (Path(place) / "package.py").write_text(source, encoding="utf-8")
        argv = [sys.executable, "-B", "-c", CALLS, place, "4"]
        done = subprocess.run(argv, input=repr(list(calls)), capture_output=True, text=True, check=False)
    return list(json.loads(done.stdout)) if done.returncode == 0 else None


def drawn_calls(package: str, most: int, seed: str) -> list[Call]:
    """Draw calls of each function of a package, none twice."""
    found: dict[str, Call] = {}
    for name, draw in PACKAGES[package][1].items():
        rng = random.Random(f"{seed} {name}")
        wanted = len(found) + most
        for _ in range(20 * most):
            call = (name, draw(rng))
            if len(found) < wanted:
                found.setdefault(repr(call), call)
    return list(found.values())


def task(number: int) -> Task:
    """Draw the bugs of a run: each turns at least one of the visible tests red, and all of them together."""
    rng = random.Random(f"halting mechanic {number}")
    package = rng.choice(sorted(PACKAGES))
    right = PACKAGES[package][0].lstrip()
    calls = drawn_calls(package, SEEN, f"seen {number}")
    expected = results(right, calls) or []
    wanted = rng.choice(BUGS)
    broken, bugs, before = right, list[dict[str, str]](), expected
    while len(bugs) < wanted:
        used = {bug["function"] for bug in bugs}
        made = _mutant(broken, rng, used)
        found = results(made[0], calls) if made else None
        if made is None or found is None:
            continue
        name = made[1]["function"]
        if any(found[at] != before[at] for at, call in enumerate(calls) if call[0] == name):
            broken, before = made[0], found
            bugs.append(made[1])
    return {
        "package": package,
        "right": right,
        "broken": broken,
        "bugs": bugs,
        "tests": _tests(calls, expected),
    }


def _mutant(text: str, rng: random.Random, used: set[str]) -> tuple[str, dict[str, str]] | None:
    source = Source("package.py", text.encode())
    functions = [
        node for node in source.tree.body if isinstance(node, FunctionNode) and node.name not in used
    ]
    function = rng.choice(functions)
    if (drawn := chosen(sites(source, function), rng)) is None:
        return None
    family, kind, edits = drawn
    made = splice(source.data, edits).decode()
    try:
        compile(made, "package.py", "exec")
    except SyntaxError:
        return None
    return made, {"function": function.name, "family": family, "kind": kind}


def _tests(calls: list[Call], expected: list[str]) -> str:
    lines = ["import pytest", "", "import package", ""]
    for number, ((name, given), result) in enumerate(zip(calls, expected, strict=True), start=1):
        call = f"package.{name}({', '.join(map(repr, given))})"
        lines += ["", f"def test_{name}_{number}():"]
        if result.endswith("Error"):
            lines += [f"    with pytest.raises({result}):", f"        {call}"]
        else:
            lines += [f"    assert {call} == {result}"]
    return "\n".join([*lines, ""])


class Tests(Suite):
    """Runs the tests of the package on each tree, once for each."""

    def __init__(self, total: int) -> None:
        """Expect so many tests."""
        super().__init__("")
        self._total = total
        self._known: dict[str, tuple[str, ...]] = {}

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Run the tests, or recall how they came out on this tree."""
        del order
        if measured.tree not in self._known:
            self._known[measured.tree] = await asyncio.to_thread(_red, Path(measured.copy.path))
        names = self._known[Tree(measured.tree)]
        red = tuple(failure(name, "failed") for name in names)
        return evaluation(
            measured.stage,
            measured.commit,
            measured.tree,
            Scene(failing=red, passed=self._total - len(red)),
        )


def _red(root: Path) -> tuple[str, ...]:
    """Name the failing tests; all of them where they do not end."""
    argv = [sys.executable, "-B", "-m", "pytest", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", "tests"]
    environment = {"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    try:
        done = subprocess.run(
            argv, cwd=root, env=environment, capture_output=True, text=True, timeout=20, check=False
        )
    except subprocess.TimeoutExpired:
        return ("tests/test_package.py",)
    found = (line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR ")))
    return tuple(found)


class Patient(HostToolkit):
    """Limits a search by CPU time alone."""

    async def run_command(
        self, request: CommandRequest, on_line: Callable[[bytes], None] | None = None
    ) -> CommandResult:
        """Run a command, the engine's with less CPU time than it was given."""
        for each in map(Path, request.argv):
            if each.name == "request.json":
                asked = json.loads(each.read_text(encoding="utf-8"))
                each.write_text(json.dumps({**asked, "cpu_s": CPU_S}), encoding="utf-8")
        return await super().run_command(request, on_line)


class Once:
    """The mechanic, which is not asked again where it would see the same and changed nothing.

    Its search depends on the tree, the failing tests and what it offered before, and on no chance.
    """

    name = "mechanic"

    def __init__(self, mechanic: MechanicAgent) -> None:
        """Ask this one."""
        self._mechanic = mechanic
        self._idle: dict[tuple[str, tuple[Failure, ...]], Attempt] = {}

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Make an attempt, or give the same again."""
        path = Path(brief.workdir) / "package.py"
        seen = (path.read_text(encoding="utf-8"), brief.failures)
        if seen in self._idle:
            return self._idle[seen]
        made = await self._mechanic.attempt(brief, observer)
        if path.read_text(encoding="utf-8") == seen[0] and made.breakage is None:
            self._idle[seen] = made
        return made

    async def close(self) -> None:
        """Nothing is kept running between attempts."""


async def ran(number: int, folder: Path) -> dict[str, Any]:
    """Drive one run; gives its turns with the outcome of the hidden tests on each."""
    began = time.monotonic()
    given = task(number)
    toolkit = Patient(Artifacts(folder / "artifacts"), folder / "scratch")
    harness = RunHarness(
        agent=Once(MechanicAgent(toolkit, search_s=WALL_S, alternatives_s=0.5)),
        evaluator=Tests(given["tests"].count("\ndef test_")),
        folder=folder,
        files={
            "package.py": given["broken"],
            "tests/test_package.py": given["tests"],
            "pytest.ini": "[pytest]\npythonpath = .\n",
        },
        limits=FULL,
    )
    order = harness.order(trace_id=TraceId(f"mechanic-{number:03}"))
    outcome = await loop.drive(order, harness.ports(), harness.durable)
    events = harness.log.replay(order.trace_id)
    logged = own_run(events)
    if logged is None:
        raise SystemExit(f"run {number} has no turn: {outcome}")
    calls = drawn_calls(given["package"], HIDDEN, f"hidden {number}")
    wanted = results(given["right"], calls)
    texts = [
        harness.workspace.files(each.snapshot.commit)["package.py"].decode()
        for each in history(events).rounds
    ]
    right = {text: results(text, calls) == wanted for text in dict.fromkeys(texts)}
    return {
        "run": logged.run,
        "agent": logged.agent,
        "group": f"{given['package']}.{given['bugs'][0]['function']}",
        "kind": f"{len(given['bugs'])} bug{'s' * (len(given['bugs']) > 1)}",
        "bugs": given["bugs"],
        "ending": outcome.ending,
        "turns": [turn.model_dump(mode="json") for turn in logged.turns],
        "verified": [right[text] for text in texts],
        "full": logged.full,
        "seconds": round(time.monotonic() - began, 1),
    }


def rows(runs: Iterable[dict[str, Any]], cost_usd: float) -> Iterator[dict[str, object]]:
    """Return a row of the schema for each turn."""
    for run in runs:
        for turn, verified in zip(run["turns"], run["verified"], strict=True):
            yield {
                **{name: run[name] for name in ("run", "agent", "group", "kind")},
                "turn": turn["number"],
                "gates": int(turn["gates"]),
                "failing": turn["failing"],
                "quality": "" if turn["quality"] is None else round(turn["quality"], 4),
                "repeated": int(turn["repeated"]),
                "cost_usd": cost_usd,
                "verified": int(verified),
                "full": int(run["full"]),
            }


def kept(file: Path) -> list[dict[str, Any]]:
    """Return the finished runs."""
    return (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    )


def export(runs: list[dict[str, Any]], target: Path, cost_usd: float) -> None:
    """Write the log, gzipped where its name says so, the same bytes each time."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(runs, cost_usd))
    data = stream.getvalue().encode()
    target.write_bytes(gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
    print(f"{target}: {len(runs)} runs")


def main() -> int:
    """Make the runs that are missing until the time is over, or write the log."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of the finished runs")
    parser.add_argument("--runs", type=int, default=330)
    parser.add_argument("--minutes", type=float, default=75.0, help="no run is begun after so many minutes")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write the log of what is finished")
    parser.add_argument("--cost", type=float, default=0.3, help="US dollars that a turn is taken to cost")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    file, ends = given.folder / "runs.jsonl", time.monotonic() + 60 * given.minutes
    if given.export is not None:
        export(sorted(kept(file), key=lambda run: str(run["run"])), given.export, given.cost)
        return 0
    os.nice(5)
    known = {run["run"] for run in kept(file)}
    for number in range(given.runs):
        if f"mechanic-{number:03}" in known or time.monotonic() > ends:
            continue
        with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as place:
            made = asyncio.run(ran(number, Path(place)))
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(made) + "\n")
        print(made["run"], made["ending"], len(made["turns"]), made["seconds"], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
