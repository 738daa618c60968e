"""From a tool's exit code and report to a result: what is believed, and why something is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.flaky.flaky import state_of
from setpoint.checks.formats import registry
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage.covered_lines import Reached
from setpoint.checks.formats.parsing import MOST_BYTES
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.evidence import CheckResult, CheckState, TestReport
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.quality import Metric
from setpoint.model.value import spellings
from setpoint.ports import Measured
from setpoint.system.git.git import changed_lines
from setpoint.system.processes import Completed

Report = ToolReport | TestReport | Reached


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How what one tool said is read."""

    name: str
    format: str
    """Its name: one of `ReportFormat`, or that of a plug-in."""
    clean: tuple[int, ...]
    """Exit codes that say: ran to its end, found nothing."""
    found: tuple[int, ...]
    """Exit codes that say: ran to its end, found something."""
    report: Path | None = None
    """The file it writes; none: standard output."""
    shown: str = ""
    """What a person calls that file."""
    within: Path | None = None
    """The folder out of which no link may lead to the report."""
    named: Callable[[Finding], Finding] = lambda finding: finding
    """What becomes of a finding that the reader made."""
    category: Category | None = None
    """What a failing test is about; none: correctness."""
    feeds: tuple[Metric, ...] = ()
    wanted: tuple[str, ...] = ()
    """Files that it may not pass over, where its report names those that it looked at."""
    idle: str = ""
    """What the tool prints where it looked at nothing; empty where it does not say so."""
    folder: str = ""
    """Where in the tree it ran; empty for the root."""

    async def result(self, ran: results.Ran, measured: Measured, doubt: str = "") -> CheckResult:
        """Judge a command that has ended; `doubt` says why nothing it says can be believed."""
        report, text, reason = await asyncio.to_thread(self._read, ran.done, Path(measured.copy.path))
        reason = reason or doubt
        if report is None or reason:
            result = ran.gave(CheckState.ERROR, reason, fault=results.fault_of(ran.done))
        else:
            result = await self._judged(ran, report, measured)
        result = self._with_report(result, ran, text)
        evidence = result.evidence.model_copy(update={"feeds": self.feeds})
        return result.model_copy(update={"evidence": evidence})

    def _read(self, done: Completed, tree: Path) -> tuple[Report | None, bytes, str]:
        """Return the report, its text, and why it cannot be believed; exit code and report must agree."""
        text, missing = self._text(done)
        if done.exit_code not in (*self.clean, *self.found):
            return None, text, f"{self.name} broke: {done.ending}{results.tail(done)}"
        if missing:
            return None, text, f"{self.name} {missing} ({done.ending}){results.tail(done)}"
        place = self.shown or "standard output"
        sources = Sources(
            tree=tree, folder=self.folder, report=f"{self.name}'s {self.format} report ({place})"
        )
        try:
            report = registry.read(self.format, text, sources)
        except BadReport as error:
            return None, text, f"{error} ({done.ending}){results.tail(done)}"
        return report, text, self._doubt(done, report)

    def _text(self, done: Completed) -> tuple[bytes, str]:
        if self.report is None:
            return done.stdout, ""
        if not self.report.is_file():
            return b"", f"wrote no report {self.shown}"
        if self.within is not None and not self.report.resolve().is_relative_to(self.within.resolve()):
            return b"", f"wrote {self.shown} as a link that leads out of the tree"
        with self.report.open("rb") as file:
            return file.read(MOST_BYTES + 1), ""  # one more than is read, so that more than that is noticed

    def _doubt(self, done: Completed, report: Report) -> str:
        """Say why a report that can be read is not believed; empty where it is."""
        if isinstance(report, Reached):
            return ""
        if self.idle and self.idle in done.errors:
            return f"{self.name} looked at nothing{results.tail(done)}"
        if isinstance(report, TestReport):
            errors, found = report.collection_errors, bool(report.red)
        else:
            errors = (*report.errors, *self._passed_over(report))
            found = bool(report.findings or report.left_out)
        if errors:
            return f"{self.name} could not look at everything: {'; '.join(errors[:3])}"
        if done.exit_code not in self.clean and not found:
            return f"{self.name} says it found something and names nothing{results.tail(done)}"
        return ""

    def _passed_over(self, report: ToolReport) -> tuple[str, ...]:
        """Name files that it was pointed at and did not look at: what it says holds for the others alone."""
        looked = report.looked
        if looked is None:
            return ()
        return tuple(f"it passed over {file}" for file in self.wanted if looked.isdisjoint(spellings(file)))

    async def _judged(self, ran: results.Ran, report: Report, measured: Measured) -> CheckResult:
        if isinstance(report, Reached):
            counts = {"statements": report.statements, "covered": report.covered}
            changed = await changed_lines(measured.copy.path, measured.copy.base, measured.commit)
            result = ran.gave(CheckState.PASS, counts=counts)
            return CheckResult(evidence=result.evidence, coverage=report.coverage(changed))
        if isinstance(report, TestReport):
            findings = tuple(self._red(report))
            counts = {**report.counts, "findings": len(findings)}
            state = state_of(report, failing=bool(findings))
            return ran.gave(state, findings=findings, tests=report, counts=counts)
        findings = tuple(self.named(finding) for finding in report.findings)
        result = ran.gave(CheckState.FAIL if findings else CheckState.PASS, findings=findings)
        if report.duplicated is None:
            return result
        return result.model_copy(update={"duplicated": dict(report.duplicated)})

    def _red(self, report: TestReport) -> list[Finding]:
        """Make a finding of each failing test; its message is apart, so that the name identifies it."""
        return [
            Finding(
                source=self.name,
                rule="red-test",
                severity=Severity.ERROR,
                category=self.category or Category.CORRECTNESS,
                message=f"{failure.test} fails",
                file=failure.file,
                line=failure.line,
                symbol=failure.test,
                detail=f"{failure.message}\n{failure.detail}".strip(),
            )
            for failure in report.failures
        ]

    def _with_report(self, result: CheckResult, ran: results.Ran, text: bytes) -> CheckResult:
        """Keep the report beside what the command printed, where it is a file of its own."""
        if self.report is None:
            return result
        mark = f"\n--- {self.shown} ---\n".encode()
        kept = ran.artifacts.keep(results.output_of(ran.done) + mark + text)
        evidence = result.evidence.model_copy(update={"output": kept})
        return result.model_copy(update={"evidence": evidence})
