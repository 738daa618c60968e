"""The check of what tests reach of named files: by function, line and branch, with R1's thresholds."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.cover.answer import files_of
from setpoint.checks.cover.report import counts_of, only_tests
from setpoint.checks.cover.script_reach import scripts_within
from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.discovery.interpreter import Interpreter
from setpoint.checks.discovery.layout import Layout
from setpoint.checks.discovery.project import Project
from setpoint.checks.mutation.check import NO_NETWORK, MutationEngine, is_source
from setpoint.checks.run import Group, Unmeasured
from setpoint.model.cover import CoverGoals, CoverReport
from setpoint.model.cover_quality import MET, SOURCE, adapted, instructions, missed
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.ports import Measured
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Completed, run
from setpoint.version import __version__
from setpoint_probe.wire.answer import UnreadableAnswer
from setpoint_probe.wire.order import argv_of, read_reach
from setpoint_probe.wire.reach import ReachRequest, ReachResult


def sources_within(paths: Sequence[str], files: Iterable[str]) -> tuple[str, ...]:
    """Return the Python sources among the files that lie at or under the paths, tests left out."""
    names = tuple("" if path in (".", "./") else path.rstrip("/").removeprefix("./") for path in paths)
    return tuple(
        file
        for file in sorted(files)
        if is_source(file) and any(not name or file == name or file.startswith(f"{name}/") for name in names)
    )


@dataclass(frozen=True, kw_only=True)
class CoverCheck:
    """Runs the project's tests under the engine's tracer and compares what they reach with the goals."""

    interpreter: Interpreter
    layout: Layout
    artifacts: Artifacts
    goals: CoverGoals
    files: tuple[str, ...]
    """The files that are to be covered."""
    timeout_s: float
    stage: Stage
    args: tuple[str, ...] = ()
    """Arguments of the settings for pytest."""
    name: str = field(default=SOURCE, init=False)

    async def run(self, measured: Measured) -> CheckResult:
        """Measure what the tests of a tree reach."""
        tree = Path(measured.copy.path)
        done, reach, broke = await self._reach(tree)
        ran = results.Ran(
            check=self.name,
            tree=measured.tree,
            done=done,
            artifacts=self.artifacts,
            tool=f"setpoint cover {__version__}, Python {self.interpreter.version}",
        )
        if reach is None or reach.status != "measured":
            reason = broke or (reach.reason if reach else "")
            return ran.gave(CheckState.ERROR, reason)
        report = await self._scored(_report(reach, self.goals), tree, reach.outcomes)
        findings = (*await only_tests(measured, self.goals), *instructions(report))
        blocking = any(each.blocking for each in findings)
        state = CheckState.FAIL if blocking else CheckState.PASS
        counts = counts_of(report)
        if self.goals.only_tests and self.goals.mutation is None and not missed(report):
            counts[MET] = 1
        result = ran.gave(state, findings=findings, counts=counts)
        kept = self.artifacts.keep(report.model_dump_json(indent=1))
        return result.model_copy(update={"evidence": result.evidence.model_copy(update={"output": kept})})

    async def _reach(self, tree: Path) -> tuple[Completed, ReachResult | None, str]:
        with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as folder:
            request = ReachRequest(tree=str(tree), files=self.files, pytest_args=self.args, scratch=folder)
            answered = Path(folder) / "result.json"
            variables = environment_of_tests(self.interpreter, tree, self.layout)
            done = await run(
                Command(
                    argv=argv_of(self.interpreter.path, request, Path(folder) / "request.json", answered),
                    cwd=tree,
                    environment={**variables, "PYTHONHASHSEED": "0", "TMPDIR": folder},
                    writes=(Path(folder),),
                    timeout_s=self.timeout_s,
                )
            )
            try:
                return done, await asyncio.to_thread(read_reach, answered), ""
            except UnreadableAnswer as error:
                return done, None, f"the measurement {done.ending}{results.tail(done) or error}"

    async def _scored(self, report: CoverReport, tree: Path, outcomes: Mapping[str, str]) -> CoverReport:
        """Add the mutation score; at the base and in the last run none is due, and so none is asked.

        `outcomes` are those of the tests where they have the network.
        """
        if self.stage in (Stage.BASE, Stage.CONFIRM):
            asked = report.asked.model_copy(update={"mutation": None})
            return report.model_copy(update={"asked": asked})
        if not self.goals.mutation_s:
            return report.model_copy(update={"unscored": "cover.mutation_s is 0"})
        engine = MutationEngine(
            interpreter=self.interpreter,
            layout=self.layout,
            budget_s=self.goals.mutation_s,
            jobs=1,
            args=self.args,
        )
        _, mutants, why = await engine.judge(tree, dict.fromkeys(self.files, ()))
        if mutants is None:
            return report.model_copy(update={"unscored": why or "the mutation engine gave no reason"})
        if any(outcomes.get(test) == "passed" for test in mutants.red):
            return report.model_copy(update={"unscored": NO_NETWORK})
        score = mutants.score
        none = mutants.reason or "no small change of these files could be tried in the time"
        return report.model_copy(
            update={"mutation": score, "mutants": mutants.counts, "unscored": none if score is None else ""}
        )


def covering(
    project: Project,
    settings: Settings,
    artifacts: Artifacts,
    stage: Stage,
    files: Iterable[str],
    cannot: str,
) -> Iterator[Group]:
    """Make the check where files are named; `cannot` says why the project's tests cannot be run."""
    goals = settings.cover
    if not goals.paths:
        return
    known = tuple(files)
    sources = sources_within(goals.paths, known)
    if not sources and scripts_within(goals.paths, known):
        return  # these are measured by the runner of their own tests
    if reason := cannot or ("" if sources else "no Python source lies at cover.paths"):
        yield Group(checks=(Unmeasured(name=SOURCE, reason=reason, state=CheckState.ERROR),), identity=None)
        return
    check = CoverCheck(
        interpreter=project.interpreter,
        layout=project.layout,
        artifacts=artifacts,
        goals=goals,
        files=sources,
        timeout_s=settings.checks.timeout_s,
        stage=stage,
        args=settings.checks.pytest_args,
    )
    yield Group(checks=(check,), identity=None)


def _report(reach: ReachResult, goals: CoverGoals) -> CoverReport:
    failing = tuple(test for test, outcome in reach.outcomes.items() if outcome in ("failed", "error"))
    report = CoverReport(
        files=files_of(reach),
        skipped=tuple(reach.skipped_files),
        tests=dict(Counter(reach.outcomes.values())),
        touching=len(reach.touching),
        failing=failing,
        asked=goals,
    )
    return report.model_copy(update={"asked": adapted(goals, report.complexity)})
