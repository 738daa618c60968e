"""The story's own acceptance commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.discovery.layout import Layout
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Completed, run

PREFIX = "acceptance:"
_NOT_STARTED = (126, 127)


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    """One command of the story, run with the shell in the measured tree; it must exit with 0."""

    number: int
    """1-based place in the story."""
    command: str
    interpreter: Interpreter
    layout: Layout
    artifacts: Artifacts
    timeout_s: float
    memory_bytes: int | None = None
    """Address space of each process; none: unlimited."""

    @property
    def name(self) -> str:
        """`acceptance:1` and so on."""
        return f"{PREFIX}{self.number}"

    async def run(self, measured: Measured) -> CheckResult:
        """Run the command."""
        tree = Path(measured.copy.path)
        done = await run(
            Command(
                argv=("/bin/sh", "-c", self.command),
                cwd=tree,
                environment=environment(self.interpreter, tree, self.layout.imports),
                timeout_s=self.timeout_s,
                memory_bytes=self.memory_bytes,
            )
        )
        state, reason = self._judged(done)
        findings = (self._finding(done),) if state is CheckState.FAIL else ()
        ran = results.Ran(check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool="sh")
        return ran.gave(state, reason, findings=findings)

    def _judged(self, done: Completed) -> tuple[CheckState, str]:
        if done.ok:
            return CheckState.PASS, ""
        if done.exit_code is None or done.exit_code in _NOT_STARTED:
            return CheckState.ERROR, f"`{self.command}`: {done.ending}{results.tail(done)}"
        return CheckState.FAIL, f"exit code {done.exit_code}"

    def _finding(self, done: Completed) -> Finding:
        return Finding(
            source=self.name,
            rule="exit-code",
            severity=Severity.ERROR,
            category=Category.CORRECTNESS,
            message=f"the acceptance command `{self.command}` ended with exit code {done.exit_code}",
            detail=results.output_of(done).decode("utf-8", "replace")[-900:],
        )
