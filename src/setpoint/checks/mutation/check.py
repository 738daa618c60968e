"""The mutation score: which small changes of the code the project's own tests notice."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.discovery.interpreter import Interpreter
from setpoint.checks.discovery.layout import Layout
from setpoint.checks.mutation.answer import report_of
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.mutation import Fate, MutationReport
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.git.git import changed_lines
from setpoint.system.processes import Command, Completed, run, without_network
from setpoint.version import __version__
from setpoint_probe.wire.order import argv_of, read_score
from setpoint_probe.wire.score import ScoreRequest

MOST_FINDINGS = 40
"""Surviving mutants that become findings; the rest is in the kept report."""
_NOT_SOURCES = frozenset(("conftest.py", "setup.py", "noxfile.py"))
_MOST_TOLD = 15
"""Surviving mutants that a missed goal names: only what blocks goes back to the maker."""
GREEN_FIRST = (
    "see that the tests run and pass, also without the network, which mutants never get: setpoint check"
)
NO_NETWORK = "tests that need the network fail here: mutants never get it"
_GRACE_S = 90.0
"""Seconds beyond its budget after which the engine is ended; it ends by itself long before."""


@dataclass(frozen=True, kw_only=True)
class MutationEngine:
    """How mutants are judged in this project."""

    interpreter: Interpreter
    layout: Layout
    budget_s: float
    jobs: int
    args: tuple[str, ...] = ()
    """Arguments of the settings for pytest."""
    thorough: bool = False
    """Whether results, errors and messages are changed in more ways, as for comparing two suites."""
    most: int = 2000
    """Mutants that are tried at most."""

    async def judge(
        self,
        tree: Path,
        lines: Mapping[str, Collection[int]],
        *,
        tolerated: Collection[str] | None = None,
        each: Collection[str] = (),
    ) -> tuple[Completed, MutationReport | None, str]:
        """Judge the mutants of lines (none for a file: all); gives the report, or why there is none.

        Where `tolerated` names failing tests, any other failing test that reaches the lines ends it at once.
        The tests of `each` are all asked about each mutant, and only what they reach is mutated.
        """
        with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as folder:
            scratch = Path(folder)
            asked, answered = scratch / "request.json", scratch / "result.json"
            request = ScoreRequest(
                tree=str(tree),
                targets={file: tuple(sorted(wanted)) for file, wanted in lines.items()},
                wall_s=self.budget_s,
                jobs=self.jobs,
                most=self.most,
                thorough=self.thorough,
                pytest_args=self.args,
                green_only=tolerated is not None,
                known_red=tuple(tolerated or ()),
                each=tuple(each),
                scratch=folder,
            )
            variables = environment_of_tests(self.interpreter, tree, self.layout)
            command = Command(
                argv=argv_of(self.interpreter.path, request, asked, answered),
                cwd=tree,
                environment={**variables, "PYTHONHASHSEED": "0", "TMPDIR": folder},
                writes=(scratch,),
                timeout_s=self.budget_s + _GRACE_S,
            )
            async with without_network() as reachable:
                done = await run(command)
            try:
                result = await asyncio.to_thread(read_score, answered)
                report = report_of(result)
            except ValueError as error:
                return done, None, f"the mutation engine broke: {done.ending}{results.tail(done) or error}"
        if not (reachable or set(result.red) <= set(tolerated or ())):
            said = "; ".join(filter(None, (report.reason, NO_NETWORK)))
            report = report.model_copy(update={"reason": said})
        measured = result.status == "measured"
        return done, report if measured else None, "" if measured else result.reason


@dataclass(frozen=True, kw_only=True)
class MutationScore:
    """Mutants of the lines that the work changes; a goal that is missed blocks."""

    engine: MutationEngine
    artifacts: Artifacts
    goal: float | None
    settled: frozenset[str] = frozenset()
    """Tests that fail and are tolerated."""
    name: str = field(default="mutation", init=False)

    async def run(self, measured: Measured) -> CheckResult:
        """Judge the mutants of a tree."""
        tree = Path(measured.copy.path)
        changed = await changed_lines(tree, measured.copy.base, measured.commit)
        lines = {file: wanted for file, wanted in changed.items() if is_source(file)}
        if not lines:
            return results.unmeasured(self.name, measured.tree, "no line of code was changed")
        done, report, reason = await self.engine.judge(tree, lines, tolerated=self.settled)
        ran = results.Ran(
            check=self.name,
            tree=measured.tree,
            done=done,
            artifacts=self.artifacts,
            tool=f"setpoint mutation {__version__}, Python {self.engine.interpreter.version}",
        )
        if report is None:
            broke = not done.ok
            return ran.gave(CheckState.ERROR if broke else CheckState.NOT_MEASURED, reason)
        if report.score is None:
            reason = report.reason or "the changed lines have no mutants that could be tried in the time"
            return ran.gave(CheckState.NOT_MEASURED, reason, counts=report.counts)
        findings = findings_of(report, self.goal)
        state = CheckState.FAIL if findings else CheckState.PASS
        result = ran.gave(
            state, report.reason, findings=findings, counts={**report.counts, "findings": len(findings)}
        )
        kept = self.artifacts.keep(report.model_dump_json(indent=1))
        evidence = result.evidence.model_copy(update={"output": kept})
        return result.model_copy(update={"evidence": evidence, "metrics": {"mutation": report.score}})


def is_source(file: str) -> bool:
    """Whether a file holds code that tests are to test."""
    name = file.rpartition("/")[2]
    return file.endswith(".py") and not is_test_path(file) and name not in _NOT_SOURCES


def findings_of(report: MutationReport, goal: float | None) -> tuple[Finding, ...]:
    """Make findings of what no test notices; a missed goal is one more, which blocks."""
    found = [*_survivors(report), *_unreached(report)][:MOST_FINDINGS]
    score = report.score
    if goal is None or score is None or score >= goal or report.traced < report.tests:
        return tuple(found)  # tests that there was no time to look at may notice more
    counts = report.counts
    noticed, tried = counts["killed"] + counts["timeout"], len(report.mutants) - counts["untried"]
    missed = Finding(
        source="mutation",
        rule="below-goal",
        severity=Severity.ERROR,
        category=Category.TESTS,
        message=f"the tests notice {noticed} of {tried} small changes of the changed lines; "
        f"the goal is {goal:.0%}",
        detail="\n".join(
            ["Add assertions that fail on the others:", *(_told(each) for each in found[:_MOST_TOLD])]
        ),
    )
    return (missed, *found)


def _survivors(report: MutationReport) -> Iterator[Finding]:
    """Tell the survivors, those first whose tests took another path: these are surely no equivalents."""
    for each in report.survivors:
        doubt = "; the tests take the same path, so it may mean the same" if each.same_path else ""
        yield Finding(
            source="mutation",
            rule=each.operator,
            severity=Severity.WARNING,
            category=Category.TESTS,
            message=f"no test fails when this line reads: {_short(each.after)}",
            file=each.file,
            line=each.line,
            text=_short(each.before),
            confidence=0.5 if each.same_path else 0.9,
            detail=f"{each.tests} tests reach it and pass{doubt}",
        )


def _unreached(report: MutationReport) -> Iterator[Finding]:
    lines: dict[str, set[int]] = {}
    for each in report.mutants:
        if each.verdict is Fate.UNCOVERED:
            lines.setdefault(each.file, set()).add(each.line)
    for file, numbers in sorted(lines.items()):
        ordered = sorted(numbers)
        yield Finding(
            source="mutation",
            rule="uncovered",
            severity=Severity.WARNING,
            category=Category.TESTS,
            message="no test reaches changed lines that could be wrong",
            file=file,
            line=ordered[0],
            detail=f"lines {', '.join(str(number) for number in ordered[:40])}",
        )


def _told(finding: Finding) -> str:
    place = f"{finding.file}:{finding.line}"
    return f"- {place}: {finding.message}{f' ({finding.detail})' if finding.rule == 'uncovered' else ''}"


def _short(text: str) -> str:
    return " ".join(text.split())[:200]
