"""The engine as those who write tests use it: what tests reach, what calls give, which tests are good."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TypeVar

from setpoint.model.attempt import Breakage, BreakageKind, Brief
from setpoint.model.cover import CoverGoals
from setpoint.ports.toolkit import CommandRequest, Toolkit
from setpoint_mechanic.engine.wire.cover import CoverRequest, CoverResult, JudgeRequest, JudgeResult
from setpoint_mechanic.engine.wire.order import Order, argv_of, read_cover, read_judge
from setpoint_mechanic.own_tool_calls import OwnCalls, engine_environment
from setpoint_probe.wire import order as probe
from setpoint_probe.wire.answer import UnreadableAnswer
from setpoint_probe.wire.reach import FileReach, ReachRequest, ReachResult
from setpoint_probe.wire.score import KILLED, ScoreRequest

T = TypeVar("T")
_REACH_S = 900.0
_JUDGE_S = 240.0
_SCORE_S = 30.0
BROKEN = ("failed", "error")
"""Outcomes of tests that are not to be."""


class Engine:
    """Runs orders in the project's interpreter, for one attempt."""

    def __init__(
        self,
        toolkit: Toolkit,
        brief: Brief,
        calls: OwnCalls,
        goals: CoverGoals,
        pytest_args: Sequence[str],
    ) -> None:
        """Work where the brief says; each order is told as a call."""
        self.tree = Path(brief.workdir)
        self.toolkit = toolkit
        self.goals = goals
        self.args = tuple(pytest_args)
        self._python, self._calls = brief.python, calls

    async def reach(self, *only: str) -> ReachResult | Breakage:
        """Run all tests, or those that are named, and see what they reach of the files."""
        began = time.monotonic()

        def order(scratch: Path) -> ReachRequest:
            return ReachRequest(
                tree=str(self.tree),
                files=self.goals.paths,
                pytest_args=(*self.args, *only),
                scratch=str(scratch),
            )

        self._calls.begin("measure_reach", "execute", "run the tests and look at what they reach")
        try:
            found = await self._answered(order, probe.read_reach, _REACH_S)
        except UnreadableAnswer as error:
            return Breakage(kind=BreakageKind.CRASH, message=str(error))
        ok = found.status == "measured"
        title = f"ran {len(found.outcomes)} tests and looked at what they reach {found.reason}".strip()
        self._calls.tell("measure_reach", "execute", title, ok=ok, seconds=time.monotonic() - began)
        return found if ok else Breakage(kind=BreakageKind.CRASH, message=found.reason)

    async def cover(self, order: Callable[[Path], CoverRequest], wall_s: float) -> CoverResult:
        """Have tests written for one file."""
        try:
            return await self._answered(order, read_cover, wall_s)
        except UnreadableAnswer as error:
            return CoverResult(reason=str(error))

    async def judge(self, tests: Sequence[str], missed: Collection[FileReach]) -> JudgeResult:
        """Judge the tests of some files: alone, again and again, in random orders, and by what they add."""
        began = time.monotonic()

        def order(scratch: Path) -> JudgeRequest:
            return JudgeRequest(
                tree=str(self.tree),
                tests=tuple(tests),
                missed=tuple((each.file, each.missed_lines, each.missed_branches) for each in missed),
                wall_s=_JUDGE_S,
                pytest_args=self.args,
                scratch=str(scratch),
            )

        self._calls.begin("judge_tests", "execute", f"judge the tests of {len(tests)} files")
        try:
            result = await self._answered(order, read_judge, _JUDGE_S * 2)
        except UnreadableAnswer as error:
            result = JudgeResult(reason=str(error))
        title = f"judged {len(result.tests)} tests of {', '.join(tests)} {result.reason[:200]}".strip()
        ok = result.status == "judged"
        self._calls.tell("judge_tests", "execute", title, ok=ok, seconds=time.monotonic() - began)
        return result

    async def noticing(self, lines: dict[str, tuple[int, ...]], new: Sequence[str]) -> frozenset[str]:
        """Return those of some new tests that notice a mutant of some lines that no test before them does."""
        wall_s = min(_SCORE_S, self.goals.mutation_s or _SCORE_S)
        began = time.monotonic()
        scratch = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="setpoint-cover-"))
        try:
            order = ScoreRequest(
                tree=str(self.tree),
                targets=lines,
                wall_s=wall_s,
                last=tuple(new),
                pytest_args=self.args,
                scratch=str(scratch),
            )
            asked, answered = scratch / "request.json", scratch / "result.json"
            argv = probe.argv_of(self._python, order, asked, answered)
            self._calls.begin("score_mutants", "execute", "try small changes of the code")
            await self._run(argv, scratch, wall_s * 2 + 60.0)
            result = await asyncio.to_thread(probe.read_score, answered)
        except UnreadableAnswer as error:
            self._calls.tell(
                "score_mutants", "execute", str(error), ok=False, seconds=time.monotonic() - began
            )
            return frozenset()
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        title = f"tried {len(result.judged)} small changes of the code"
        self._calls.tell("score_mutants", "execute", title, ok=True, seconds=time.monotonic() - began)
        return frozenset(each.test for each in result.judged if each.verdict == KILLED).intersection(new)

    async def _answered(
        self, order: Callable[[Path], Order | ReachRequest], read: Callable[[Path], T], wall_s: float
    ) -> T:
        scratch = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="setpoint-cover-"))
        try:
            request, asked, answered = order(scratch), scratch / "request.json", scratch / "result.json"
            argv = (
                probe.argv_of(self._python, request, asked, answered)
                if isinstance(request, ReachRequest)
                else argv_of(self._python, request, asked, answered)
            )
            await self._run(argv, scratch, wall_s)
            return await asyncio.to_thread(read, answered)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)

    async def _run(self, argv: tuple[str, ...], scratch: Path, wall_s: float) -> None:
        environment = engine_environment(self.toolkit, self._python, scratch)
        request = CommandRequest(argv=argv, cwd=self.tree, environment=environment, timeout_s=wall_s)
        done = await self.toolkit.run_command(request)
        self._calls.log.append(f"{' '.join(argv[:-2])}: {done.ending} {done.errors.strip()[-400:]}")
