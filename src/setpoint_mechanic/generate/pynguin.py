"""Pynguin (Lukasczyk and Fraser 2022) as one who writes tests: a process of its own that can be ended.

It is not installed by Setpoint: it pins versions of what others need too. The setting `cover.pynguin` names
an interpreter that holds it. What it writes is judged like the tests of anybody else.
"""

from __future__ import annotations

import asyncio
import shlex
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Brief, Role
from setpoint.model.cover import CoverGoals
from setpoint.ports import Observer
from setpoint.ports.toolkit import CommandRequest, Toolkit
from setpoint_mechanic.generate.engine import Engine
from setpoint_mechanic.generate.refinement import refine
from setpoint_mechanic.generate.selection import sift, texts_of
from setpoint_mechanic.generate.test_files import HONEST, place_for, test_files
from setpoint_mechanic.own_tool_calls import OwnCalls
from setpoint_probe.source.import_roots import import_root, module_of
from setpoint_probe.wire.reach import FileReach

NO_INTERPRETER = (
    "cover.pynguin names no interpreter; install Pynguin into an environment of its own and name that"
)
_SHARES = (("search", 0.45), ("mutation", 0.2), ("slicing", 0.2))
"""Of the time for a file: for its search, for the mutants that choose its assertions, for slicing."""
_LEAST_S = 5
_PATIENCE = 2.0
"""Times its time after which it is ended: it does not always keep to it."""
_MEMORY = 4 << 30


class PynguinAgent:
    """Has Pynguin write tests for named files."""

    name = "pynguin"

    def __init__(self, toolkit: Toolkit, goals: CoverGoals, pytest_args: Sequence[str] = ()) -> None:
        """Work with `toolkit`; `goals` name the files and the interpreter that holds it."""
        self._toolkit, self._goals, self._args = toolkit, goals, tuple(pytest_args)

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Have tests written for each file that is not reached, and keep those that are good."""
        calls = OwnCalls(brief.label, observer)
        breakage: Breakage | None = None
        if brief.role is not Role.MAKER or not self._goals.paths or not brief.python:
            calls.lines.append("No file is to be covered, or the project has no Python interpreter.")
        elif not self._goals.pynguin:
            breakage = Breakage(kind=BreakageKind.MISSING, message=NO_INTERPRETER)
        else:
            breakage = await self._work(brief, calls)
        return calls.attempt(self.name, breakage, self._toolkit)

    async def close(self) -> None:
        """Nothing is kept running between attempts."""

    async def _work(self, brief: Brief, calls: OwnCalls) -> Breakage | None:
        engine = Engine(self._toolkit, brief, calls, self._goals, self._args)
        reach = await engine.reach()
        if isinstance(reach, Breakage):
            return reach
        before = texts_of(engine.tree)
        green = {test for test, outcome in reach.outcomes.items() if outcome == "passed"}
        old = frozenset(reach.outcomes)
        short = [each for each in reach.files if each.missed_lines or each.missed_branches]
        whole = sum(len(each.missed_lines) + 5 for each in short)
        for each in short:
            wall_s = max(4.0 * _LEAST_S, self._goals.budget_s * (len(each.missed_lines) + 5) / whole)
            await self._write(engine, each, wall_s, calls)
        spans: dict[str, tuple[int, ...]] = {each.file: () for each in short}
        sifted = await sift(engine, before, reach.files, green, spans)
        calls.lines += [
            *sifted.lines,
            f"{len(sifted.kept)} tests of Pynguin's were kept. {sifted.reason}".strip(),
        ]
        if sifted.kept:
            said, _ = await refine(engine, green, lambda test: test not in old, before)
            calls.lines += [*said, HONEST]
        return None

    async def _write(self, engine: Engine, file: FileReach, wall_s: float, calls: OwnCalls) -> None:
        """Run it for one file; what it wrote is put beside the project's tests."""
        began = time.monotonic()
        calls.begin("pynguin", "execute", f"Pynguin writes tests for {file.file}")
        module = module_of(engine.tree, file.file)
        root = import_root(engine.tree, file.file)
        scratch = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="setpoint-pynguin-"))
        try:
            argv = [
                self._goals.pynguin,
                "-m",
                "pynguin",
                "--project-path",
                str(root),
                "--module-name",
                module,
            ]
            argv += ["--output-path", str(scratch), "--seed", "1", "--subprocess"]
            for name, share in _SHARES:
                argv += [f"--maximum-{name}-time", str(max(_LEAST_S, int(wall_s * share)))]
            environment = self._toolkit.environment(
                {"PYNGUIN_DANGER_AWARE": "1", "PYTHONHASHSEED": "0", "TMPDIR": str(scratch)}
            )
            done = await self._toolkit.run_command(
                CommandRequest(
                    argv=tuple(argv),
                    cwd=scratch,
                    environment=environment,
                    timeout_s=wall_s * _PATIENCE,
                    memory_bytes=_MEMORY,
                )
            )
            calls.log.append(f"{shlex.join(argv)}: {done.ending}\n{done.errors.strip()[-800:]}")
            written = sorted(scratch.glob("test_*.py"))
            for path in written:
                target = place_for(engine.tree, file.file, test_files(engine.tree))
                (engine.tree / target).parent.mkdir(parents=True, exist_ok=True)
                await asyncio.to_thread(shutil.copy, path, engine.tree / target)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        told = f"Pynguin wrote {len(written)} files of tests for {file.file}"
        if not written:
            told = f"{file.file}: Pynguin wrote nothing: it {done.ending}"
        calls.lines.append(f"{told}.")
        calls.tell("pynguin", "execute", told, ok=bool(written), seconds=time.monotonic() - began)
