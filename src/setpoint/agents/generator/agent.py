"""The generator as an agent: one attempt measures what is not reached, writes tests for it, judges each."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from setpoint.agents.generator.pinned import MARK, place_for, style_of, test_files, without
from setpoint.agents.own_calls import OwnCalls, engine_environment
from setpoint.domain.attempt import Attempt, Breakage, BreakageKind, Brief, Role, Stop, Usage
from setpoint.domain.cover import CoverGoals
from setpoint.errors import RecordedDataError
from setpoint.mutation.cover import argv_of, module_of, read_cover, read_reach
from setpoint.mutation.engine.cover.wire import (
    CoverRequest,
    CoverResult,
    FileReach,
    ReachRequest,
    ReachResult,
)
from setpoint.ports import Observer
from setpoint.processes import Command, run
from setpoint.store.artifacts import Artifacts

HONEST = (
    "These tests pin how the code behaves at present. They notice when it changes; they cannot know what was "
    "meant, so a fault that is there now is pinned with the rest. Read them before you trust them."
)
NO_TESTS_ASKED = "No file is to be covered: `setpoint cover PATH` names what is. Nothing else is done here."
_LEAST_S = 10.0
_REACH_S = 900.0
_MARGIN = 0.8
"""Share of an attempt's time that the search may take; measuring before and after it needs the rest."""


