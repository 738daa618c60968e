"""Running the project's tests with pytest, and believing only our own report of it."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from setpoint.checks import results
from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.discovery.interpreter import Interpreter, as_in_a_shell
from setpoint.checks.discovery.layout import Layout
from setpoint.checks.discovery.own_commands.python_call import PythonCall
from setpoint.checks.discovery.python_packages import TestRoot
from setpoint.checks.flaky.flaky import FlakyRule, state_of
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.tests import pytest_report
from setpoint.checks.formats.tests.pytest_report import Suite
from setpoint.checks.suites.order_dependence import Footing, reason, said, stood, without
from setpoint.checks.suites.outside_pattern import outside_pattern
from setpoint.checks.suites.pytest_packages import (
    Part,
    coverage_words,
    ignored,
    inside,
    parts_of,
    report_root,
    together,
)
from setpoint.checks.suites.pytest_result import fault_of, judge, reported
from setpoint.checks.suites.steps_before import run_before
from setpoint.checks.tools.argv import as_word, in_chunks
from setpoint.checks.under_way import reported_in
from setpoint.model.evidence import CheckResult, CheckState, Outcome, TestReport
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Completed, run
from setpoint_probe.plugin import PLUGIN, UNITTEST

_NO_COV = "no:pytest_cov"


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
    memory_bytes: int | None = None
    """Address space of each process; none: unlimited."""
    plugins: tuple[str, ...] = ()
    """Plugins of ours beside the one that reports."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables on top of the project's, for these plugins."""
    in_a_shell: bool = False
    """Whether it runs without the variables that a person's own shell would not have."""
    writes: tuple[Path, ...] = ()
    """Folders that these plugins write to."""
    leave_out: frozenset[str] = frozenset()
    """Identifiers of tests that are not to run."""
    files: tuple[str, ...] = ()
    """Files that hold all selected tests; empty: anywhere."""
    reach: Path | None = None
    """Where a whole run of pytest leaves the map of what each test reached; none makes no map."""

    root: TestRoot | None = None
    """The package that is run; none: all of them."""

    @property
    def roots(self) -> tuple[TestRoot, ...]:
        """Return the packages that run pytest apart; none where settings name what pytest is to run."""
        named = any("/" in word and not word.startswith("-") for word in self.args)
        alone = self.root is not None or self.name != "pytest" or named
        return () if alone else self.layout.test_roots

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Return the folders outside the tree in which the run leaves what is read afterwards."""
        data = self.data_file if self.cover is not None else None
        return (*self.writes, *(each.parent for each in (data, self.reach) if each is not None))

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
    flaky: FlakyRule = field(default_factory=FlakyRule)
    footing: Footing | None = None
    """Where a selection is compared before its failing tests count; none if there is none."""
    part: str = ""
    """The packages that are run before the whole suite, for a person; empty: this is another selection."""

    @property
    def name(self) -> str:
        """Name the check after what runs the tests."""
        return self.runner.name

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tests of a tree."""
        done, suite, broken = await self._run_first(measured)
        of_pytest = self.name == "pytest" and suite.version  # unittest has the version of its Python
        version = f"pytest {suite.version}" if of_pytest else self.name
        report = reported(
            suite, done, Path(measured.copy.path), self.runner.layout.owns, complete=self.only is None
        )
        state, why = (CheckState.ERROR, broken) if broken else judge(suite, done, report)
        if state is CheckState.FAIL:
            # Of a file that cannot be collected it is unknown which tests would have to pass; in a
            # selection it runs again to be compared.
            skip = suite.uncollected if self.only is None else ()
            again = partial(outcomes_of, self.runner, measured)
            report, last = await self.flaky.apply(report, self.only, again, skip)
            report = await self._compared(measured, report, last)
            state, why = state_of(report), reason(report)
        note = "" if broken else suite.note
        missed = "" if self.only else outside_pattern(suite, Path(measured.copy.path), self.runner.layout)
        part = f"for {self.part}" if self.part else ""
        why = "; ".join(each for each in (why, part, note, missed) if each)
        tool = f"{version}, Python {self.runner.interpreter.version}"
        ran = results.Ran(
            check=self.name, tree=measured.tree, done=done, artifacts=self.runner.artifacts, tool=tool
        )
        # A test during which the process hung may be at fault itself.
        fault = None if suite.running and done.exit_code not in results.KILLED else fault_of(done)
        return ran.gave(state, why, tests=report, counts=report.counts, fault=fault)

    async def _run_first(self, measured: Measured) -> tuple[Completed, Suite, str]:
        """Run under coverage where that is wanted; where coverage itself breaks the run, without it."""
        first = await run_once(self.runner, measured, self.only)
        _, suite, broken = first
        if self.runner.plain or not (broken or suite.internal_error):
            return first
        plain = replace(self.runner, cover=None, reach=None)
        second = await run_once(plain, measured, self.only)
        if second[2] or second[1].internal_error:
            return first
        if self.runner.data_file is not None:
            for data in self.runner.data_file.parent.glob(f"{self.runner.data_file.name}*"):
                data.unlink()
        return second

    async def _compared(
        self, measured: Measured, report: TestReport, last: tuple[str, ...] | None
    ) -> TestReport:
        """Run a selection's failures at the base; what fails there too does not count against the work.

        `last` is the selection in which tests of the base failed the last time. Those that failed
        there already were not run again: they are asked in the selection itself.
        """
        if self.footing is None or self.only is None or last is None:
            return report
        apart: set[str] = set()
        doubtful = self.footing.doubtful(report.red)
        alone = last is not self.only  # then it failed several times here, so one pass there may be chance
        for _ in range(max(1, self.flaky.reruns) if alone else 1):
            if doubtful <= apart:
                break
            outcomes = (await self._tried(await self.footing.there(measured), last)).outcomes
            apart |= {test for test in doubtful if not stood(test, outcomes)}
        if other := self.footing.otherwise(report.failures):
            suite = await self._tried(await self.footing.there(measured), self.only)
            found = reported(suite, None, self.footing.place, self.runner.layout.owns, complete=False)
            before = {failure.test: said(failure) for failure in found.failures}
            now = {failure.test: said(failure) for failure in report.failures}
            apart |= {test for test in other if before.get(test) == now[test]}
        return without(report, frozenset(apart))

    async def _tried(self, measured: Measured, only: tuple[str, ...]) -> Suite:
        """Run a selection that nothing watches; nothing seen where it breaks."""
        _, suite, broken = await run_once(replace(self.runner, cover=None, reach=None), measured, only)
        return Suite() if broken else suite


