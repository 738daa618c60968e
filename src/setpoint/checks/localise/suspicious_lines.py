"""Which lines failing tests run more than passing ones: some tests run again, watched line by line.

Done only where tests fail for a reason that lies in the code, with at most some tests of each cause, other
tests beside them, and a limit of time (docs/decisions/0020, docs/decisions/0164).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.localise.spectra import MOST_OF_CAUSE, Ran, Spectra, Watched
from setpoint.model.evidence import Cause, Failure, Suspect
from setpoint.model.failure_clusters import Cluster, clustered
from setpoint.ports import Measured
from setpoint_probe.localise import ochiai as measure
from setpoint_probe.localise.ochiai import Line, Reached, ochiai, with_tracebacks

IN_CODE = (Cause.ASSERTION, Cause.RUNTIME)
"""Classes of failures whose reason may lie anywhere in the code that ran."""
NOT_WATCHED = (
    "not localised: lines are ranked for tests of pytest, go test, vitest, jest, mocha and node --test "
    "alone; see the place of each failure"
)
OFF = "not localised: failures.localise_s = 0 switches it off"
_ELSEWHERE = "lines are ranked for assertions and exceptions alone, and the tests end otherwise ({})"
_SEE = "see the place of each failure"
_NONE_RAN = "the failing tests run no line of the project's code in their own process"
_NOT_AGAIN = "no failing test failed again while it was watched"
MOST_CAUSES = 8
MOST_SUSPECTS = 10


@dataclass(frozen=True, kw_only=True)
class Localised:
    """What came of looking."""

    suspects: tuple[Suspect, ...] = ()
    how: str = ""
    """What it rests on, or why there are none."""


@dataclass(frozen=True, kw_only=True)
class Localiser:
    """Looks for the lines at fault in one tree."""

    spectra: tuple[Spectra, ...]
    """One for each runner whose tests can be watched."""
    limit_s: float
    """Seconds after which no more tests are begun; 0 switches it off."""
    changed: Mapping[str, set[int]]
    """Lines the work added or changed, by path."""

    async def look(self, measured: Measured, failures: Sequence[Failure]) -> Localised:
        """Run some tests of a checked-out tree and rank the lines that failing ones ran."""
        ours = [each for each in failures if any(one.owns(each.test) for one in self.spectra)]
        if failures and not ours:
            return Localised(how=NOT_WATCHED)
        if not self.limit_s:
            return Localised(how=OFF)
        clusters = [each for each in clustered(ours) if each.first.cause in IN_CODE][:MOST_CAUSES]
        if not clusters:
            causes = " and ".join(sorted({str(each.cause) for each in failures}))
            return _nothing(f"{_ELSEWHERE.format(causes)}; {_SEE}") if causes else Localised()
        chosen = [failure for each in clusters for failure in each.failures[:MOST_OF_CAUSE]]
        seen = await self._watched(measured, chosen)
        tests = {test.test: test for each in seen for test in each.tests}
        red = {test.test for test in tests.values() if test.failed}
        note = "; ".join(each.note for each in seen if each.note)
        if not red.intersection(each.test for each in chosen):
            whys = dict.fromkeys(each.why for each in seen if each.why)
            return _nothing("; ".join((*whys, _SEE) if whys else filter(None, (_NOT_AGAIN, note))))
        scores = _scores(tests, clusters, red)
        green, took = len(tests) - len(red), sum(each.took_s for each in seen)
        how = f"Ochiai over {len(red)} failing and {green} passing tests, run in {took:.1f} s"
        how = "; ".join(filter(None, (how if scores else f"not localised: {_NONE_RAN}", note)))
        told = Counter(line for test in red for line in set(tests[test].frames))
        late = frozenset[Line]().union(*(tests[test].before for test in red))
        # What was run as modules were loaded comes last, where no traceback tells it.
        ordered = sorted(
            scores,
            key=lambda line: (
                not self._is_changed(line),
                line in late and not told[line],
                -scores[line],
                -told[line],
                line,
            ),
        )
        return Localised(suspects=self._suspects(ordered, scores, Path(measured.copy.path)), how=how)

    async def _watched(self, measured: Measured, chosen: Sequence[Failure]) -> list[Watched]:
        shares = [(one, [each for each in chosen if one.owns(each.test)]) for one in self.spectra]
        owned = [(one, failing) for one, failing in shares if failing]
        return [await one.watch(measured, failing, self.limit_s / len(owned)) for one, failing in owned]

    def _suspects(
        self, ordered: Sequence[Line], scores: Mapping[Line, float], tree: Path
    ) -> tuple[Suspect, ...]:
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


def _nothing(why: str) -> Localised:
    return Localised(how=f"not localised: {why}")


def _scores(tests: Mapping[str, Ran], clusters: Iterable[Cluster], red: set[str]) -> dict[Line, float]:
    """Score each cause by itself, so that one does not drown the other, and all together.

    A line gets the geometric mean of its highest score and the one over all: failures that look like several
    causes often have one, and only what most of them run explains them.
    """
    reached = {
        test: Reached("failed" if ran.failed else "passed", 0.0, ran.lines, traceback=ran.frames)
        for test, ran in tests.items()
    }
    causes = [[each.test for each in cluster.failures if each.test in red] for cluster in clusters]
    highest: dict[Line, float] = {}
    for failing in filter(None, causes):
        for line, score in _scored(reached, failing, red).items():
            highest[line] = max(highest.get(line, 0.0), score)
    over_all = _scored(reached, [test for failing in causes for test in failing], red)
    return {line: math.sqrt(score * over_all[line]) for line, score in highest.items()}


def _scored(reached: Mapping[str, Reached], failing: Sequence[str], red: set[str]) -> dict[Line, float]:
    """Score the lines of some failing tests against those that pass."""
    wanted = set(failing)
    spectra = measure.Spectra(
        {test: ran for test, ran in reached.items() if test in wanted or test not in red}
    )
    return with_tracebacks(ochiai(spectra, failing), spectra, failing)


def _line_of(sources: dict[str, list[str]], tree: Path, file: str, number: int) -> str:
    if file not in sources:
        try:
            sources[file] = (tree / file).read_text("utf-8", "replace").split("\n")
        except OSError:
            sources[file] = []
    lines = sources[file]
    return lines[number - 1].strip()[:200] if number <= len(lines) else ""
