"""What the tests reached, by coverage.py in the project's environment and with the project's settings."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from setpoint.domain.evidence import CheckResult, CheckState
from setpoint.evaluators import results
from setpoint.evaluators.discovery.interpreter import environment
from setpoint.evaluators.discovery.layout import Layout
from setpoint.evaluators.formats import coverage_json
from setpoint.evaluators.formats.bad import BadReport
from setpoint.evaluators.inside import COVERED
from setpoint.evaluators.suites.python import Runner
from setpoint.ports import Measured
from setpoint.processes import Command, Completed, run
from setpoint.processes.git import changed_lines

_FAIL_UNDER = 2
_REPORT_S = 300.0
_NO_DATA = "the tests left no coverage data, or ran only without coverage; see their evidence"
_Write = Callable[[], Awaitable[Completed]]
MOST_BYTES = 256 << 20
"""A longer report is not read; that of a million lines is half as long."""


def run_options(layout: Layout) -> tuple[str, ...]:
    """Give the options of `coverage run`: none where the project has its own settings."""
    if "coverage" in layout.configured:
        return ()
    folders = [package for package in layout.packages if not package.endswith(".py")]
    if folders and len(folders) == len(layout.packages):
        return ("--branch", f"--source={','.join(folders)}")
    return ("--branch", "--source=.", "--omit=tests/*,test/*,*/test_*.py,*_test.py,conftest.py,setup.py")


@dataclass(frozen=True, kw_only=True)
class CoverageReport:
    """Reads the data that a run of the whole suite under coverage left behind."""

    runner: Runner
    ready: asyncio.Event | None = None
    """What it waits for; none where the suite was run before."""
    idle: asyncio.Event | None = None
    """When it may get ready while the suite runs; none: not at all."""
    name: str = field(default="coverage", init=False)

    async def run(self, measured: Measured) -> CheckResult:
        """Have coverage write its report and read it; the suite must have been run before."""
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            report = Path(folder) / "coverage.json"
            async with self._writer(measured, report) as write:
                if self.ready is not None:
                    await self.ready.wait()
                data = self.runner.data_file
                if data is None or not [*data.parent.glob(data.name + "*")]:
                    return results.unmeasured(self.name, measured.tree, _NO_DATA)
                if not data.is_file():  # the project has coverage keep one file for each process
                    await self._coverage(measured, "combine")
                done = await write()
            with report.open("rb") if report.is_file() else BytesIO() as file:
                text = file.read(MOST_BYTES + 1)
        return await self._read(measured, done, text)

    @asynccontextmanager
    async def _writer(self, measured: Measured, report: Path) -> AsyncIterator[_Write]:
        """Give what writes the report, in a process that is got ready where that is allowed."""
        asked = ("json", "-q", "-i", "-o", str(report))
        if self.ready is None or self.idle is None:
            yield lambda: self._coverage(measured, *asked)
            return
        word = self.runner.saved or report.with_name("word")
        program = (str(COVERED), str(word), *(self.runner.cover or ()), "--", *asked)
        waiting = asyncio.create_task(self._ahead(measured, program))

        async def write() -> Completed:
            told_at = datetime.now(UTC)
            word.touch()
            await asyncio.wait([waiting], timeout=_REPORT_S)
            done = waiting.result() if waiting.done() else None
            if done is not None and done.exit_code in (0, _FAIL_UNDER) and report.is_file():
                return _since(told_at, done)
            waiting.cancel()
            await asyncio.wait([waiting])
            return await self._coverage(measured, *asked)

        try:
            yield write
        finally:
            waiting.cancel()
            await asyncio.wait([waiting])

    async def _ahead(self, measured: Measured, program: tuple[str, ...]) -> Completed:
        """Begin as soon as nothing else runs beside the tests, at the latest when they have run."""
        begins = [asyncio.create_task(each.wait()) for each in (self.ready, self.idle) if each is not None]
        try:
            await asyncio.wait(begins, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in begins:
                each.cancel()
        # The suite runs up to twice while it waits.
        return await self._run(measured, program, 2 * self.runner.timeout_s + _REPORT_S)

    async def _coverage(self, measured: Measured, *argv: str) -> Completed:
        return await self._run(measured, ("-m", "coverage", *argv), _REPORT_S)

    async def _run(self, measured: Measured, argv: tuple[str, ...], timeout_s: float) -> Completed:
        tree = Path(measured.copy.path)
        variables = environment(self.runner.interpreter, tree, self.runner.layout.imports)
        variables["COVERAGE_FILE"] = str(self.runner.data_file)
        command = (self.runner.interpreter.path, *argv)
        return await run(Command(argv=command, cwd=tree, environment=variables, timeout_s=timeout_s))

    async def _read(self, measured: Measured, done: Completed, text: bytes) -> CheckResult:
        artifacts = self.runner.artifacts
        tool = f"coverage {self.runner.interpreter.modules.get('coverage', '')}".strip()
        ran = results.Ran(check=self.name, tree=measured.tree, done=done, artifacts=artifacts, tool=tool)
        if done.exit_code not in (0, _FAIL_UNDER) or not text:
            return ran.gave(CheckState.ERROR, f"coverage wrote no report: {done.ending}{results.tail(done)}")
        if len(text) > MOST_BYTES:
            reason = f"coverage's report (coverage.json) has more than {MOST_BYTES:,} bytes, too many to read"
            return ran.gave(CheckState.ERROR, reason)
        try:
            reached = coverage_json.read(text)
        except BadReport as error:
            return ran.gave(CheckState.ERROR, str(error))
        counts = {"statements": reached.statements, "covered": reached.covered}
        result = ran.gave(CheckState.PASS, counts=counts)
        changed = await changed_lines(measured.copy.path, measured.copy.base, measured.commit)
        evidence = result.evidence.model_copy(update={"output": artifacts.keep(text)})
        return CheckResult(evidence=evidence, coverage=reached.coverage(changed))


def _since(told_at: datetime, done: Completed) -> Completed:
    """Count the seconds from the moment at which there was something to report."""
    waited_s = (told_at - done.started_at).total_seconds()
    if waited_s <= 0:
        return done
    return replace(done, started_at=told_at, duration_s=max(0.0, done.duration_s - waited_s))
