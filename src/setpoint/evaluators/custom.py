"""Tools of the user's own: a command, a format, and no belief in a tool that broke."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.domain.custom_check import CustomCheck
from setpoint.domain.evidence import CheckResult, CheckState, Outcome, TestReport
from setpoint.domain.finding import Category, Finding, Severity
from setpoint.evaluators import results
from setpoint.evaluators.formats import registry
from setpoint.evaluators.formats.bad import BadReport
from setpoint.evaluators.formats.parsing import MOST_BYTES
from setpoint.evaluators.formats.reached import Reached
from setpoint.evaluators.formats.report import Sources, ToolReport
from setpoint.evaluators.interpreter import Interpreter, environment
from setpoint.ports import Measured
from setpoint.processes import Command, Completed, run
from setpoint.processes.git import changed_lines
from setpoint.store.artifacts import Artifacts

_Report = ToolReport | TestReport | Reached


@dataclass(frozen=True, kw_only=True)
class CustomTool:
    """One tool that the settings describe."""

    name: str
    asked: CustomCheck
    project: Interpreter
    imports: tuple[str, ...]
    """Folders of the tree from which the project's code is imported."""
    artifacts: Artifacts

    @property
    def identity(self) -> tuple[str, ...]:
        """All that decides what the tool says of a tree, as far as it can be known without a run."""
        program = found_program(self.asked, self.project)
        stamp = Path(program).stat() if program else None
        state = f"{stamp.st_size} {stamp.st_mtime_ns}" if stamp else "missing"
        asked = self.asked.model_dump_json()
        return ("check", self.name, asked, program or "", state, self.project.fingerprint, *self.imports)

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tool on a tree."""
        tree = Path(measured.copy.path)
        if reason := _made_ready(tree, self.asked.report):
            return results.unmeasured(
                self.name, measured.tree, f"{self.name}: {reason}", state=CheckState.ERROR
            )
        done = await run(
            Command(
                argv=argv_of(self.asked, self.project),
                cwd=tree,
                environment=environment(self.project, tree, self.imports),
                timeout_s=self.asked.timeout_s,
                keep_bytes=2 * MOST_BYTES,
            )
        )
        report, text, reason = await asyncio.to_thread(self._read, done, tree)
        ran = results.Ran(
            check=self.name,
            tree=measured.tree,
            done=done,
            artifacts=self.artifacts,
            tool=self.asked.command[0],
        )
        if report is None or reason:
            return self._with_report(ran.gave(CheckState.ERROR, reason), done, text)
        return self._with_report(await self._judged(ran, report, measured), done, text)

    def _read(self, done: Completed, tree: Path) -> tuple[_Report | None, bytes, str]:
        """Give the report, its text, and why it cannot be believed; exit code and report must agree."""
        text, missing = self._text(done, tree)
        if done.exit_code not in (*self.asked.clean_exit, *self.asked.findings_exit):
            return None, text, f"{self.name} broke: {done.ending}{results.tail(done)}"
        if missing:
            return None, text, f"{self.name} {missing} ({done.ending}){results.tail(done)}"
        place = self.asked.report or "standard output"
        sources = Sources(tree=tree, report=f"{self.name}'s {self.asked.format} report ({place})")
        try:
            report = registry.read(self.asked.format, text, sources)
        except BadReport as error:
            return None, text, f"{error} ({done.ending}){results.tail(done)}"
        return report, text, self._doubt(done, report)

    def _text(self, done: Completed, tree: Path) -> tuple[bytes, str]:
        if not self.asked.report:
            return done.stdout, ""
        place = tree / self.asked.report
        if not place.is_file():
            return b"", f"wrote no report {self.asked.report}"
        if not place.resolve().is_relative_to(tree.resolve()):
            return b"", f"wrote {self.asked.report} as a link that leads out of the tree"
        with place.open("rb") as file:
            return file.read(MOST_BYTES + 1), ""  # one more than is read, so that more than that is noticed

    def _doubt(self, done: Completed, report: _Report) -> str:
        """Say why a report that can be read is not believed; empty where it is."""
        if isinstance(report, Reached):
            return ""
        if isinstance(report, TestReport):
            errors, found = report.collection_errors, bool(report.red)
        else:
            errors, found = report.errors, bool(report.findings or report.left_out)
        if errors:
            return f"{self.name} could not look at everything: {'; '.join(errors[:3])}"
        if done.exit_code not in self.asked.clean_exit and not found:
            return f"{self.name} says it found something and names nothing{results.tail(done)}"
        return ""

    async def _judged(self, ran: results.Ran, report: _Report, measured: Measured) -> CheckResult:
        if isinstance(report, Reached):
            counts = {"statements": report.statements, "covered": report.covered}
            changed = await changed_lines(measured.copy.path, measured.copy.base, measured.commit)
            result = ran.gave(CheckState.PASS, counts=counts)
            return CheckResult(evidence=result.evidence, coverage=report.coverage(changed))
        if isinstance(report, TestReport):
            findings = tuple(self._red(report))
            counts = {**report.counts, "findings": len(findings)}
            flaky = Outcome.FLAKY in report.outcomes.values()
            state = CheckState.FAIL if findings else CheckState.FLAKY if flaky else CheckState.PASS
            return ran.gave(state, findings=findings, tests=report, counts=counts)
        findings = tuple(self._named(finding) for finding in report.findings)
        return ran.gave(CheckState.FAIL if findings else CheckState.PASS, findings=findings)

    def _named(self, finding: Finding) -> Finding:
        category = self.asked.category or finding.category
        return finding.model_copy(update={"source": self.name, "category": category})

    def _red(self, report: TestReport) -> list[Finding]:
        """Make a finding of each red test; what it said stands apart, so that the name tells it again."""
        return [
            Finding(
                source=self.name,
                rule="red-test",
                severity=Severity.ERROR,
                category=self.asked.category or Category.CORRECTNESS,
                message=f"{failure.test} is red",
                file=failure.file,
                line=failure.line,
                symbol=failure.test,
                detail=f"{failure.message}\n{failure.detail}".strip(),
            )
            for failure in report.failures
        ]

    def _with_report(self, result: CheckResult, done: Completed, text: bytes) -> CheckResult:
        """Keep the report beside what the command printed, where it is a file of its own."""
        if not self.asked.report:
            return result
        mark = f"\n--- {self.asked.report} ---\n".encode()
        kept = self.artifacts.keep(results.output_of(done) + mark + text)
        evidence = result.evidence.model_copy(update={"output": kept})
        return result.model_copy(update={"evidence": evidence})


def argv_of(asked: CustomCheck, project: Interpreter) -> tuple[str, ...]:
    """Give the command as it is started."""
    return tuple(word.replace("{python}", project.path) for word in asked.command)


def found_program(asked: CustomCheck, project: Interpreter) -> str | None:
    """Find the program on the project's PATH; none where it is not there, or lies in the tree."""
    path = environment(project, Path("/"), ())["PATH"]
    name = argv_of(asked, project)[0]
    return shutil.which(name, path=path) if "/" not in name or name.startswith("/") else None


def reasons(asked: Mapping[str, CustomCheck], project: Interpreter) -> dict[str, str]:
    """Give each tool with the reason that `setpoint doctor` shows."""
    told = {}
    for name, each in asked.items():
        program = each.command[0]
        known = "/" in program or found_program(each, project) is not None
        missing = "" if known else f"; {program!r} is not on the project's PATH, so the check will break"
        told[name] = f"setting check.{name}: {' '.join(each.command)} ({each.format}){missing}"
    return told


def _made_ready(tree: Path, report: str) -> str:
    """Remove a report that stands there already, as nobody knows what it tells of; says why it cannot."""
    if not report:
        return ""
    place = tree / report
    try:
        if not place.parent.resolve().is_relative_to(tree.resolve()):
            return f"{report} lies behind a link that leads out of the tree"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        return f"{report} cannot be written: {error}"
    return ""
