"""What the tests reached, by coverage.py in the project's environment and with the project's settings."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.discovery.layout import Layout
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage import coverage_json
from setpoint.checks.suites.pytest import Runner
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.ports import Measured
from setpoint.system.git.git import changed_lines
from setpoint.system.processes import Command, Completed, run

_FAIL_UNDER = 2
_REPORT_S = 300.0
_NO_DATA = "the tests left no coverage data, or ran only without coverage; see their evidence"
MOST_BYTES = 256 << 20
"""A longer report is not read; that of a million lines is half as long."""


def run_options(layout: Layout) -> tuple[str, ...]:
    """Return the options of `coverage run`: none where the project has its own settings."""
    if "coverage" in layout.configured:
        return ()
    folders = [package for package in layout.packages if not package.endswith(".py")]
    # Files that nothing loads are found in packages alone, and in the folders that are named.
    loose = layout.loose_folders
    if folders and len(folders) == len(layout.packages):
        plain = ("--branch", f"--source={','.join((*folders, *loose))}")
        return (*plain, "--omit=*/test_*.py,*_test.py,*/conftest.py") if loose else plain
    omitted = "--omit=tests/*,test/*,*/test_*.py,*_test.py,conftest.py,setup.py"
    return ("--branch", f"--source={','.join(('.', *loose))}", omitted)


@dataclass(frozen=True, kw_only=True)
class CoverageReport:
    """Reads the data that a run of the whole suite under coverage left behind."""

    runner: Runner
    name: str = field(default="coverage", init=False)

    async def run(self, measured: Measured) -> CheckResult:
        """Have coverage write its report and read it; the suite must have been run before."""
        data = self.runner.data_file
        if data is None or not [*data.parent.glob(data.name + "*")]:
            return results.unmeasured(self.name, measured.tree, _NO_DATA)
        if not data.is_file():  # the project has coverage keep one file for each process
            await self._coverage(measured, ("combine",))
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            report = Path(folder) / "coverage.json"
            words = ("json", "-q", "-i", "-o", str(report))
            done = await self._coverage(measured, words, Path(folder))
            with report.open("rb") if report.is_file() else BytesIO() as file:
                text = file.read(MOST_BYTES + 1)
        return await self._read(measured, done, text)

    async def _coverage(self, measured: Measured, argv: tuple[str, ...], *more: Path) -> Completed:
        tree = Path(measured.copy.path)
        variables = environment(self.runner.interpreter, tree, self.runner.layout.imports)
        variables["COVERAGE_FILE"] = str(self.runner.data_file)
        command = (self.runner.interpreter.path, "-m", "coverage", *argv)
        writes = (*self.runner.own_folders, *more)
        return await run(
            Command(argv=command, cwd=tree, environment=variables, timeout_s=_REPORT_S, writes=writes)
        )

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
