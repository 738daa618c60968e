"""The story's own acceptance commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.discovery.layout import Layout
from setpoint.checks.tools.command_faults import fault_of, hint
from setpoint.checks.tools.shell_command import masked
from setpoint.checks.tools.unrelated import unrelated
from setpoint.model.evidence import CheckResult, CheckState, Fault
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Completed, run

PREFIX = "acceptance:"


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
    told_apart: bool = False
    """Whether a failure is tried again without the contents of the project, which it may not be about."""

    @property
    def name(self) -> str:
        """`acceptance:1` and so on."""
        return f"{PREFIX}{self.number}"

    async def run(self, measured: Measured) -> CheckResult:
        """Run the command, unless its exit status would say nothing."""
        if hidden := masked(self.command):
            reason = self._unanswered(hidden, Fault.MASKED)
            state = CheckState.ERROR
            return results.unmeasured(self.name, measured.tree, reason, state=state, fault=Fault.MASKED)
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
        state, reason, fault = self._judged(done)
        if state is CheckState.FAIL and self.told_apart and await unrelated(done, measured.commit):
            state, fault = CheckState.ERROR, Fault.UNRELATED
            reason = self._unanswered(f"{done.ending}{results.tail(done)}".replace(str(tree), "."), fault)
        findings = (self._finding(done),) if state is CheckState.FAIL else ()
        ran = results.Ran(check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool="sh")
        return ran.gave(state, reason, findings=findings, fault=fault)

    def _judged(self, done: Completed) -> tuple[CheckState, str, Fault | None]:
        if fault := fault_of(self.command, done):
            return CheckState.ERROR, self._unanswered(f"{done.ending}{results.tail(done)}", fault), fault
        if done.ok:
            return CheckState.PASS, "", None
        if done.exit_code is None:
            return CheckState.ERROR, f"`{self.command}`: {done.ending}{results.tail(done)}", None
        return CheckState.FAIL, f"exit code {done.exit_code}", None

    def _unanswered(self, why: str, fault: Fault) -> str:
        return f"`{self.command}` cannot answer ({fault.replace('_', ' ')}): {why}; hint: {hint(fault)}"

    def _finding(self, done: Completed) -> Finding:
        return Finding(
            source=self.name,
            rule="exit-code",
            severity=Severity.ERROR,
            category=Category.CORRECTNESS,
            message=f"the acceptance command `{self.command}` ended with exit code {done.exit_code}",
            detail=results.output_of(done).decode("utf-8", "replace")[-900:],
        )
