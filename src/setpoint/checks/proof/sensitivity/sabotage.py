"""Sabotage one function at a time, and see whether a test notices."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.parsing import is_script, suffix_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Sabotage
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness import witness
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.model.evidence import OWN_TESTS, CheckState, Fault, TestReport
from setpoint.ports import Measured

RAISES, OTHER = "raises", "returns something else"
_LEAST_S = 5.0
_TIMES_GREEN = 5
"""Tests that take this many times as long as without a sabotage hang, which counts as noticed."""
_LEAST_WITH_BUILD_S = 60.0
_COMPILED = frozenset({"go_test", "cargo_test"})
_VOID = "with this no test runs"
_NONE = "Setpoint can make no other value of this type"


class Fate(StrEnum):
    """What became of one sabotage."""

    NOTICED = "noticed"
    SURVIVED = "survived"
    VOID = "void"
    """The tests did not run: it does not compile, or the module does not load."""


class Limit(NamedTuple):
    """Seconds that tests may take."""

    whole_s: float
    """With their build."""
    alone_s: float
    """Without it."""


class Sabotaged(NamedTuple):
    """What the tests made of one function's sabotage."""

    function: ChangedFunction
    reached: bool
    """Whether any test entered it."""
    survived: str
    """What no test noticed, in words; empty where each sabotage was noticed."""
    untried: str = ""
    """What could not be tried, in words."""

    @property
    def proved(self) -> bool:
        """Whether a test entered it, and noticed each sabotage."""
        return self.reached and not self.survived

    @property
    def void(self) -> bool:
        """Whether nothing could be tried."""
        return not self.reached and bool(self.untried)


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
    limits: dict[frozenset[str], Limit] = field(default_factory=dict, init=False)
    """Seconds that groups of tests may take with a sabotage."""

    async def sabotage(self, function: ChangedFunction) -> Sabotaged:
        """Let a function raise, then return nothing: each time a test that passes on the result must fail."""
        untried: list[str] = []
        for does, sabotage in function.sabotages.items():
            done = new_mark(self.there)
            fate = await self._fate(function, sabotage, done)
            entered = done.exists() or (fate is Fate.VOID and is_script(suffix_of(function.path)))
            if does == RAISES and fate is not Fate.NOTICED and not entered:
                return await self._other_value(function, [f"{does}: {_VOID}"] if fate is Fate.VOID else [])
            if fate is Fate.VOID:
                untried.append(f"{does}: {_VOID}")
            elif fate is Fate.SURVIVED:
                if entered or await self._really(function, does):
                    return Sabotaged(function, reached=True, survived=does)
                untried += [f"{does}: {_NONE}"] if does == OTHER and not function.marks else []
        if not function.sabotages:
            return await self._other_value(function, untried)
        return Sabotaged(function, reached=True, survived="", untried="; ".join(untried))

    async def _really(self, function: ChangedFunction, does: str) -> bool:
        """Whether a sabotage that no test notices did anything, where it leaves no mark."""
        if does == OTHER and function.probe:
            return await self._fate(function, function.probe, new_mark(self.there)) is not Fate.SURVIVED
        return not function.marks

    async def _other_value(self, function: ChangedFunction, untried: list[str]) -> Sabotaged:
        """Let a value outside functions be another one; what the compiler refuses is tried in another way."""
        untried = untried or ([_VOID] if function.values else [])
        for at, sabotage in enumerate(function.values):
            fate = await self._fate(function, sabotage, new_mark(self.there))
            if fate is Fate.NOTICED:
                return Sabotaged(function, reached=True, survived="")
            if fate is Fate.SURVIVED:
                probe = () if at else function.value_probe
                same = probe and await self._fate(function, probe, new_mark(self.there)) is Fate.SURVIVED
                if not same:
                    return Sabotaged(function, reached=False, survived="")
                untried = [f"has another value: {_NONE}"]
        return Sabotaged(function, reached=False, survived="", untried="; ".join(untried))

    async def _fate(self, function: ChangedFunction, sabotage: Sabotage, mark: Path) -> Fate:
        file, source = Path(self.there.copy.path) / function.path, self.subject.after[function.path]
        tests = [speaking(self.subject, function, each) for each in self.asked]
        return await self._noticed(file, (source, function.sabotaged(source, sabotage, mark)), tests)

    async def notices(self, function: ChangedFunction, sabotage: Sabotage, mark: Path) -> bool:
        """Whether a test or command fails while a function is sabotaged; it may leave a file at the mark."""
        return await self._fate(function, sabotage, mark) is Fate.NOTICED

    async def overlooks(self, function: ChangedFunction, sabotage: Sabotage, mark: Path) -> bool:
        """Whether all tests and commands ran and passed while a function is sabotaged."""
        return await self._fate(function, sabotage, mark) is Fate.SURVIVED

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
        red = frozenset[str]()
        if tests:
            red = failing(self.subject, tests, await self.subject.run_tests(sorted(tests), self.there))
        for path in written:
            source = self.subject.after[path]
            await asyncio.to_thread((Path(self.there.copy.path) / path).write_bytes, source)
        return red

    async def _noticed(self, file: Path, texts: tuple[bytes, bytes], asked: list[list[str]]) -> Fate:
        """Put the second of two texts into a file; whether tests or commands tell it from the first.

        The witnesses run first, and where they stay green every test that passes on the result. A test that
        fails in this place with the first text too tells nothing.
        """
        plain, sabotaged = texts
        void = False
        for tests in filter(None, asked):
            limit = await self._limit(tests)
            await asyncio.to_thread(file.write_bytes, sabotaged)
            red, ran = await self._red(tests, limit)
            await asyncio.to_thread(file.write_bytes, plain)
            if red and red - await self._always_red(red):
                return Fate.NOTICED
            void = void or not ran
        if void:
            return Fate.VOID
        await asyncio.to_thread(file.write_bytes, sabotaged)
        results = [await self._limited(command).run(self.there) for command in self.commands]
        await asyncio.to_thread(file.write_bytes, plain)
        late = any(each.state is CheckState.FAIL or each.evidence.fault is Fault.TIMEOUT for each in results)
        return Fate.NOTICED if late else Fate.SURVIVED

    def _limited(self, command: Acceptance) -> Acceptance:
        """Return a command with the time that it may take, by what it took on the result."""
        now = self.subject.now.results
        took_s = max(
            (each.evidence.duration_s for each in now if each.evidence.check == command.name), default=0.0
        )
        return replace(command, timeout_s=min(command.timeout_s, limit_of(self.subject, (), took_s)))

    async def _limit(self, tests: list[str]) -> Limit:
        """Return the seconds that tests may take, by a run without a sabotage; each group has one."""
        known = frozenset(tests)
        if known not in self.limits:
            began_s = time.monotonic()
            red = (await self.subject.run_tests(tests, self.there)).red
            self.limits[known] = limits_of(self.subject, tests, time.monotonic() - began_s)
            self.unsound |= red & known
            self.sound |= known - red
        return self.limits[known]

    async def _red(self, tests: list[str], limit: Limit) -> tuple[frozenset[str], bool]:
        """Run tests; return those that fail, and whether they ran.

        Where another language does not build or a module does not load, no test fails and none runs.
        """
        report = await self.subject.run_tests(tests, self.there, *limit)
        if not owner(tests[0], self.subject.task.project.chosen):
            return report.red, True
        red = failing(self.subject, tests, report)
        # A failing build makes all tests of Rust red.
        return red, bool(red) or not set(tests) - (report.outcomes.keys() - (report.red - red))

    async def _always_red(self, tests: frozenset[str]) -> frozenset[str]:
        """Return which of some tests fail in this place without a sabotage; each is asked once."""
        if unknown := tests - self.sound - self.unsound:
            red = (await self.subject.run_tests(sorted(unknown), self.there)).red
            self.unsound |= red & unknown
            self.sound |= unknown - red
        return tests & self.unsound


