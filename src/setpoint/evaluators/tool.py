"""Running a static tool and telling apart: clean, findings, broken, nothing to look at."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.domain.evidence import CheckResult, CheckState
from setpoint.domain.finding import Category, Finding, Severity
from setpoint.evaluators import results
from setpoint.evaluators.formats import bandit, mypy, ruff
from setpoint.evaluators.formats.bad import BadReport
from setpoint.evaluators.formats.report import Reader, Sources, ToolReport
from setpoint.evaluators.interpreter import Interpreter, environment
from setpoint.evaluators.presets import Preset
from setpoint.ports import Measured
from setpoint.processes import Command, Completed, run
from setpoint.store.artifacts import Artifacts

READERS: Mapping[str, Reader] = {"ruff": ruff.read, "mypy": mypy.read, "bandit": bandit.read}
"""Who reads which format."""
REPORT_BYTES = 64 << 20
"""Most that is kept of a report; a longer one is cut and then not readable, which is an error and no pass."""


@dataclass(frozen=True, kw_only=True)
class StaticTool:
    """One static tool, pointed at its targets."""

    name: str
    preset: Preset
    python: Interpreter
    """Holds the tool."""
    project: Interpreter
    targets: tuple[str, ...]
    """Paths from the root of the tree; empty where there is nothing to look at or its settings say."""
    cache: str
    """Folder of the tool's own cache."""
    artifacts: Artifacts
    timeout_s: float
    types_block: bool = True
    """Whether type errors block."""
    options: tuple[str, ...] = ()
    """Arguments that follow from the project's layout."""
    search: tuple[str, ...] = ()
    """Folders of the tree where a type checker finds the project's code."""

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tool on a tree."""
        tree = Path(measured.copy.path)
        if missing := [target for target in self.targets if not (tree / target).exists()]:
            reason = f"{self.name}: no such file in the tree: {', '.join(missing[:5])}"
            return results.unmeasured(self.name, measured.tree, reason, state=CheckState.ERROR)
        if not self.targets and self.preset.files == "changed":
            return results.judged(self.name, measured.tree, (), tool=self.version, counts={"files": 0})
        variables = environment(self.project, tree, ())
        variables["MYPYPATH"] = ":".join(str(tree / folder) for folder in self.search if folder)
        command = Command(
            argv=self._argv,
            cwd=tree,
            environment={name: value for name, value in variables.items() if value},
            timeout_s=self.timeout_s,
            keep_bytes=REPORT_BYTES,
        )
        done = await run(command)
        report, reason = await asyncio.to_thread(self._read, done, Sources(tree=tree))
        findings = tuple(self._weighed(finding) for finding in report.findings)
        state = CheckState.ERROR if reason else CheckState.FAIL if findings else CheckState.PASS
        ran = results.Ran(
            check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool=self.version
        )
        return ran.gave(state, reason, findings=() if reason else findings)

    @property
    def _argv(self) -> tuple[str, ...]:
        filled = [
            word.replace("{python}", self.project.path).replace("{cache}", self.cache)
            for word in self.preset.argv
        ]
        return (self.python.path, "-I", "-m", self.preset.module, *filled, *self.options, *self.targets)

    @property
    def version(self) -> str:
        """The tool and its version."""
        return f"{self.name} {self.python.modules.get(self.preset.module, '')}".strip()

    def _read(self, done: Completed, sources: Sources) -> tuple[ToolReport, str]:
        """Give the report, and why it cannot be believed; exit code, report and its errors must agree."""
        if done.exit_code not in (*self.preset.clean, *self.preset.found):
            return ToolReport(), f"{self.name} broke: {done.ending}{results.tail(done)}"
        try:
            report = READERS[self.preset.format](done.stdout, sources)
        except BadReport as error:
            return ToolReport(), f"{error} ({done.ending}){results.tail(done)}"
        if report.errors:
            return report, f"{self.name} could not look at everything: {'; '.join(report.errors[:3])}"
        if done.exit_code in self.preset.found and not report.findings:
            return report, f"{self.name} says it found something and names nothing{results.tail(done)}"
        return report, ""

    def _weighed(self, finding: Finding) -> Finding:
        if finding.category is Category.TYPES and not self.types_block:
            return finding.model_copy(update={"severity": Severity.WARNING})
        return finding
