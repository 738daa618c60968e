"""The lines that tests of Go run: a test program is built once with counters, and runs each test alone."""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage.go_profile import blocks_of, hits_of
from setpoint.checks.formats.coverage.statements import Start as Statement
from setpoint.checks.formats.tests.stack_frames import places_in
from setpoint.checks.localise.spectra import GRACE_S, Ran, Watched
from setpoint.checks.suites.go import held, split_flags
from setpoint.checks.suites.package_coverage import NO_PARSER, statements_at
from setpoint.checks.suites.package_suite import RUNNERS, PackageSuite
from setpoint.checks.suites.runner import Start
from setpoint.checks.suites.watched_runs import module_of
from setpoint.model.evidence import Failure
from setpoint.ports import Measured
from setpoint.system.processes import Completed
from setpoint_probe.localise.ochiai import Line

MOST_PASSING = 100
"""Passing tests that are run of one package."""
_ENDED = re.compile(r"^\s*--- (?P<how>PASS|FAIL): (?P<name>\S+)", re.MULTILINE)
_TEST = re.compile(r"(?:Test|Example)\w*")
_PANIC = re.compile(r"^panic: |^fatal error: ", re.MULTILINE)
Statements = Mapping[str, tuple[Statement, ...]]


@dataclass(frozen=True, kw_only=True)
class GoSpectra:
    """Runs the failing tests of Go, then passing ones of the same packages."""

    suite: PackageSuite

    def owns(self, test: str) -> bool:
        """Whether a test is one of Go: a package is not, which did not build or died."""
        return "::" in test and RUNNERS[self.suite.name].owns(test)

    async def watch(self, measured: Measured, failing: Sequence[Failure], limit_s: float) -> Watched:
        """Build and run the test programs of the packages with failing tests."""
        tree, began = Path(measured.copy.path).resolve(), time.monotonic()
        statements = await statements_at(tree, measured.commit, self.suite)
        if statements is None:
            return Watched(why=NO_PARSER)
        tests: dict[str, Ran] = {}
        notes: list[str] = []
        whys: list[str] = []
        named = tuple(dict.fromkeys(each.test for each in failing))
        for folder, share in self.suite.shares(tree, named):
            packages = dict.fromkeys(test.partition("::")[0] for test in share or ())
            for package in packages:
                with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as scratch:
                    start = self.suite.start(tree, folder, Path(scratch).resolve())
                    start = replace(start, timeout_s=limit_s + GRACE_S)
                    one = _Package(start=start, name=package, statements=statements, until=began + limit_s)
                    mine = [test for test in share or () if test.partition("::")[0] == package]
                    whys.append(await one.run(_deepest(mine)))
                    tests.update(one.tests)
                    notes += one.notes
        why = "; ".join(filter(None, whys))
        return Watched(
            tests=tuple(tests.values()), took_s=time.monotonic() - began, why=why, note="; ".join(notes)
        )