async def outcomes_of(
    runner: Runner, measured: Measured, only: tuple[str, ...]
) -> Mapping[str, Outcome] | None:
    """Run a selection that nothing watches; none if the run breaks or dies before it ends."""
    _, suite, broken = await run_once(replace(runner, cover=None, reach=None), measured, only)
    return None if broken or suite.exit is None else suite.outcomes


async def run_once(
    runner: Runner, measured: Measured, only: tuple[str, ...] | None
) -> tuple[Completed, Suite, str]:
    """Run the tests once; gives also why the report cannot be used, empty where it can."""
    if not runner.roots:
        return await _run_at(runner, measured, only)
    tree = Path(measured.copy.path)
    asked = await asyncio.to_thread(parts_of, runner.roots, tree, only, runner.files)
    parts = [
        Part(root, *await _run_at(_of_root(runner, root, tree), measured, share and inside(share, root)))
        for root, share in asked
    ]
    return together(parts, tree) if parts else await _run_at(runner, measured, only)


def _of_root(runner: Runner, root: TestRoot, tree: Path) -> Runner:
    """Say how the tests of one package are started, with names as pytest knows them there."""
    cover = None
    if runner.cover is not None:
        measured = (*runner.layout.packages, *runner.layout.loose_folders)
        cover = coverage_words(root, runner.cover, tree, measured)
    data, name = runner.data_file, root.folder.replace("/", "-") or "rest"
    return replace(
        runner,
        root=root,
        cover=cover,
        data_file=data.with_name(f"{data.name}.in-{name}") if data else None,
        leave_out=frozenset(inside(runner.leave_out, root)),
        files=inside(runner.files, root),
        args=(*ignored(root, runner.roots), *runner.args),
        reach=None,
    )


