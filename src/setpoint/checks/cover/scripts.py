"""The check of what tests reach of named files of JavaScript and TypeScript, with R1's thresholds."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.cover.report import counts_of, only_tests
from setpoint.checks.cover.script_reach import ScriptReach, covered_files, reach_of
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.model.cover import CoverGoals, CoverReport
from setpoint.model.cover_quality import MET, SOURCE, adapted, instructions, missed
from setpoint.model.evidence import CheckResult, CheckState, Outcome
from setpoint.ports import Measured
from setpoint.version import __version__

UNSCORED = "mutants of scripts are judged by `setpoint lab mutate` alone"
_BAD = (Outcome.FAILED, Outcome.ERROR)


@dataclass(frozen=True, kw_only=True)
class ScriptCover:
    """Runs the project's tests watched, and compares what they reach with the goals."""

    suite: PackageSuite
    goals: CoverGoals
    files: tuple[str, ...]
    """The files that are to be covered."""
    name: str = field(default=SOURCE, init=False)

    async def run(self, measured: Measured) -> CheckResult:
        """Measure what the tests of a tree reach."""
        tree = Path(measured.copy.path)
        reach = await reach_of(self.suite, tree, self.files)
        ran = results.Ran(
            check=self.name,
            tree=measured.tree,
            done=reach.runs[-1].done,
            artifacts=self.suite.artifacts,
            tool=f"setpoint cover {__version__}, {self.suite.name} {self.suite.program.version}".strip(),
        )
        if reach.why:
            return ran.gave(CheckState.ERROR, reach.why)
        report = await asyncio.to_thread(self._report, reach, tree)
        findings = (*await only_tests(measured, self.goals), *instructions(report))
        blocking = any(each.blocking for each in findings)
        counts = counts_of(report)
        if self.goals.only_tests and not missed(report):
            counts[MET] = 1
        result = ran.gave(CheckState.FAIL if blocking else CheckState.PASS, findings=findings, counts=counts)
        kept = self.suite.artifacts.keep(report.model_dump_json(indent=1))
        return result.model_copy(update={"evidence": result.evidence.model_copy(update={"output": kept})})

    def _report(self, reach: ScriptReach, tree: Path) -> CoverReport:
        outcomes = reach.tests.outcomes if reach.tests else {}
        report = CoverReport(
            files=covered_files(reach, tree),
            tests=dict(Counter(str(outcome) for outcome in outcomes.values())),
            touching=len(outcomes),
            failing=tuple(test for test, outcome in outcomes.items() if outcome in _BAD),
            asked=self.goals.model_copy(update={"mutation": None}),
            unscored=UNSCORED,
        )
        return report.model_copy(update={"asked": adapted(report.asked, report.complexity)})
