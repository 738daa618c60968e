"""Sabotage one function at a time, and see whether a test notices."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Sabotage
from setpoint.checks.proof.sensitivity.other_functions import suffix_of
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness import witness
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.model.evidence import CheckState, Fault
from setpoint.ports import Measured

RAISES = "raises"
_LEAST_S = 5.0
_TIMES_GREEN = 5
"""Tests that take this many times as long as without a sabotage hang, which counts as noticed."""


class Sabotaged(NamedTuple):
    """What the tests made of one function's sabotage."""

    function: ChangedFunction
    reached: bool
    """Whether any test entered it."""
    survived: str
    """What no test noticed, in words; empty where each sabotage was noticed."""

    @property
    def proved(self) -> bool:
        """Whether a test entered it, and noticed each sabotage."""
        return self.reached and not self.survived


@dataclass(kw_only=True)
class Saboteur:
    """Sabotages functions of one result in a place of their own."""

    subject: Subject
    there: Measured
    asked: tuple[frozenset[str], ...]
    """Groups of tests that pass on the result; each is asked where those before notice nothing."""
    commands: tuple[Acceptance, ...] = ()
    """Acceptance commands that pass on the result; they are asked last."""
    sound: set[str] = field(default_factory=set, init=False)
    """Tests that pass in this place without a sabotage."""
    unsound: set[str] = field(default_factory=set, init=False)
    limits: dict[frozenset[str], float] = field(default_factory=dict, init=False)
    """Seconds that groups of tests may take with a sabotage."""

    async def sabotage(self, function: ChangedFunction) -> Sabotaged:
        """Let a function raise, then return nothing: each time a test that passes on the result must fail."""
        for does, sabotage in function.sabotages.items():
            done = new_mark(self.there)
            noticed = await self.notices(function, sabotage, done)
            if not noticed and does == RAISES and not done.exists():
                return Sabotaged(function, reached=False, survived="")
            if not noticed and (done.exists() or not function.marks):
                return Sabotaged(function, reached=True, survived=does)
        return Sabotaged(function, reached=True, survived="")

    async def notices(self, function: ChangedFunction, sabotage: Sabotage, mark: Path) -> bool:
        """Whether a test or command fails while a function is sabotaged; it may leave a file at the mark."""
        file, source = Path(self.there.copy.path) / function.path, self.subject.after[function.path]
        tests = [speaking(self.subject, function, each) for each in self.asked]
        return await self._noticed(file, (source, function.sabotaged(source, sabotage, mark)), tests)

    async def readers(self, functions: Collection[ChangedFunction], tests: frozenset[str]) -> frozenset[str]:
        """Return tests that fail where functions are only written otherwise: they read the source.

        Such a test fails with each sabotage, and says nothing about what the code does.
        """
        mark = new_mark(self.there)
        written: dict[str, list[ChangedFunction]] = {}
        for each in functions if tests else ():
            if each.harmless:
                written.setdefault(each.path, []).append(each)
        for path, own in written.items():
            together = tuple(insertion for each in own for insertion in each.harmless)
            text = own[0].sabotaged(self.subject.after[path], together, mark)
            await asyncio.to_thread((Path(self.there.copy.path) / path).write_bytes, text)
        red = (await self.subject.run_tests(sorted(tests), self.there)).red if tests else frozenset[str]()
        for path in written:
            source = self.subject.after[path]
            await asyncio.to_thread((Path(self.there.copy.path) / path).write_bytes, source)
        return red & tests

    async def _noticed(self, file: Path, texts: tuple[bytes, bytes], asked: list[list[str]]) -> bool:
        """Put the second of two texts into a file; whether tests or commands tell it from the first.

        The witnesses run first, and where they stay green every test that passes on the result. A test that
        fails in this place with the first text too tells nothing.
        """
        plain, sabotaged = texts
        for tests in filter(None, asked):
            limit_s = await self._limit(tests)
            await asyncio.to_thread(file.write_bytes, sabotaged)
            red = await self._red(tests, limit_s)
            await asyncio.to_thread(file.write_bytes, plain)
            if red and red - await self._always_red(red):
                return True
        await asyncio.to_thread(file.write_bytes, sabotaged)
        results = [await self._limited(command).run(self.there) for command in self.commands]
        await asyncio.to_thread(file.write_bytes, plain)
        return any(each.state is CheckState.FAIL or each.evidence.fault is Fault.TIMEOUT for each in results)

    def _limited(self, command: Acceptance) -> Acceptance:
        """Return a command with the time that it may take, by what it took on the result."""
        now = self.subject.now.results
        took_s = max(
            (each.evidence.duration_s for each in now if each.evidence.check == command.name), default=0.0
        )
        return replace(command, timeout_s=min(command.timeout_s, limit_of(took_s)))

    async def _limit(self, tests: list[str]) -> float:
        """Return the seconds that tests may take, by a run without a sabotage; each group has one."""
        known = frozenset(tests)
        if known not in self.limits:
            began_s = time.monotonic()
            red = (await self.subject.run_tests(tests, self.there)).red
            self.limits[known] = limit_of(time.monotonic() - began_s)
            self.unsound |= red & known
            self.sound |= known - red
        return self.limits[known]

    async def _red(self, tests: list[str], limit_s: float) -> frozenset[str]:
        """Run tests; in languages that are compiled a failing build does not count as a failing test."""
        red = (await self.subject.run_tests(tests, self.there, limit_s)).red
        python = not owner(tests[0], self.subject.task.project.chosen)
        return red if python else red & set(tests)

    async def _always_red(self, tests: frozenset[str]) -> frozenset[str]:
        """Return which of some tests fail in this place without a sabotage; each is asked once."""
        if unknown := tests - self.sound - self.unsound:
            red = (await self.subject.run_tests(sorted(unknown), self.there)).red
            self.unsound |= red & unknown
            self.sound |= unknown - red
        return tests & self.unsound


def limit_of(green_s: float) -> float:
    """Return the seconds after which tests hang that took `green_s` without a sabotage."""
    return max(_LEAST_S, _TIMES_GREEN * green_s)


def new_mark(there: Measured) -> Path:
    """Name a file that shows that a function was entered: where held tests may write, and do not look."""
    return Path(there.copy.path) / ".git" / f"entered-{secrets.token_hex(8)}"


def speaking(subject: Subject, function: ChangedFunction, tests: frozenset[str]) -> list[str]:
    """Return the tests in the language of a function."""
    chosen, own = subject.task.project.chosen, suffix_of(function.path)
    runners = {".go": ("go_test",), ".rs": ("cargo_test",), "": ("",)}.get(
        own, ("vitest", "jest", "node_test")
    )
    return sorted(test for test in tests if owner(test, chosen) in runners)


async def pinning(subject: Subject) -> frozenset[str]:
    """Return tests of the change that pass with the code of the base too: they pin what it did."""
    before = subject.base.tests.outcomes if subject.base.tests else {}
    new = [test for test in sorted(witness.passed_in(subject.now.tests)) if test not in before]
    if not new:
        return frozenset()
    return witness.passed_in(await subject.run_tests(new, await subject.without_its_code())) & set(new)
