"""The mechanic as an agent: one attempt applies offered fixes, then searches for one repair."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Brief, Role
from setpoint.model.learning import Hint
from setpoint.ports import Observer
from setpoint.ports.toolkit import CommandRequest, Toolkit
from setpoint_mechanic.lend_pytest import lend_pytest
from setpoint_mechanic.own_tool_calls import OwnCalls, engine_environment
from setpoint_mechanic.repair.child_processes import out_of_reach, started_in
from setpoint_mechanic.repair.codemods import Tool, mended_by_tools
from setpoint_mechanic.repair.earlier_attempts import tried_digests
from setpoint_mechanic.repair.fixing import fixed
from setpoint_mechanic.repair.known_changes import known_changes
from setpoint_mechanic.repair.languages import not_mine, of_python
from setpoint_mechanic.repair.summary import NO_FEATURES, told_fixes, told_repair
from setpoint_probe.wire.answer import UnreadableAnswer
from setpoint_probe.wire.order import engine_argv, read_result, write_request
from setpoint_probe.wire.repair import CANNOT_RUN, Patch, Request, Result

SEARCH_S = 120.0
"""Seconds that one search may take, where the attempt has as many."""
ALTERNATIVES_S = 2.0
"""CPU seconds that a search goes on after its first repair, to offer alternatives."""
NOT_POSSIBLE = "not_possible"
"""Status of a search that had nothing to try."""
_NO_PYTHON = (
    "the project has no Python interpreter, and the mechanic searches with Python tests alone; hint: set "
    "checks.python, or choose another agent with --agent (`setpoint agents` lists them)"
)
_MARGIN = 0.85
"""Share of an attempt's time that a search may take; starting and confirming need the rest."""


