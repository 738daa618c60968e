"""Which lines failing tests run more than passing ones: a short run of some tests under our own tracer.

Done only where tests fail for a reason that lies in the code, with at most some tests of each cause, the
other tests of the same files, and a limit of time (docs/decisions/0020).
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.tests import line_traces
from setpoint.checks.formats.tests.line_traces import Traced
from setpoint.checks.suites.pytest import Runner, run_once
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Cause, Failure, Suspect
from setpoint.model.failure_clusters import Cluster, clustered
from setpoint.ports import Measured
from setpoint_probe.localise.ochiai import Line, Reached, Spectra, ochiai, with_tracebacks
from setpoint_probe.plugin import TRACER

IN_CODE = (Cause.ASSERTION, Cause.RUNTIME)
"""Classes of failures whose reason may lie anywhere in the code that ran."""
ONLY_PYTHON = "not localised: lines are ranked for tests in Python alone; see the place of each failure"
APART = "not localised: pytest runs once for each package here; see the place of each failure"
OFF = "not localised: failures.localise_s = 0 switches it off"
_ELSEWHERE = (
    "lines are ranked for assertions and exceptions alone, and the tests end otherwise ({}); see the place "
    "of each failure"
)
_NONE_RAN = "not localised: the failing tests run no line of the project's code in their own process"
MOST_CAUSES = 8
MOST_OF_CAUSE = 5
"""Failing tests traced of one cause."""
MOST_SUSPECTS = 10
_MOST_NAMED = 3
GRACE_S = 15.0
"""Seconds on top of the limit for collecting the tests and for the last of them to end."""


@dataclass(frozen=True, kw_only=True)
class Localised:
    """What came of looking."""

    suspects: tuple[Suspect, ...] = ()
    how: str = ""
    """What it rests on, or why there are none."""


@dataclass(frozen=True, kw_only=True)
class Localiser:
    """Looks for the lines at fault in one tree."""

    runner: Runner
    limit_s: float
    """Seconds after which no more tests are begun; 0 switches it off."""
    files: tuple[str, ...]
    """Every file of the tree."""
    changed: Mapping[str, set[int]]
    """Lines the work added or changed, by path."""

    async def look(self, measured: Measured, failures: Sequence[Failure]) -> Localised:
        """Trace some tests of a checked-out tree and rank the lines that failing ones ran."""
        ours = of_python(failures)
        clusters = [each for each in clustered(ours) if each.first.cause in IN_CODE][:MOST_CAUSES]
        if why := self._refused(bool(failures and not ours)):
            return Localised(how=why)
        if not clusters:
            causes = " and ".join(sorted({str(each.cause) for each in failures}))
            return Localised(how=f"not localised: {_ELSEWHERE.format(causes)}" if causes else "")
        code = tuple(file for file in self.files if file.endswith(".py") and not is_test_path(file))
        chosen = [failure.test for each in clusters for failure in each.failures[:MOST_OF_CAUSE]]
        try:
            tests = await self._traced(measured, chosen, code)
        except BadReport as error:
            return Localised(how=f"not localised: {error}")
        red = {test.id for test in tests if test.failed}
        if not red.intersection(chosen):
            return Localised(how="not localised: no failing test failed again under the tracer")
        spectra = _spectra(tests, code, failures)
        scores = _scores(spectra, clusters, red)
        took = sum(test.duration_s for test in tests)
        green = len(tests) - len(red)
        how = f"Ochiai over {len(red)} failing and {green} passing tests, traced in {took:.1f} s"
        how = (how if scores else _NONE_RAN) + _unseen(tests, red.intersection(chosen))
        told = Counter(line for test in red for line in set(spectra.tests[test].traceback))
        return Localised(suspects=self._ranked(scores, told, Path(measured.copy.path)), how=how)

    def _refused(self, others: bool) -> str:  # noqa: FBT001 - one caller
        if others:
            return ONLY_PYTHON
        return OFF if not self.limit_s else APART if self.runner.roots else ""

    async def _traced(
        self, measured: Measured, failing: Sequence[str], code: tuple[str, ...]
    ) -> tuple[Traced, ...]:
        tree = Path(measured.copy.path)
        files = list(dict.fromkeys(test.partition("::")[0] for test in failing))
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            report, order = Path(folder) / "traced.jsonl", Path(folder) / "order.json"
            facts = {
                "report": str(report),
                "files": [str(tree / file) for file in code],
                "first": list(failing),
                "then": files,
                "limit_s": self.limit_s,
            }
            order.write_text(json.dumps(facts), "utf-8")
            runner = replace(
                self.runner,
                cover=None,
                timeout_s=self.limit_s + GRACE_S,
                plugins=(TRACER,),
                variables={"SETPOINT_REPORT_TRACE": str(order)},
                writes=(Path(folder),),
            )
            await run_once(runner, measured, tuple(files))
            return await asyncio.to_thread(line_traces.read, report)

    def _ranked(
        self, scores: Mapping[Line, float], told: Mapping[Line, int], tree: Path
    ) -> tuple[Suspect, ...]:
        """Put changed lines first, then the others, by their score, then by how many tracebacks tell them."""
        ordered = sorted(
            scores,
            key=lambda line: (not self._is_changed(line), -scores[line], -told.get(line, 0), line),
        )
        sources: dict[str, list[str]] = {}
        return tuple(
            Suspect(
                file=file,
                line=number,
                rank=rank,
                score=round(scores[file, number], 4),
                changed=self._is_changed((file, number)),
                text=_line_of(sources, tree, file, number),
            )
            for rank, (file, number) in enumerate(ordered[:MOST_SUSPECTS], start=1)
        )

    def _is_changed(self, line: Line) -> bool:
        return line[1] in self.changed.get(line[0], ())


def of_python(failures: Iterable[Failure]) -> list[Failure]:
    """Return the failures of tests in Python, whose lines can be traced."""
    return [failure for failure in failures if failure.test.partition("::")[0].endswith(".py")]


def _unseen(tests: Iterable[Traced], red: set[str]) -> str:
    """Name what starts the processes of failing tests, in which no line is seen; empty where nothing does."""
    started = dict.fromkeys(each for test in tests if test.id in red for each in test.processes)
    if not started:
        return ""
    named = [f"`{called}` in {file}" for called, file in started][:_MOST_NAMED]
    return f"; the tests start processes ({', '.join(named)}), and what runs there is not seen"


def _spectra(tests: Iterable[Traced], code: Sequence[str], failures: Iterable[Failure]) -> Spectra:
    frames = {
        failure.test: tuple((frame.file, frame.line) for frame in failure.frames if frame.file in set(code))
        for failure in failures
    }
    return Spectra(
        {
            test.id: Reached(
                "failed" if test.failed else "passed",
                test.duration_s,
                frozenset(
                    (code[number], line)
                    for number, lines in test.lines.items()
                    if 0 <= number < len(code)
                    for line in lines
                ),
                traceback=frames.get(test.id, ()) if test.failed else (),
            )
            for test in tests
        }
    )


def _scores(spectra: Spectra, clusters: Iterable[Cluster], red: set[str]) -> dict[Line, float]:
    """Score each cause by itself, so that one does not drown the other; a line keeps its highest score."""
    scores: dict[Line, float] = {}
    for cluster in clusters:
        failing = [failure.test for failure in cluster.failures if failure.test in red]
        if not failing:
            continue
        others = Spectra(
            {test: ran for test, ran in spectra.tests.items() if test in failing or test not in red}
        )
        for line, score in with_tracebacks(ochiai(others, failing), others, failing).items():
            scores[line] = max(scores.get(line, 0.0), score)
    return scores


def _line_of(sources: dict[str, list[str]], tree: Path, file: str, number: int) -> str:
    if file not in sources:
        try:
            sources[file] = (tree / file).read_text("utf-8", "replace").split("\n")
        except OSError:
            sources[file] = []
    lines = sources[file]
    return lines[number - 1].strip()[:200] if number <= len(lines) else ""
