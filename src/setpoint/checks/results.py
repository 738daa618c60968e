"""Making check results: the one place that turns what a command did into evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from setpoint.model.evidence import CheckResult, CheckState, Evidence, Fault, TestReport
from setpoint.model.finding import Finding
from setpoint.model.ids import EvidenceId, Tree, sortable
from setpoint.model.quality import Metric
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Completed
from setpoint.system.processes.refusals import refusal

NOT_STARTED = (126, 127)
"""Exit codes of a shell, and of `run`, for a program that cannot be started."""
KILLED = (-9, 137, -15, 143)
"""Exit codes after SIGKILL and SIGTERM, of the program itself and of a shell that started it."""
MOST_WORDS = 200
"""Words of a command that evidence holds."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A command that a check has run on a tree."""

    check: str
    tree: Tree
    done: Completed
    artifacts: Artifacts
    tool: str
    """The tool and its version."""

    def gave(
        self,
        state: CheckState,
        reason: str = "",
        *,
        findings: tuple[Finding, ...] = (),
        tests: TestReport | None = None,
        counts: Mapping[str, int] | None = None,
        fault: Fault | None = None,
    ) -> CheckResult:
        """Return the check's result, with the command's raw output kept."""
        evidence = Evidence(
            id=EvidenceId(sortable("ev", self.done.started_at)),
            check=self.check,
            state=state,
            tree=self.tree,
            argv=_shown(self.done.command.argv),
            tool=self.tool,
            started_at=self.done.started_at,
            duration_s=self.done.duration_s,
            exit_code=self.done.exit_code,
            counts=dict(counts or {"findings": len(findings)}),
            output=self.artifacts.keep(output_of(self.done)),
            reason=self._explained(state, reason),
            fault=fault if state is CheckState.ERROR else None,
            held=self.done.held,
        )
        return CheckResult(evidence=evidence, findings=findings, tests=tests)

    def _explained(self, state: CheckState, reason: str) -> str:
        """Add to a reason what the sandbox refused, where that may be the cause."""
        if state not in (CheckState.FAIL, CheckState.ERROR):
            return reason
        refused = refusal(self.done)
        return "; ".join(each for each in (reason, refused) if each)


def fault_of(done: Completed) -> Fault | None:
    """Tell from how a command ended why it could not answer; none where its end does not say so."""
    if done.timed_out or done.idled:
        return Fault.TIMEOUT
    if done.exit_code in KILLED:
        return Fault.KILLED
    return Fault.MISSING_TOOL if done.exit_code in NOT_STARTED else None


def _shown(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Shorten a command that names very many files."""
    left = len(argv) - MOST_WORDS
    return argv if left <= 1 else (*argv[:MOST_WORDS], f"... and {left} more")


def output_of(done: Completed) -> bytes:
    """Return both streams as one, the errors under a line of their own."""
    if not done.stderr:
        return done.stdout
    return done.stdout + b"\n--- standard error ---\n" + done.stderr


def unmeasured(
    check: str,
    tree: Tree,
    reason: str,
    *,
    state: CheckState = CheckState.NOT_MEASURED,
    feeds: tuple[Metric, ...] = (),
    fault: Fault | None = None,
) -> CheckResult:
    """Return the result of a check for which nothing was run."""
    now = datetime.now(UTC)
    evidence = Evidence(
        id=EvidenceId(sortable("ev", now)),
        check=check,
        state=state,
        tree=tree,
        argv=(),
        started_at=now,
        duration_s=0.0,
        reason=reason,
        feeds=feeds,
        fault=fault,
    )
    return CheckResult(evidence=evidence)


def judged(
    check: str,
    tree: Tree,
    findings: tuple[Finding, ...],
    *,
    tool: str,
    counts: Mapping[str, int] | None = None,
) -> CheckResult:
    """Return the result of a check that Setpoint makes itself, without a command."""
    result = unmeasured(check, tree, "", state=CheckState.FAIL if findings else CheckState.PASS)
    held = {"tool": tool, "counts": {"findings": len(findings), **(counts or {})}}
    return CheckResult(evidence=result.evidence.model_copy(update=held), findings=findings)


def tail(done: Completed, most: int = 600) -> str:
    """Return the end of what a command printed, for a reason a person reads."""
    text = (done.errors.strip() or done.text.strip())[-most:]
    return f": {text}" if text else ""