class GeneratorAgent:
    """Writes tests for named files; it changes nothing else."""

    name = "generator"

    def __init__(self, artifacts: Artifacts, goals: CoverGoals, pytest_args: Sequence[str] = ()) -> None:
        """Keep transcripts in `artifacts`; `goals` name the files, `pytest_args` are words for pytest."""
        self._artifacts = artifacts
        self._goals = goals
        self._pytest_args = tuple(pytest_args)

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Write tests for what no test reaches, and keep those that pass the judging."""
        work = _Work(brief, observer, self._goals, self._pytest_args)
        breakage: Breakage | None = None
        if brief.role is not Role.MAKER or not self._goals.paths:
            work.lines.append(NO_TESTS_ASKED)
        elif not brief.python:
            work.lines.append("Not possible here: the project has no Python interpreter.")
        else:
            breakage = await work.make()
        text = "\n".join(work.lines).strip()
        observer.spent(Usage(cost_usd=None, scope="none"))
        return Attempt(
            agent=self.name,
            stop=Stop.BROKEN if breakage else Stop.END_TURN,
            breakage=breakage,
            text=text,
            usage=Usage(cost_usd=None, scope="none"),
            tool_calls=work.calls.made,
            tool_errors=work.calls.errors,
            started_at=work.started_at,
            duration_s=time.monotonic() - work.began,
            transcript=self._artifacts.keep("\n".join([*work.calls.log, text])),
        )

    async def close(self) -> None:
        """Nothing is kept running between attempts."""


class _Work:
    """One attempt while it goes on."""

    def __init__(self, brief: Brief, observer: Observer, goals: CoverGoals, args: tuple[str, ...]) -> None:
        self.lines: list[str] = []
        """What is said in the end."""
        self.calls = OwnCalls(brief.label, observer)
        self.began = time.monotonic()
        self.started_at = datetime.now(UTC)
        self._brief, self._observer, self._goals, self._args = brief, observer, goals, args
        self._tree = Path(brief.workdir)
        self._written: list[str] = []
        number = re.search(r"(\d+)$", brief.label)
        self._seed = int(number[1]) if number else 1

    async def make(self) -> Breakage | None:
        """Measure, write, measure again and take out what does not hold."""
        reach = await self._reach()
        if isinstance(reach, Breakage):
            return reach
        before = {test for test, outcome in reach.outcomes.items() if outcome == "passed"}
        self._mend(reach)
        short = [each for each in reach.files if each.missed_lines or each.missed_branches]
        wall_s = min(self._goals.budget_s, self._brief.limits.wall_s * _MARGIN)
        for each in sorted(short, key=lambda file: -len(file.missed_lines)):
            share = len(each.missed_lines) + len(each.missed_branches) + 5
            whole = sum(len(file.missed_lines) + len(file.missed_branches) + 5 for file in short)
            await self._cover(each, max(_LEAST_S, wall_s * share / whole))
        if self._written:
            await self._refine(before)
            self.lines.append(HONEST)
        elif not short:
            self.lines.append("Every line and branch of the files is reached already.")
        return None

    async def _refine(self, before: set[str]) -> None:
        """Run all tests with the new ones; take out what fails, and files that make older tests fail."""
        for _ in range(2):
            reach = await self._reach()
            if isinstance(reach, Breakage):
                self.lines.append(f"Whether all hold together could not be measured: {reach.message}")
                return
            broken = {test for test in before if reach.outcomes.get(test) in ("failed", "error")}
            if broken:
                self._take_away(self._written.pop(), f"with it, {min(broken)} fails")
            elif not self._mend(reach):
                return

    def _mend(self, reach: ReachResult) -> bool:
        """Take tests that fail out of the generator's own files; says whether there were any."""
        failing: dict[str, set[str]] = {}
        for test, outcome in reach.outcomes.items():
            if outcome in ("failed", "error"):
                failing.setdefault(test.partition("::")[0], set()).add(
                    test.rpartition("::")[2].partition("[")[0]
                )
        found = False
        for file, names in failing.items():
            path = self._tree / file
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            if MARK not in text:
                continue
            found = True
            left = without(text, names)
            if left:
                path.write_text(left, encoding="utf-8")
                self.lines.append(f"{file}: {len(names)} tests that failed were taken out.")
            else:
                self._take_away(file, "none of its tests passes")
        return found

    def _take_away(self, file: str, why: str) -> None:
        (self._tree / file).unlink(missing_ok=True)
        self.lines.append(f"{file} was taken away again: {why}.")
        if file in self._written:
            self._written.remove(file)

    async def _reach(self) -> ReachResult | Breakage:
        scratch = Path(tempfile.mkdtemp(prefix="setpoint-cover-"))
        began = time.monotonic()
        request = ReachRequest(
            tree=str(self._tree), files=self._goals.paths, pytest_args=self._args, scratch=str(scratch)
        )
        try:
            answered = await self._engine(request, scratch, _REACH_S)
            found = await asyncio.to_thread(read_reach, answered)
        except RecordedDataError as error:
            return Breakage(kind=BreakageKind.CRASH, message=error.message)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        ok = found.status == "measured"
        title = f"ran {len(found.outcomes)} tests and looked at what they reach {found.reason}".strip()
        self.calls.tell("measure_reach", "execute", title, ok=ok, seconds=time.monotonic() - began)
        return found if ok else Breakage(kind=BreakageKind.CRASH, message=found.reason)

    async def _cover(self, file: FileReach, wall_s: float) -> None:
        began = time.monotonic()
        tests = test_files(self._tree)
        module = module_of(self._tree, file.file)
        target = place_for(self._tree, module, tests)
        scratch = Path(tempfile.mkdtemp(prefix="setpoint-cover-"))
        request = CoverRequest(
            tree=str(self._tree),
            file=file.file,
            module=module,
            target=target,
            missed_lines=file.missed_lines,
            missed_branches=file.missed_branches,
            tests=tuple(each.relative_to(self._tree).as_posix() for each in tests[:200]),
            style=style_of(tests),
            wall_s=wall_s,
            seed=self._seed,
            pytest_args=self._args,
            scratch=str(scratch),
        )
        try:
            answered = await self._engine(request, scratch, wall_s * 2 + 120.0)
            result = await asyncio.to_thread(read_cover, answered)
        except RecordedDataError as error:
            result = CoverResult(reason=error.message)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        if result.text:
            path = self._tree / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(result.text, encoding="utf-8")
            self._written.append(target)
        self._tell(file.file, target, result, time.monotonic() - began)

    def _tell(self, file: str, target: str, result: CoverResult, seconds: float) -> None:
        if result.text:
            told = f"{target}: {len(result.tests)} tests for {file}, of {result.calls} calls tried"
            if result.mutants:
                told += f"; they notice {result.killed} of {result.mutants} small changes of its functions"
            if result.dropped:
                told += f"; {len(result.dropped)} more were not steady and are left out"
        else:
            told = f"{file}: no test was written: {result.reason}"
        self.lines.append(f"{told}.")
        self.calls.tell("write_tests", "edit", told, ok=bool(result.text), seconds=seconds, file=target)

    async def _engine(self, request: ReachRequest | CoverRequest, scratch: Path, wall_s: float) -> Path:
        python = self._brief.python
        answered = scratch / "result.json"
        argv = argv_of(python, request, scratch / "request.json", answered)
        command = Command(
            argv=argv, cwd=self._tree, environment=engine_environment(python, scratch), timeout_s=wall_s
        )
        done = await run(command)
        self.calls.log.append(f"{' '.join(argv[:3])}: {done.ending} {done.errors.strip()[-400:]}")
        return answered
