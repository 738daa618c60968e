"""Running the project's tests with pytest, and believing only our own report of it."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from setpoint.domain.evidence import CheckResult, CheckState, Outcome, TestReport
from setpoint.evaluators import results
from setpoint.evaluators.discovery.interpreter import Interpreter, environment
from setpoint.evaluators.discovery.layout import Layout
from setpoint.evaluators.footing import Footing, reason, said, stood, without
from setpoint.evaluators.formats import pytest_report
from setpoint.evaluators.formats.bad import BadReport
from setpoint.evaluators.formats.pytest_report import Suite
from setpoint.evaluators.inside import PLUGIN, UNITTEST
from setpoint.evaluators.suites.ahead import rewritten
from setpoint.evaluators.suites.reported import judge, reported, state_of, with_flaky
from setpoint.evaluators.suites.standby import Standby
from setpoint.evaluators.words import as_word, in_chunks
from setpoint.ports import Measured
from setpoint.processes import Command, Completed, run
from setpoint.store.artifacts import Artifacts

_NO_COV = "no:pytest_cov"
MOST_RERUN = 20
"""More failing tests than this are broken, not flaky: none is run again."""
MORE_TRIES = 2
"""Tries on top of the others for a test that flips at the base too."""


@dataclass(frozen=True, kw_only=True)
class Again:
    """How often tests run again in forks of the process that has collected them and run nothing."""

    times: int
    settled: frozenset[str] = frozenset()
    """Tests that are not run again though they fail."""
    every: bool = False
    """All tests each time; else those that failed the last time."""
    held: bool = False
    """The tests run in that process itself, and a fork of it waits; else each run is a fork."""
    word: Path | None = None
    """A file that says which tests these are and how often; it is waited for when all are collected."""


@dataclass(frozen=True, kw_only=True)
class Runner:
    """How this project's tests are started."""

    interpreter: Interpreter
    layout: Layout
    artifacts: Artifacts
    timeout_s: float
    args: tuple[str, ...] = ()
    """Arguments of the settings, added to every run."""
    cover: tuple[str, ...] | None = None
    """Options of `coverage run`; none runs without coverage."""
    name: Literal["pytest", "unittest"] = "pytest"
    """The check, and what runs the tests."""
    data_file: Path | None = None
    """Where coverage keeps its data, outside the tree."""
    saved: Path | None = None
    """A file that comes to be when coverage has saved its data in one file; none: nobody asks."""
    memory_bytes: int | None = None
    """Address space of each process; none: unlimited."""
    plugins: tuple[str, ...] = ()
    """Plugins of ours beside the one that reports."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables on top of the project's, for these plugins."""
    leave_out: frozenset[str] = frozenset()
    """Identifiers of tests that are not to run."""
    files: tuple[str, ...] = ()
    """Files in which all wanted tests stand; empty: anywhere."""
    again: Again | None = None
    """How often what fails runs again without a new start, where it can; none: not at all."""
    reach: Path | None = None
    """Where a whole run of pytest leaves the map of what each test reached; none makes no map."""
    begun: asyncio.Event | None = None
    """Is set when pytest has a processor for itself; none: nobody waits for it."""
    bytecode: str = ""
    """What pytest is told of what files compile to (`inside/setpoint_bytecode.py`); empty keeps nothing."""

    @property
    def plain(self) -> bool:
        """Whether nothing watches the tests."""
        return self.cover is None and self.reach is None


