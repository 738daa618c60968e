"""The mechanic as an agent: one attempt applies offered fixes, then searches for one repair."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Brief, Role
from setpoint.model.learning import Hint
from setpoint.ports import Observer
from setpoint.ports.toolkit import Toolkit
from setpoint_mechanic.engine.wire.repair import Request, Result
from setpoint_mechanic.repair import search_others, search_python
from setpoint_mechanic.repair.child_processes import out_of_reach, started_in
from setpoint_mechanic.repair.codemods import Tool
from setpoint_mechanic.repair.earlier_attempts import tried_digests
from setpoint_mechanic.repair.known_changes import known_changes
from setpoint_mechanic.repair.languages import not_mine, of_python
from setpoint_mechanic.repair.summary import NO_FEATURES, told_repair
from setpoint_mechanic.repair.work import Work

SEARCH_S = 120.0
"""Seconds that one search may take, where the attempt has as many."""
OTHERS_S = 60.0
"""Seconds for a search in another language than Python, where each edit is a run of the project's runner."""
ALTERNATIVES_S = 2.0
"""CPU seconds that a search goes on after its first repair, to offer alternatives."""
_NO_PYTHON = (
    "the project has no Python interpreter to search with; hint: set "
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
        work = Work(brief, observer, self._toolkit)
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
                breakage = await self._repair_others(work)
            elif brief.failures:
                breakage = await self._repair_python(work)
            elif not work.calls.made:
                work.say(
                    "There is no failing test and no finding with a safe fix, so nothing was done.",
                    NO_FEATURES,
                )
        return work.calls.attempt(self.name, breakage, self._toolkit)

    async def close(self) -> None:
        """Nothing is kept running between attempts."""

    async def _repair_python(self, work: Work) -> Breakage | None:
        brief = work.brief
        if not brief.python:
            return Breakage(kind=BreakageKind.MISSING, message=_NO_PYTHON)
        mended = work.calls.made
        wall_s = self._wall_s(work)
        scratch = Path(tempfile.mkdtemp(prefix="setpoint-mechanic-"))
        try:
            request = Request(
                tree=brief.workdir,
                failing=of_python(brief.failures),
                cpu_s=wall_s,
                wall_s=wall_s,
                extra_s=self._alternatives_s,
                pytest_args=self._pytest_args,
                avoid=self._avoided(brief),
                prefer=tuple(hint.template for hint in _hints(brief) if hint.template),
                known=known_changes(brief.recalled),
                doubt=tuple(family for hint in _hints(brief) for family in hint.avoid),
                scratch=str(scratch),
            )
            result, why = await search_python.search(work, request, scratch)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        if result is None:
            return Breakage(kind=BreakageKind.CRASH, message=why)
        if result.patches:
            self._apply(work, result)
        work.say(*told_repair(result))
        work.record(result)
        started = (
            () if result.status != search_python.NOT_POSSIBLE else started_in(brief.workdir, request.failing)
        )
        return out_of_reach(started) if started and not mended else None

    async def _repair_others(self, work: Work) -> Breakage | None:
        mended = work.calls.made
        failures = search_others.searchable(work)
        if not failures:
            return None if mended else not_mine(work.brief.failures)
        found = await search_others.search(
            work, failures, min(OTHERS_S, self._wall_s(work)), self._avoided(work.brief)
        )
        if isinstance(found, Breakage):
            return None if mended else found
        self._apply(work, found)
        return None

    def _wall_s(self, work: Work) -> float:
        """Say how many seconds a search may take."""
        left = max(5.0, work.brief.limits.wall_s - work.calls.elapsed_s)
        return min(self._search_s, left * _MARGIN)

    def _avoided(self, brief: Brief) -> tuple[str, ...]:
        """Return the digests of changes that did not satisfy before."""
        return (*self._offered.get(brief.session, ()), *tried_digests(brief.tried))

    def _apply(self, work: Work, result: Result) -> None:
        best = result.patches[0]
        self._offered.setdefault(work.brief.session, []).append(best.digest)
        work.apply_patch(best)


def _hints(brief: Brief) -> tuple[Hint, ...]:
    """Return what memory says about families of edits, most fitting first."""
    return tuple(item.hint for item in brief.recalled)