def limit_of(subject: Subject, tests: Collection[str], green_s: float) -> float:
    """Return the seconds after which tests hang that took `green_s` without a sabotage, with their build."""
    builds = any(owner(test, subject.task.project.chosen) in _COMPILED for test in tests)
    return max(_LEAST_WITH_BUILD_S if builds else _LEAST_S, _TIMES_GREEN * green_s)


def limits_of(subject: Subject, tests: Collection[str], green_s: float) -> Limit:
    """Return both limits; `green_s` includes the build."""
    return Limit(limit_of(subject, tests, green_s), limit_of(subject, (), green_s))


def new_mark(there: Measured) -> Path:
    """Name a file that shows that a function was entered: where held tests may write, and do not look."""
    return Path(there.copy.path) / ".git" / f"entered-{secrets.token_hex(8)}"


def failing(subject: Subject, tests: Collection[str], report: TestReport) -> frozenset[str]:
    """Return which of some tests ran and failed; where nothing was built, none did."""
    runners = {owner(test, subject.task.project.chosen) for test in tests}
    unbuilt = runners & _COMPILED and report.collection_errors
    return frozenset() if unbuilt else report.red & set(tests)


def speaking(subject: Subject, function: ChangedFunction, tests: frozenset[str]) -> list[str]:
    """Return the tests in the language of a function."""
    chosen, own = subject.task.project.chosen, suffix_of(function.path)
    known = {".go": ("go_test",), ".rs": ("cargo_test",), "": ("",)}
    runners = (*known.get(own, ("vitest", "jest", "node_test", "mocha")), OWN_TESTS)
    return sorted(test for test in tests if owner(test, chosen) in runners)


async def pinning(subject: Subject) -> frozenset[str]:
    """Return tests of the change that pass with the code of the base too: they pin what it did."""
    before = subject.base.tests.outcomes if subject.base.tests else {}
    new = [test for test in sorted(witness.passed_in(subject.now.tests)) if test not in before]
    if not new:
        return frozenset()
    return witness.passed_in(await subject.run_tests(new, await subject.without_its_code())) & set(new)