async def _run_at(
    runner: Runner, measured: Measured, only: tuple[str, ...] | None
) -> tuple[Completed, Suite, str]:
    """Run the tests of a tree, or of a package in it, in one process."""
    tree = Path(measured.copy.path)
    place = tree / runner.root.folder if runner.root else tree
    with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
        scratch = Path(folder)
        for each in runner.own_folders:
            each.mkdir(exist_ok=True)
        report = scratch / "report.jsonl"
        variables = environment_of_tests(runner.interpreter, tree, runner.layout)
        variables = variables if runner.root is None else report_root(variables, runner.root, tree)
        variables = as_in_a_shell(variables) if runner.in_a_shell else variables
        call = runner.layout.python_call
        note = await run_before(call.before, call.shown, tree, variables) if call else ""
        variables |= {"SETPOINT_REPORT_FILE": str(report), **runner.variables}
        if only is not None or runner.leave_out:
            selection = scratch / "select.json"
            asked = {"only": only, "leave_out": sorted(runner.leave_out)}
            selection.write_text(json.dumps(asked), "utf-8")
            variables["SETPOINT_REPORT_SELECT"] = str(selection)
        if runner.reach is not None and only is None and runner.name == "pytest":
            variables["SETPOINT_REACH_FILE"] = str(runner.reach)
        if runner.cover is not None:
            variables["COVERAGE_FILE"] = str(runner.data_file)
        command = Command(
            argv=_argv(runner, place, scratch, only),
            cwd=place,
            environment=variables,
            timeout_s=runner.timeout_s,
            merge_stderr=True,
            memory_bytes=runner.memory_bytes,
            writes=(scratch, *runner.own_folders),
        )
        reported_in(report)
        done = await run(command)
        try:
            suite = await asyncio.to_thread(pytest_report.read, report)
        except BadReport as error:
            return done, Suite(), f"{error}: {done.ending}{results.tail(done)}"
    if not suite.version:
        why = f"{runner.name} never started: {done.ending}{results.tail(done)}"
        return done, suite, "; ".join(filter(None, (why, note)))
    suite.note = note
    return done, suite, ""


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
    configured = runner.root.configured if runner.root else runner.layout.pytest_config
    if not configured:  # else pytest goes up and takes the configuration of the user's own tree
        empty = scratch / "pytest.ini"
        empty.write_text("[pytest]\n", "utf-8")
        argv += ["-c", str(empty)]
    # Both plugins are named: where the project's own options switch them off, their words are not known.
    if runner.interpreter.has("pytest-xdist") and "no:xdist" not in runner.args:
        argv += ["-p", "xdist", "-n0"]  # one process: workers share ports and files, and hide coverage
    if runner.cover is not None and runner.interpreter.has("pytest-cov") and _NO_COV not in runner.args:
        argv += ["-p", "pytest_cov", "--no-cov"]  # one tracer at a time
    own = runner.layout.python_call
    argv += [*(own.options if own else ()), *runner.args]
    if only is not None:
        files = sorted({file for test in only if (tree / (file := test.partition("::")[0])).exists()})
    else:
        asked = runner.files or (own.targets if own else ())
        files = [file for file in asked if (tree / file).exists()]
    # The plugin selects; files only spare pytest to look at others. More than a command can hold go without.
    return (*argv, *map(as_word, files)) if len([*in_chunks(files)]) <= 1 else tuple(argv)


def _files_of_unittest(runner: Runner, only: tuple[str, ...] | None) -> list[str]:
    """Name the files in which unittest looks for tests: those that its own discovery would take."""
    asked = None if only is None else {test.partition("::")[0] for test in only}
    every = dict.fromkeys((*runner.layout.tests, *runner.files))
    call = runner.layout.python_call
    if call is None or call.runner != "unittest":
        call = PythonCall(runner="unittest")
    found = [file for file in every if call.takes(file)]
    return [file for file in found if asked is None or file in asked]