class MechanicAgent:
    """Mends what tools and tests point at, with no model and no key; it does not implement features."""

    name = "mechanic"

    def __init__(
        self,
        toolkit: Toolkit,
        *,
        search_s: float = SEARCH_S,
        alternatives_s: float = ALTERNATIVES_S,
        pytest_args: Sequence[str] = (),
        fixers: Sequence[Tool] = (),
    ) -> None:
        """Work with `toolkit`; `pytest_args` and `fixers` are as the settings have them."""
        self._toolkit = toolkit
        self._search_s = search_s
        self._alternatives_s = alternatives_s
        self._pytest_args = tuple(pytest_args)
        self._fixers = tuple(fixers)
        self._fixed: set[str] = set()
        """Sessions in which the fixers have run; what they offer does not change with the next round."""
        self._offered: dict[str, list[str]] = {}

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Try the fixes of open findings, then search for a repair of the failing tests."""
        work = _Work(brief, observer, self._toolkit)
        breakage: Breakage | None = None
        if brief.role is not Role.MAKER:
            work.say(NO_FEATURES)
        else:
            foreign = bool(brief.failures) and not of_python(brief.failures)
            if brief.findings or not foreign:
                fixers = () if brief.session in self._fixed else self._fixers
                self._fixed.add(brief.session)
                await work.apply_fixes(self._pytest_args, fixers)
            if foreign:
                breakage = None if work.calls.made else not_mine(brief.failures)
            elif brief.failures:
                breakage = await self._repair(work)
            elif not work.calls.made:
                work.say(
                    "There is no failing test and no finding with a safe fix, so nothing was done.",
                    NO_FEATURES,
                )
        return work.calls.attempt(self.name, breakage, self._toolkit)

    async def close(self) -> None:
        """Nothing is kept running between attempts."""

    async def _repair(self, work: _Work) -> Breakage | None:
        brief = work.brief
        if not brief.python:
            return Breakage(kind=BreakageKind.MISSING, message=_NO_PYTHON)
        mended = work.calls.made
        avoid = [*self._offered.get(brief.session, ()), *tried_digests(brief.tried)]
        wall_s = min(self._search_s, max(5.0, brief.limits.wall_s - work.calls.elapsed_s) * _MARGIN)
        scratch = Path(tempfile.mkdtemp(prefix="setpoint-mechanic-"))
        try:
            request = Request(
                tree=brief.workdir,
                failing=of_python(brief.failures),
                cpu_s=wall_s,
                wall_s=wall_s,
                extra_s=self._alternatives_s,
                pytest_args=self._pytest_args,
                avoid=tuple(avoid),
                prefer=tuple(hint.template for hint in _hints(brief) if hint.template),
                known=known_changes(brief.recalled),
                doubt=tuple(family for hint in _hints(brief) for family in hint.avoid),
                scratch=str(scratch),
            )
            result, why = await work.search(request, scratch)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        if result is None:
            return Breakage(kind=BreakageKind.CRASH, message=why)
        if result.patches:
            best = result.patches[0]
            self._offered.setdefault(brief.session, []).append(best.digest)
            work.apply_patch(best)
        work.say(*told_repair(result))
        work.record(result)
        started = () if result.status != NOT_POSSIBLE else started_in(brief.workdir, request.failing)
        return out_of_reach(started) if started and not mended else None


def _hints(brief: Brief) -> tuple[Hint, ...]:
    """Return what memory says about families of edits, most fitting first."""
    return tuple(item.hint for item in brief.recalled)


class _Work:
    """One attempt while it goes on: what was done and said."""

    def __init__(self, brief: Brief, observer: Observer, toolkit: Toolkit) -> None:
        self.brief, self._toolkit = brief, toolkit
        self.calls = OwnCalls(brief.label, observer)

    def say(self, *lines: str) -> None:
        """Add to the answer."""
        self.calls.lines += lines

    async def apply_fixes(self, pytest_args: Sequence[str], fixers: Sequence[Tool]) -> None:
        """Try what findings and tools offer and report each as an edit."""
        began = time.monotonic()
        applied = await fixed(self._toolkit, self.brief, pytest_args)
        applied += await mended_by_tools(self._toolkit, self.brief, fixers, pytest_args)
        for each in applied:
            title = f"{each.finding.rule or each.finding.source}: {each.note}"
            self.calls.tell(
                "apply_fix",
                "edit",
                title,
                ok=each.ok,
                seconds=time.monotonic() - began,
                file=each.finding.file,
            )
            began = time.monotonic()
        self.say(*told_fixes(applied))

    async def search(self, request: Request, scratch: Path) -> tuple[Result | None, str]:
        """Run the engine; gives its result, or none and why there is none."""
        asked, answered = scratch / "request.json", scratch / "result.json"
        write_request(request, asked)
        self.calls.begin(
            "search_repair", "execute", f"search for a repair of {len(request.failing)} failing tests"
        )
        done = await self._toolkit.run_command(
            CommandRequest(
                argv=engine_argv(self.brief.python, asked, answered, lend_pytest(scratch / "lent")),
                cwd=Path(self.brief.workdir),
                environment=engine_environment(self._toolkit, self.brief.python, scratch),
                timeout_s=request.wall_s * 1.5 + 30.0,
            ),
            on_line=self._heard,
        )
        if done.exit_code == CANNOT_RUN:
            why = done.errors.strip()[-400:]
            self.calls.tell("search_repair", "execute", why, ok=False, seconds=done.duration_s)
            return Result(reason=f"{why}; install pytest there, or where Setpoint runs"), ""
        try:
            result = await asyncio.to_thread(read_result, answered)
        except UnreadableAnswer as error:
            why = f"the repair engine {done.ending}: {done.errors.strip()[-400:] or str(error)}"
            self.calls.tell("search_repair", "execute", why, ok=False, seconds=done.duration_s)
            return None, why
        title = f"search for a repair of {len(request.failing)} tests: {result.status}, tried {result.tried}"
        title += f": {result.reason}" if result.status == NOT_POSSIBLE else ""
        self.calls.tell("search_repair", "execute", title, ok=bool(result.patches), seconds=done.duration_s)
        return result, ""

    def apply_patch(self, patch: Patch) -> None:
        """Put the best patch into the work copy."""
        began = time.monotonic()
        path = Path(self.brief.workdir) / patch.file
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.write(patch.text)
        title = f"{patch.template} at {patch.file}:{patch.line}"
        self.calls.tell(
            "apply_patch", "edit", title, ok=True, seconds=time.monotonic() - began, file=patch.file
        )

    def record(self, result: Result) -> None:
        """Keep what the search saw as one JSON object in the transcript, for programs that go on from it."""
        facts = asdict(result)
        for patch in facts["patches"]:
            del patch["text"]
        self.calls.log.append(json.dumps({"repair": facts}))

    def _heard(self, line: bytes) -> None:
        """Take the engine's stages as tool calls while they happen."""
        text = line.decode("utf-8", "replace").strip()
        self.calls.log.append(text)
        try:
            told = json.loads(text)
        except ValueError:
            return
        if isinstance(told, dict) and told.get("event") == "stage":
            name = str(told.get("name"))
            seconds = float(told.get("seconds", 0.0))
            self.calls.tell(f"repair_{name}", "execute", _STAGES.get(name, name), ok=True, seconds=seconds)


_STAGES = {
    "collect": "collect the project's tests",
    "localise": "trace failing and passing tests, rank suspicious lines",
    "search": "try candidate edits",
    "fresh": "try edits that need a fresh import",
    "confirm": "confirm the best patches in fresh processes",
}
