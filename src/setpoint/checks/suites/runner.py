"""One run of a project's own test runner: what it is started with, and when its report is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from setpoint.checks import results
from setpoint.checks.discovery.own_commands.runner_calls import RunnerCall
from setpoint.checks.discovery.program import Program
from setpoint.checks.flaky.flaky import Selection
from setpoint.checks.formats import registry
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.parsing import MOST_BYTES
from setpoint.checks.formats.report import Sources
from setpoint.model.evidence import Outcome, TestReport
from setpoint.presets import Preset
from setpoint.system.processes import Command, Completed, run
from setpoint_probe.plugin import FOLDER


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a runner is started with."""

    name: str
    """Of the check."""
    preset: Preset
    program: Program
    tree: Path
    """Root of the measured tree."""
    folder: str
    """The package in it that is tested; empty for the root."""
    scratch: Path
    """A folder of this run alone, outside the tree."""
    variables: Mapping[str, str]
    """The environment."""
    timeout_s: float
    cache: Path | None = None
    """Folder of the runner's own cache."""
    args: tuple[str, ...] = ()
    """Arguments of the settings."""
    own: RunnerCall | None = None
    """How the project's own command calls the runner; none: it calls it plainly, or not at all."""
    under: tuple[str, ...] = ()
    """Words before the test programs that Go has built."""
    inside: Path = FOLDER
    """Where the reporters lie that Setpoint brings."""
    wish: str = ""
    """The request: a program that it asks for is not a missing one."""
    writable: tuple[Path, ...] = ()
    """Folders outside the tree that it writes to beside these."""

    @property
    def place(self) -> Path:
        """Where the runner runs."""
        return self.tree / self.folder

    @property
    def report(self) -> Path:
        """The file that the runner writes."""
        return self.scratch / (self.preset.report or "report")

    def sources(self) -> Sources:
        """Return what its report is read with."""
        return Sources(tree=self.tree, report=f"{self.name}'s report")

    def argv(self, *more: str) -> tuple[str, ...]:
        """Return the whole command; one that the project's own people type goes through their shell."""
        filled = (
            word.replace("{report}", str(self.report)).replace("{inside}", str(self.inside))
            for word in self.preset.argv
        )
        words = (*self.program.argv, *filled, *self.args)
        if self.own is None or self.own.plain:
            return (*words, *more)
        return ("sh", "-c", self.own.line(words, more))

    async def call(self, argv: tuple[str, ...], *, merged: bool = False) -> Completed:
        """Run a command where the runner runs."""
        return await run(
            Command(
                argv=argv,
                cwd=self.place,
                environment=self.variables,
                timeout_s=self.timeout_s,
                keep_bytes=2 * MOST_BYTES,
                merge_stderr=merged,
                writes=(self.tree, self.scratch, *self.writable, *([self.cache] if self.cache else ())),
                lasting=self.cache,
            )
        )


@dataclass(frozen=True, kw_only=True)
class Once:
    """What one run gave."""

    done: Completed
    report: TestReport | None = None
    broken: str = ""
    """Why the report cannot be believed; empty where it can."""
    unusable: str = ""
    """Why nothing could be started here; empty where something was."""
    printed: int = 0
    """Tests that passed and failed as the command prints, where the report cannot name them; 0 if unknown."""


class Runner(Protocol):
    """Knows one test runner."""

    def owns(self, test: str) -> bool:
        """Whether an identifier is one of its tests."""

    async def run(self, start: Start, only: Selection) -> Once:
        """Run all tests of a package, or a selection."""


def read(start: Start, done: Completed, text: bytes) -> Once:
    """Read a report in the preset's format, and hold it against the exit code."""
    try:
        report = registry.read(start.preset.format, text, start.sources())
    except BadReport as error:
        return Once(done=done, broken=f"{error} ({done.ending}){results.tail(done)}")
    if not isinstance(report, TestReport):
        return Once(done=done, broken=f"{start.preset.format} is not a format of tests")
    return believed(start, done, report)


def believed(start: Start, done: Completed, report: TestReport) -> Once:
    """Hold a report against the exit code: where they disagree, neither is believed."""
    counted = start.preset.counts_failures and (done.exit_code or 0) > 0
    if not counted and done.exit_code not in (*start.preset.clean, *start.preset.found):
        return Once(done=done, report=report, broken=f"{start.name} broke: {done.ending}{results.tail(done)}")
    if report.red and done.exit_code in start.preset.clean:
        return Once(
            done=done, report=report, broken=f"{start.name} reports failing tests and ends with success"
        )
    if not report.red and done.exit_code not in start.preset.clean:
        reason = f"no test failed, but {start.name} says otherwise: {done.ending}{results.tail(done)}"
        return Once(done=done, report=report, broken=reason)
    return Once(done=done, report=report)


async def file_of(start: Start) -> bytes | None:
    """Return the report that the runner wrote to its file; none where it wrote none."""
    if not start.report.is_file():
        return None
    return await asyncio.to_thread(_head, start.report)


def selected(report: TestReport, only: Selection) -> TestReport:
    """Keep of a selection's report what was asked for; runners name the rest as left out."""
    if only is None:
        return report
    wanted = {test for test in report.outcomes if test in only or test.partition("::")[0] in only}
    files = {test.partition("::")[0] for test in only}
    wanted |= {test for test in report.outcomes if test in files}
    return TestReport(
        outcomes={test: outcome for test, outcome in report.outcomes.items() if test in wanted},
        failures=tuple(each for each in report.failures if each.test in wanted),
        collection_errors=report.collection_errors,
        complete=False,
    )


def passed(report: TestReport | None, test: str) -> bool:
    """Whether a test passed in a report."""
    return report is not None and report.outcomes.get(test) in (Outcome.PASSED, Outcome.FLAKY)


def _head(file: Path) -> bytes:
    with file.open("rb") as held:
        return held.read(MOST_BYTES + 1)  # one more than is read, so that more than that is noticed
