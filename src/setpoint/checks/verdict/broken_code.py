"""A place in which functions of the result are broken one at a time, and what tests make of it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.languages.changed_function import RAISES, ChangedFunction, Sabotage
from setpoint.checks.suites.selected_run import limited
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.checks.verdict.subject import Subject
from setpoint.model.evidence import SUITES, Cause, CheckState, Fault, TestReport, whole_suite
from setpoint.ports import Measured

_LEAST_S, _TIMES_GREEN = 10.0, 5
"""Tests hang that take this long, and this many times as long as without a sabotage; hanging is noticing."""
_MOST_ASKED_AGAIN = 20


class Fate(StrEnum):
    """What became of one sabotage."""

    NOTICED = "noticed"
    SURVIVED = "survived"
    VOID = "void"
    """It does not compile, so nothing ran."""
    CUT = "cut"
    """There was no time for it."""


class Came(NamedTuple):
    """What some tests gave with a sabotage."""

    red: frozenset[str]
    """Those that failed, or did not come to run."""
    void: bool = False
    """Whether it does not compile."""
    cut: bool = False
    """Whether the time was over before they had ended."""


@dataclass(kw_only=True)
class BrokenCode:
    """Breaks functions of one result in a place of its own."""

    subject: Subject
    there: Measured
    until: float
    """When the work must have ended, by `time.monotonic()`."""
    harmless: Mapping[str, bytes] = field(default_factory=dict)
    """Sources that are written otherwise and do the same, by path."""
    sound: set[str] = field(default_factory=set, init=False)
    """Tests, and names of commands, that pass in this place with harmless sources; others say nothing."""
    unsound: set[str] = field(default_factory=set, init=False)
    took_s: dict[frozenset[str], float] = field(default_factory=dict, init=False)
    """Seconds of groups of tests without a sabotage."""

    @property
    def left_s(self) -> float:
        """Return the seconds that are left."""
        return self.until - time.monotonic()

    async def looked_at(self, tests: Collection[str]) -> bool:
        """Run tests once with harmless sources, to know which of them say something; false without time."""
        began_s = time.monotonic()
        if self.left_s <= 0:
            return False
        await self._write(self.harmless)
        came = await self._ran(tests, self.left_s)
        await self._write({path: self.subject.after[path] for path in self.harmless})
        if came.cut:
            return False
        self.unsound |= came.red
        self.sound |= set(tests) - came.red
        self.took_s[frozenset(tests)] = time.monotonic() - began_s
        return True

    async def noticing(
        self, function: ChangedFunction, sabotage: Sabotage, mark: Path, tests: Collection[str]
    ) -> Came:
        """Run tests while a function is broken; only those that pass without it can notice it."""
        asked = sorted(set(tests) - self.unsound)
        green_s = self.took_s.get(frozenset(tests), suite_s(self.subject))
        if not asked:
            return Came(frozenset())
        if self.left_s < green_s:
            return Came(frozenset(), cut=True)
        source = self.subject.after.get(function.path)
        if source is None:  # a function that the change leaves as it was
            source = await asyncio.to_thread((Path(self.there.copy.path) / function.path).read_bytes)
        await self._write({function.path: function.sabotaged(source, sabotage, mark)})
        came = await self._ran(asked, max(_LEAST_S, _TIMES_GREEN * green_s))
        await self._write({function.path: source})
        return came if came.void or came.cut else await self._sound_among(came.red)

    async def red_where_all_raise(
        self, functions: Iterable[ChangedFunction], tests: Collection[str]
    ) -> frozenset[str] | None:
        """Return which tests fail where some functions raise, all at once; none where that is unknown."""
        if self.left_s <= 0:
            return None
        tree, plain = Path(self.there.copy.path), dict[str, bytes]()
        for path, own in by_file(functions).items():
            plain[path] = await asyncio.to_thread((tree / path).read_bytes)
            together = tuple(one for each in own for one in each.sabotages.get(RAISES, ()))
            await self._write({path: own[0].sabotaged(plain[path], together, new_mark(self.there))})
        came = await self._ran(tests, self.left_s)
        await self._write(plain)
        return None if came.cut or came.void else came.red

    async def _ran(self, tests: Collection[str], limit_s: float) -> Came:
        """Run tests; those that do not come to run fail too, except where nothing was built."""
        short = self.left_s < limit_s
        plan, target = self.subject.plan, self.subject.target
        checks = [
            limited(each, min(limit_s, max(self.left_s, 1.0)))
            for each in plan.selection(target, tuple(tests))
        ]
        results = [await each.run(self.there) for each in checks]
        report = whole_suite(each.tests for each in results if each.tests is not None)
        report = report or TestReport(outcomes={})
        late = any(each.evidence.fault is Fault.TIMEOUT for each in results)
        red = report.red & set(tests)
        missing = set(tests) - report.outcomes.keys()
        if late and short and not red:
            return Came(frozenset(), cut=True)
        if is_unbuilt(report):
            return Came(frozenset(), void=True)
        return Came(red | missing)

    async def _sound_among(self, red: frozenset[str]) -> Came:
        """Say which of some tests pass here without a sabotage; a few unknown ones are asked."""
        unknown = sorted(red - self.sound - self.unsound)[:_MOST_ASKED_AGAIN]
        if unknown and not red & self.sound and not await self.looked_at(unknown):
            return Came(frozenset(), cut=True)
        return Came(red & self.sound)

    async def fails(
        self, command: Acceptance, function: ChangedFunction, sabotage: Sabotage, mark: Path
    ) -> bool:
        """Whether a command that passes here without a sabotage fails while a function is broken."""
        took_s = max(
            (
                each.evidence.duration_s
                for each in self.subject.now.results
                if each.evidence.check == command.name
            ),
            default=0.0,
        )
        short = replace(command, timeout_s=max(_LEAST_S, _TIMES_GREEN * took_s))
        source = self.subject.after[function.path]
        await self._write({function.path: function.sabotaged(source, sabotage, mark)})
        noticed = await _fails(short, self.there)
        await self._write({function.path: source})
        if noticed and command.name not in self.sound | self.unsound:
            (self.unsound if await _fails(short, self.there) else self.sound).add(command.name)
        return noticed and command.name in self.sound

    async def _write(self, sources: Mapping[str, bytes]) -> None:
        for path, text in sources.items():
            await asyncio.to_thread((Path(self.there.copy.path) / path).write_bytes, text)


async def _fails(command: Acceptance, there: Measured) -> bool:
    result = await command.run(there)
    return result.state is CheckState.FAIL or result.evidence.fault is Fault.TIMEOUT


def by_file(functions: Iterable[ChangedFunction]) -> dict[str, list[ChangedFunction]]:
    """Return functions by the file that they are in."""
    found: dict[str, list[ChangedFunction]] = {}
    for each in functions:
        found.setdefault(each.path, []).append(each)
    return found


def is_unbuilt(report: TestReport) -> bool:
    """Whether tests failed only because something does not compile."""
    causes = {each.cause for each in report.failures if each.test in report.red}
    return causes == {Cause.SYNTAX}


def suite_s(subject: Subject) -> float:
    """Return the seconds that the project's own tests took."""
    base, now = (
        sum(each.evidence.duration_s for each in made.results if each.evidence.check in SUITES)
        for made in (subject.base, subject.now)
    )
    return base or now


def new_mark(there: Measured) -> Path:
    """Name a file that shows that a function was entered: where held tests may write, and do not look."""
    return Path(there.copy.path) / ".git" / f"entered-{secrets.token_hex(8)}"


def function_of(test: str) -> str:
    """Return the function that a test is a case of: parameters may have other names each time."""
    return test.partition("[")[0]
