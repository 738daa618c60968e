"""The generator as an agent: one attempt measures what is not reached, writes tests for it, judges each."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from setpoint.model.attempt import Attempt, Breakage, Brief, Role
from setpoint.model.cover import CoverGoals
from setpoint.ports import Observer
from setpoint.ports.toolkit import Toolkit
from setpoint_mechanic.engine.wire.cover import CoverRequest, CoverResult
from setpoint_mechanic.generate.engine import BROKEN, Engine
from setpoint_mechanic.generate.refinement import refine, take_out
from setpoint_mechanic.generate.selection import texts_of
from setpoint_mechanic.generate.test_files import HONEST, MARK, place_for, style_of, test_files
from setpoint_mechanic.own_tool_calls import OwnCalls
from setpoint_probe.source.import_roots import module_of
from setpoint_probe.wire.reach import FileReach

NO_TESTS_ASKED = "No file is to be covered: `setpoint cover PATH` names what is. Nothing else is done here."
_LEAST_S = 10.0
"""Seconds that a file gets at least, where there are as many."""
_ORDERS = 2
"""Runs of new tests in other orders, where there is time for them."""
_MOST_NAMED = 8
_MARGIN = 0.8
"""Share of an attempt's time that the search may take; measuring before and after it needs the rest."""


class GeneratorAgent:
    """Writes tests for named files; it changes nothing else."""

    name = "generator"

    def __init__(self, toolkit: Toolkit, goals: CoverGoals, pytest_args: Sequence[str] = ()) -> None:
        """Work with `toolkit`; `goals` name the files, `pytest_args` are words for pytest."""
        self._toolkit = toolkit
        self._goals = goals
        self._pytest_args = tuple(pytest_args)
        self._own: dict[str, set[str]] = {}
        """Files of tests written so far, by session."""

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Write tests for what no test reaches, and keep those that pass the judging."""
        own = self._own.setdefault(brief.session, set())
        calls = OwnCalls(brief.label, observer)
        engine = Engine(self._toolkit, brief, calls, self._goals, self._pytest_args)
        work = _Work(brief, calls, engine, own)
        breakage: Breakage | None = None
        if brief.role is not Role.MAKER or not self._goals.paths:
            calls.lines.append(NO_TESTS_ASKED)
        elif not brief.python:
            calls.lines.append("Not possible here: the project has no Python interpreter.")
        else:
            breakage = await work.make()
        return calls.attempt(self.name, breakage, self._toolkit)

    async def close(self) -> None:
        """Nothing is kept running between attempts."""


class _Work:
    """One attempt while it goes on."""

    def __init__(self, brief: Brief, calls: OwnCalls, engine: Engine, own: set[str]) -> None:
        self.calls = calls
        self._brief, self._engine = brief, engine
        self._goals, self._args = engine.goals, engine.args
        self._tree = Path(brief.workdir)
        self._written: list[str] = []
        self._own = own
        number = re.search(r"(\d+)$", brief.label)
        self._seed = int(number[1]) if number else 1

    async def make(self) -> Breakage | None:
        """Measure, write, measure again and take out what does not hold."""
        reach = await self._engine.reach()
        if isinstance(reach, Breakage):
            return reach
        self.calls.lines += [f"Not measured, and left alone: {why}" for why in reach.skipped_files]
        green = {test for test, outcome in reach.outcomes.items() if outcome == "passed"}
        stood = {file: text for file, text in texts_of(self._tree).items() if file not in self._own}
        failing = [test for test, outcome in reach.outcomes.items() if outcome in BROKEN]
        self.calls.lines += self._of_earlier_runs(failing)
        wrong = [test for test in failing if self._owns(test)]
        self.calls.lines += take_out(self._tree, wrong, "it fails", stood).lines
        short = [each for each in reach.files if each.missed_lines or each.missed_branches]
        await self._cover_each(sorted(short, key=lambda file: -len(file.missed_lines)))
        if self._written:
            said, _ = await refine(self._engine, green, self._owns, stood)
            self.calls.lines += said
            self.calls.lines.append(HONEST)
        elif not short:
            self.calls.lines.append("Every line and branch of the files is reached already.")
        return None

    async def _cover_each(self, files: Sequence[FileReach]) -> None:
        """Share the time out among files, those with most to reach first, and stop when it is up."""
        wall_s = min(self._goals.budget_s, self._brief.limits.wall_s * _MARGIN)
        until = time.monotonic() + wall_s
        parts = [len(each.missed_lines) + len(each.missed_branches) + 5 for each in files]
        for number, each in enumerate(files):
            left_s = until - time.monotonic()
            if number and left_s < _LEAST_S / 2:
                rest = ", ".join(file.file for file in files[number:][:_MOST_NAMED])
                self.calls.lines.append(f"{len(files) - number} files not looked at, time is up: {rest}.")
                return
            share = parts[number] / sum(parts[number:])
            await self._cover(each, min(max(left_s, 1.0), max(_LEAST_S, left_s * share)))

    def _owns(self, test: str) -> bool:
        """Whether a test stands in a file that the generator wrote for this run."""
        return test.partition("::")[0] in self._own

    def _of_earlier_runs(self, failing: Sequence[str]) -> list[str]:
        """Tell which pins of earlier runs fail: whether the code or they are wrong, a person says."""
        lines = []
        for test in failing:
            path = self._tree / test.partition("::")[0]
            if not self._owns(test) and path.is_file() and MARK.encode() in path.read_bytes():
                lines.append(f"{test} fails, and is left as it is: it pins what the code did before.")
        return lines

    async def _cover(self, file: FileReach, wall_s: float) -> None:
        began = time.monotonic()
        tests = test_files(self._tree)
        module = module_of(self._tree, file.file)
        target = place_for(self._tree, file.file, tests)

        def order(scratch: Path) -> CoverRequest:
            return CoverRequest(
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

        path = self._tree / target
        made = not path.parent.exists()
        left_s = self._brief.limits.wall_s - self.calls.elapsed_s
        self.calls.begin("write_tests", "edit", f"write tests for {file.file}")
        try:
            result = await self._engine.cover(order, min(wall_s * 2 + 120.0, max(left_s, wall_s)))
        finally:  # an engine that was ended leaves what it was judging
            path.unlink(missing_ok=True)
            if made and path.parent.is_dir() and not any(path.parent.iterdir()):
                path.parent.rmdir()
        if result.text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(result.text, encoding="utf-8")
            self._written.append(target)
            self._own.add(target)
        self._tell(file.file, target, result, time.monotonic() - began)

    def _tell(self, file: str, target: str, result: CoverResult, seconds: float) -> None:
        if result.text:
            told = f"{target}: {len(result.tests)} tests for {file}, of {result.calls} calls tried"
            specified = sum(bool(test.specified) for test in result.tests)
            told += (
                f" ({specified} specified by documentation or types, {len(result.tests) - specified} pinned)"
            )
            if result.mutants:
                told += f"; they notice {result.killed} of {result.mutants} small changes of its functions"
            if result.dropped:
                told += f"; {len(result.dropped)} more were not steady and are left out"
            if result.orders < _ORDERS:
                told += f"; the time was up after {result.orders} of {_ORDERS} runs in another order"
        else:
            told = f"{file}: no test was written: {result.reason}"
        self.calls.lines.append(f"{told}.")
        for example in result.contradicted[:_MOST_NAMED]:
            self.calls.lines.append(
                f"The documentation contradicts the code, so no test is written: {example}."
            )
        self.calls.tell("write_tests", "edit", told, ok=bool(result.text), seconds=seconds, file=target)