class _Package:
    """The test program of one package."""

    def __init__(self, *, start: Start, name: str, statements: Statements, until: float) -> None:
        module = module_of(start.place)
        below = name.removeprefix(module).strip("/") if module and f"{name}/".startswith(f"{module}/") else ""
        self._start, self._name, self._statements, self._until = start, name, statements, until
        self._module = module
        self._within = f"{start.folder}/" if start.folder else ""
        self._below = below
        self._at = replace(start, folder=f"{self._within}{below}".rstrip("/"))
        self._flags = split_flags(start.args)
        self._program = start.scratch / "package.test"
        self.tests: dict[str, Ran] = {}
        self.notes: list[str] = []

    async def run(self, failing: Sequence[str]) -> str:
        """Run failing tests, then passing ones; says why where nothing came of it."""
        if why := await self._build():
            return why
        passing: dict[str, None] = {}
        panicked = 0
        for test in failing:
            done = await self._alone(test)
            if done is None:
                break
            ran = await self._ran(test, done)
            panicked += ran is not None and not self._profile.is_file()
            if ran is not None and ran.failed:
                self.tests[test] = ran
            name = test.partition("::")[2].partition("/")[0]
            passing.update(dict.fromkeys(await self._passing_parts(name)) if "/" in test else {})
        passing.update(dict.fromkeys(await self._others({each.partition("::")[2] for each in failing})))
        for name in list(passing)[:MOST_PASSING]:
            test = f"{self._name}::{name}"
            done = await self._alone(test) if test not in self.tests else None
            if done is not None and done.ok and (ran := await self._ran(test, done)) is not None:
                self.tests[test] = ran
        if panicked:
            self.notes.append(
                f"{panicked} of the failing tests end in a panic and leave no profile: "
                "of these only the lines of the stack are known"
            )
        return ""

    async def _build(self) -> str:
        """Build it with the counters of all packages, or its own alone where another one does not build."""
        build = ("test", "-c", "-o", str(self._program), "-vet=off", "-covermode=set", *self._flags.build)
        words = (*self._start.program.argv, *build)
        package = f"./{self._below}" if self._below else "."
        done = await self._start.call((*words, "-coverpkg=./...", package))
        if not done.ok:
            done = await self._start.call((*words, "-cover", package))
        if done.ok and self._program.is_file():
            return ""
        return f"{self._name} does not build with counters: {done.ending}{results.tail(done)}"

    @property
    def _profile(self) -> Path:
        return self._start.scratch / "cover.out"

    async def _alone(self, test: str) -> Completed | None:
        """Run one test; none where the time is up."""
        if time.monotonic() > self._until:
            return None
        self._profile.unlink(missing_ok=True)
        parts = test.partition("::")[2].split("/")
        pattern = "/".join(f"^{re.escape(part)}$" for part in parts)
        return await self._call(f"-test.run={pattern}", f"-test.coverprofile={self._profile}")

    async def _call(self, *words: str) -> Completed:
        started = (*held(self._start), str(self._program), *self._flags.run, *words)
        return await self._at.call(started, merged=True)

    async def _others(self, failing: set[str]) -> list[str]:
        """Name the tests that do not fail."""
        done = await self._call("-test.list=.")
        red = {name.partition("/")[0] for name in failing}
        names = done.stdout.decode("utf-8", "replace").split()
        return [name for name in names if _TEST.fullmatch(name) and name not in red]

    async def _passing_parts(self, test: str) -> list[str]:
        """Name the parts of a test that pass."""
        if time.monotonic() > self._until:
            return []
        done = await self._call(f"-test.run=^{re.escape(test)}$", "-test.v")
        said = done.stdout.decode("utf-8", "replace")
        passed = [each["name"] for each in _ENDED.finditer(said) if each["how"] == "PASS"]
        return [name for name in _deepest(passed) if "/" in name]

    async def _ran(self, test: str, done: Completed) -> Ran | None:
        """Say what a test ran; of one that panics no more is known than its stack."""
        said = done.stdout.decode("utf-8", "replace")
        frames = tuple(reversed(places_in(said, self._start.sources()))) if _PANIC.search(said) else ()
        frames = tuple(frame for frame in frames if frame[0] in self._statements)
        if not self._profile.is_file():
            return Ran(test=test, failed=True, lines=frozenset(frames), frames=frames) if frames else None
        try:
            lines = await asyncio.to_thread(lambda: frozenset(self._lines()))
        except (BadReport, OSError):
            return None
        return Ran(test=test, failed=not done.ok, lines=lines, frames=frames)

    def _lines(self) -> Iterator[Line]:
        blocks = blocks_of(self._profile.read_bytes(), self._start.sources())
        for name, each in blocks.items():
            file = self._within + name.removeprefix(f"{self._module}/")
            hits = hits_of(each, self._statements[file]) if file in self._statements else {}
            yield from ((file, line) for line, times in hits.items() if times)


def _deepest(tests: Sequence[str]) -> list[str]:
    """Leave out tests whose parts are named too."""
    return [test for test in tests if not any(other.startswith(f"{test}/") for other in tests)]