@dataclass(frozen=True, kw_only=True)
class TestSuite:
    """The project's tests, all of them or a selection; failing ones are run again alone before they count."""

    __test__ = False
    runner: Runner
    only: tuple[str, ...] | None = None
    """Identifiers of tests, or of files that could not be collected; none means the whole suite."""
    reruns: int = 0
    settled: frozenset[str] = frozenset()
    """Tests that are red at the base, which are not run again."""
    shaky: frozenset[str] = frozenset()
    """Tests that were flaky at the base: they get `MORE_TRIES` tries more before a failure counts."""
    footing: Footing | None = None
    """Where a selection is compared before its red tests count; none where nothing is known of another."""

    ran: asyncio.Event | None = None
    """Is set when the tests have run, before any of them is run again."""

    @property
    def name(self) -> str:
        """Name the check after what runs the tests."""
        return self.runner.name

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tests of a tree."""
        ahead = self._standby(measured)
        try:
            return await self._run(measured, ahead)
        finally:
            await ahead.leave()

    def _standby(self, measured: Measured) -> Standby:
        """Get ready for the comparison while the selection runs, where there will be one."""
        footing, only = self.footing, self.only

        async def start(word: Path) -> list[Suite]:
            if footing is None or only is None:
                return []
            again = Again(times=self.reruns, every=True, word=word)
            return await self._tried(await footing.there(measured), only, again)

        def matters(test: str) -> bool:
            return footing is not None and test not in self.settled and bool(footing.doubtful((test,)))

        return Standby(start if footing is not None and only is not None else None, matters)

    async def _run(self, measured: Measured, ahead: Standby) -> CheckResult:
        try:
            done, suite, broken = await self._run_first(measured, ahead)
        finally:
            if self.ran is not None:
                self.ran.set()
        of_pytest = self.name == "pytest" and suite.version  # unittest has the version of its Python
        version = f"pytest {suite.version}" if of_pytest else self.name
        report = reported(
            suite, done, Path(measured.copy.path), self.runner.layout.owns, complete=self.only is None
        )
        state, why = (CheckState.ERROR, broken) if broken else judge(suite, done, report)
        if state is CheckState.FAIL:
            report, last = await self._without_flaky(measured, report, suite)
            report = await self._compared(measured, report, last, ahead)
            state, why = state_of(report), reason(report)
        tool = f"{version}, Python {self.runner.interpreter.version}"
        ran = results.Ran(
            check=self.name, tree=measured.tree, done=done, artifacts=self.runner.artifacts, tool=tool
        )
        return ran.gave(state, why, tests=report, counts=report.counts)

    async def _run_first(self, measured: Measured, ahead: Standby) -> tuple[Completed, Suite, str]:
        """Run under coverage where that is wanted; where coverage itself breaks the run, without it."""
        # What a verdict rests on, the whole suite, runs in the process that was started for it.
        again = Again(times=self.reruns, settled=self.settled, held=self.only is None)
        first = await run_once(replace(self.runner, again=again), measured, self.only, ahead.watch)
        _, suite, broken = first
        if self.runner.plain or not (broken or suite.internal_error):
            return first
        plain = replace(self.runner, cover=None, reach=None, again=again)
        second = await run_once(plain, measured, self.only)
        if second[2] or second[1].internal_error:
            return first
        if self.runner.data_file is not None:
            for data in self.runner.data_file.parent.glob(f"{self.runner.data_file.name}*"):
                data.unlink()
        return second

    async def _without_flaky(
        self, measured: Measured, report: TestReport, first: Suite
    ) -> tuple[TestReport, tuple[str, ...] | None]:
        """Run what failed again, in a process that ran nothing before; what passes then is flaky.

        Gives also the selection in which the rest failed the last time. Of a file that cannot be collected
        it is not known what would have to pass; in a selection it runs again to be compared.
        """
        last, made = self.only, list(first.again)
        out = self.settled | (frozenset(first.uncollected) if self.only is None else frozenset())
        for tried in range(self.reruns + MORE_TRIES if self.reruns else 0):
            again = [
                test
                for test, outcome in report.outcomes.items()
                if outcome.red and test not in out and (tried < self.reruns or test in self.shaky)
            ]
            if not again or len(again) > MOST_RERUN:
                break
            if not made or set(made[0].collected) != set(again):
                made = await self._tried(measured, tuple(again), Again(times=max(0, self.reruns - tried - 1)))
            suite = made.pop(0)
            if suite.exit is None:
                break
            passed = {test for test in again if suite.outcomes.get(test) is Outcome.PASSED}
            report = with_flaky(report, passed)
            last = tuple(again) if tried < self.reruns else last
        return report, last

    async def _compared(
        self, measured: Measured, report: TestReport, last: tuple[str, ...] | None, ahead: Standby
    ) -> TestReport:
        """Run what is red in a selection where the work has no part; what is red there too is not its doing.

        `last` is the selection in which tests that stood there failed the last time. Those that were red
        there already were not run again: they are asked in the selection itself.
        """
        if self.footing is None or self.only is None or last is None:
            return report
        apart: set[str] = set()
        doubtful = self.footing.doubtful(report.red)
        alone = last is not self.only  # then it failed several times here, so one pass there may be chance
        times, made = max(1, self.reruns) if alone else 1, list[Suite]()
        for number in range(times):
            if doubtful <= apart:
                break
            again = Again(times=times - number - 1, every=True)
            made = made or await ahead.ask(last, again.times)
            made = made or await self._tried(await self.footing.there(measured), last, again)
            outcomes = made.pop(0).outcomes
            apart |= {test for test in doubtful if not stood(test, outcomes)}
        await ahead.leave()
        if other := self.footing.otherwise(report.failures):
            suite = (await self._tried(await self.footing.there(measured), self.only, None))[0]
            found = reported(suite, None, self.footing.place, self.runner.layout.owns, complete=False)
            before = {failure.test: said(failure) for failure in found.failures}
            now = {failure.test: said(failure) for failure in report.failures}
            apart |= {test for test in other if before.get(test) == now[test]}
        return without(report, frozenset(apart))

    async def _tried(self, measured: Measured, only: tuple[str, ...], again: Again | None) -> list[Suite]:
        """Run a selection, and again as far as that needs no new start; nothing seen where it breaks."""
        runner = replace(self.runner, cover=None, reach=None, again=again)
        _, suite, broken = await run_once(runner, measured, only)
        return [Suite()] if broken else [suite, *suite.again]


async def _unwatched(report: Path) -> None:
    del report


async def run_once(
    runner: Runner,
    measured: Measured,
    only: tuple[str, ...] | None,
    watch: Callable[[Path], Coroutine[None, None, None]] = _unwatched,
) -> tuple[Completed, Suite, str]:
    """Run pytest once; gives also why the report cannot be used, empty where it can.

    `watch` is given the place of the report, and is cancelled when the process has ended.
    """
    tree = Path(measured.copy.path)
    with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
        scratch = Path(folder)
        report = scratch / "report.jsonl"
        variables = environment(runner.interpreter, tree, runner.layout.imports)
        variables |= {"SETPOINT_REPORT_FILE": str(report), **runner.variables}
        if only is not None or runner.leave_out or _again(runner):
            selection = scratch / "select.json"
            asked = {"only": only, "leave_out": sorted(runner.leave_out), **_again(runner)}
            selection.write_text(json.dumps(asked), "utf-8")
            variables["SETPOINT_REPORT_SELECT"] = str(selection)
        if runner.reach is not None and only is None and runner.name == "pytest":
            variables["SETPOINT_REACH_FILE"] = str(runner.reach)
        if runner.bytecode and runner.name == "pytest":
            variables["SETPOINT_BYTECODE"] = runner.bytecode
        if runner.cover is not None:
            variables["COVERAGE_FILE"] = str(runner.data_file)
            if runner.saved is not None:
                variables["SETPOINT_SAVED"] = str(runner.saved)
        argv = _argv(runner, tree, scratch, only)
        command = Command(
            argv=argv,
            cwd=tree,
            timeout_s=runner.timeout_s,
            merge_stderr=True,
            memory_bytes=runner.memory_bytes,
        )
        folders = _ahead(runner, scratch) if only is None else ()
        begun = runner.begun or asyncio.Event()
        async with rewritten(runner.interpreter, runner.layout, tree, folders, begun) as told:
            done = await _run_beside(watch(report), replace(command, environment={**variables, **told}))
        try:
            suite = await asyncio.to_thread(pytest_report.read, report)
        except BadReport as error:
            return done, Suite(), f"{error}: {done.ending}{results.tail(done)}"
    if not suite.version:
        return done, suite, f"{runner.name} never started: {done.ending}{results.tail(done)}"
    return done, suite, ""


def _ahead(runner: Runner, scratch: Path) -> tuple[Path, ...]:
    """Name where tests are rewritten ahead of pytest; nowhere where it finds what an earlier run has left."""
    how, _, kept = runner.bytecode.partition(":")
    if runner.name != "pytest" or how == "take":
        return ()
    return (scratch / "ahead", *([Path(kept)] if kept else []))


async def _run_beside(watching: Coroutine[None, None, None], command: Command) -> Completed:
    """Run a command, and something else for at most as long."""
    other = asyncio.create_task(watching)
    try:
        done = await run(command)
    finally:
        other.cancel()
        await asyncio.wait([other])
    if not other.cancelled():
        other.result()
    return done


def _again(runner: Runner) -> dict[str, object]:
    """Say how often what fails runs again; where anything watches the tests, they run in one process."""
    asked = runner.again
    if asked is None or not asked.times or not (runner.plain or asked.held) or runner.name != "pytest":
        return {}
    most = min(asked.times, pytest_report.MOST_AGAIN)
    said: dict[str, object] = {"again": most, "settled": sorted(asked.settled), "most": MOST_RERUN}
    said |= {"every": asked.every, "held": asked.held}
    return said if asked.word is None else {**said, "word": str(asked.word)}


def _argv(runner: Runner, tree: Path, scratch: Path, only: tuple[str, ...] | None) -> tuple[str, ...]:
    argv = [runner.interpreter.path]
    if runner.cover is not None:
        argv += ["-m", "coverage", "run", *runner.cover]
    if runner.name == "unittest":
        return (*argv, str(UNITTEST), *_files_of_unittest(runner, only))
    argv += ["-m", "pytest", "-p", PLUGIN, "--rootdir=.", "--confcutdir=.", "--maxfail=0", "--color=no"]
    argv.append("--continue-on-collection-errors")
    argv += [word for plugin in runner.plugins for word in ("-p", plugin)]
    argv += ["-o", f"cache_dir={scratch / 'cache'}"]
    if (
        not runner.layout.pytest_config
    ):  # else pytest goes up and takes the configuration of the user's own tree
        empty = scratch / "pytest.ini"
        empty.write_text("[pytest]\n", "utf-8")
        argv += ["-c", str(empty)]
    # Both plugins are named: where the project's own options switch them off, their words are not known.
    if runner.interpreter.has("pytest-xdist") and "no:xdist" not in runner.args:
        argv += ["-p", "xdist", "-n0"]  # one process: workers share ports and files, and hide coverage
    if runner.cover is not None and runner.interpreter.has("pytest-cov") and _NO_COV not in runner.args:
        argv += ["-p", "pytest_cov", "--no-cov"]  # one tracer at a time
    argv += runner.args
    if only is not None:
        files = sorted({file for test in only if (tree / (file := test.partition("::")[0])).exists()})
    else:
        files = [file for file in runner.files if (tree / file).exists()]
    # The plugin selects; files only spare pytest to look at others. More than a command can hold go without.
    return (*argv, *map(as_word, files)) if len([*in_chunks(files)]) <= 1 else tuple(argv)


def _files_of_unittest(runner: Runner, only: tuple[str, ...] | None) -> list[str]:
    """Name the files in which unittest looks for tests: those that its own discovery would take."""
    asked = None if only is None else {test.partition("::")[0] for test in only}
    every = dict.fromkeys((*runner.layout.tests, *runner.files))
    found = [file for file in every if file.rpartition("/")[2].startswith("test")]
    return [file for file in found if asked is None or file in asked]
