"""A whole mutation score: warm session, steady tests, mutants tried side by side, fresh processes, result.

Like the repair, this process never imports the project: the warm session lives in a forked child.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..localise.ochiai import Reached
from ..localise.spectra import Trace, trace
from ..process.children import Limits, Report, cpu_used, run_child
from ..session.forkserver import loaded_outside
from ..session.session import FAILED, PASSED, Suite, collect, prepare_path, pytest_words
from ..source.files import SourceFiles, scratch_folder
from ..source.hot_swap import Swapper
from ..source.source import Source, UnreadableSource, splice
from ..wire.exchange import Progress, fault_in, follow, read_order
from ..wire.score import UNCOVERED, UNTRIED, Judged, ScoreRequest, ScoreResult
from .at_import import AtImport
from .fresh_kills import FreshKills
from .kills import FRESH, Kills, Tried
from .operators import Mutant, make
from .own_lines import lines_of
from .reach_watch import Watch
from .stable_tests import Judges, judges

_TRACE_SHARE, _STEADY_SHARE, _WARM_SHARE = 0.4, 0.55, 0.85
"""Shares of the time after which tracing, repeating and trying in the warm session end."""
_ONE_TEST_S = 20.0


def score(request: ScoreRequest, progress: Progress) -> ScoreResult:
    """Work on one order; whatever goes wrong with the project ends in the result's reason."""
    started = time.monotonic()
    request = replace(request, tree=os.path.realpath(request.tree))
    request = replace(request, last=(*request.last, *request.each))
    result = ScoreResult(pytest=importlib.metadata.version("pytest"))
    if request.each:
        request = replace(request, targets=lines_of(request, result))
    sources = _read(request, result)
    if not sources:
        result.reason = "; ".join(result.skipped_files) or "no file to be mutated"
        return result
    wanted = {os.path.join(request.tree, file): lines for file, lines in request.targets.items()}  # noqa: PTH118 - code objects have strings
    made = make(sources, wanted, request.seed, thorough=request.thorough)
    result.made, result.same = len(made.mutants), made.same
    mutants = made.mutants[: request.most]
    tried: dict[int, Tried] = {}
    guarding: dict[int, Sequence[str]] = {}
    warm = _Warm(request, mutants, started, progress, result)
    if mutants:
        warm.run(tried, guarding)
        lame = _try_afresh(warm, request, mutants, started, tried, guarding)
        result.unsteady = sorted({*result.unsteady, *lame})
        result.seconds["fresh"] = round(time.monotonic() - started - sum(result.seconds.values()), 3)
    if not mutants or result.traced:
        result.status = "measured"
    elif not result.reason:
        result.reason = "no test was collected"
    for place, mutant in enumerate(mutants):
        told = tried.get(place, Tried(UNTRIED))
        tests = len(guarding.get(place, ())) + len(warm.far.get(place, ()))
        result.judged.append(judged_of(request.tree, mutant, told, tests))
    result.cpu_s = round(cpu_used(), 2)
    result.seconds["total"] = round(time.monotonic() - started, 3)
    return result


class _Warm:
    """The warm session, in a child of its own."""

    def __init__(
        self,
        request: ScoreRequest,
        mutants: Sequence[Mutant],
        started: float,
        progress: Progress,
        result: ScoreResult,
    ) -> None:
        self._request = request
        self._mutants = mutants
        self._started = started
        self._progress = progress
        self._result = result
        self._told = started
        self._looked_at = 0
        self.cpu_s: dict[str, float] = {}
        """CPU seconds of one run by test, known after `run`."""
        self.far: dict[int, Sequence[str]] = {}
        """Further tests that import what a mutant changes, where that runs at import; known after `run`."""
        self.modules: list[str] = []
        """What the tests import from outside the tree, known after `run`."""

    def run(self, tried: dict[int, Tried], guarding: dict[int, Sequence[str]]) -> None:
        """Fill in what became of each mutant, and which tests can notice it."""
        request, result = self._request, self._result
        log = Path(request.scratch) / "warm.log"
        heard: set[str] = set()

        def take(entry: tuple[str, Any]) -> None:
            kind, value = entry
            heard.add(kind)
            if kind == "tried":
                tried[value[0]] = value[1]
            elif kind == "guarding":
                guarding.update(value)
            elif kind in ("cpu_s", "modules", "far"):
                setattr(self, kind, value)
            elif kind == "stage":
                result.seconds[value[0]] = value[1]
            else:
                setattr(result, kind, value)

        limits = Limits(request.memory_bytes, request.wall_s + 60)
        ended = run_child(lambda report: self._act(report, log), limits, take)
        if "tests" not in heard:
            said = log.read_text(encoding="utf-8", errors="replace").strip()[-600:] if log.exists() else ""
            result.reason = f"pytest did not get as far as running tests: {ended.error or 'it ended'}; {said}"

    def _act(self, report: Report, log: Path) -> None:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for number in (1, 2):
            os.dup2(target, number)
        request = self._request
        prepare_path(request.tree)

        at_import = AtImport(request.tree, SourceFiles(request.tree, tuple(request.targets), ()))

        def act(suite: Suite) -> None:
            at_import.stop()
            report(("tests", len(suite.items)))
            # pytest would swallow it; the parent says it in the result.
            if fault := fault_in(lambda: self._in_session(suite, at_import, report)):
                report(("reason", fault))

        at_import.start()
        collect(pytest_words(request.tree, request.scratch, request.pytest_args), act)

    def _in_session(self, suite: Suite, at_import: AtImport, report: Report) -> None:
        request = self._request
        if suite.problems:
            report(("reason", f"some tests cannot be collected and are left out: {suite.problems[0][-300:]}"))
        gc.collect()  # what is garbage when it is frozen is never collected, and tests may look for it
        self._stage("collect", report)
        files = SourceFiles(request.tree, tuple(request.targets), ())
        limits = Limits(request.memory_bytes, _ONE_TEST_S)
        until = self._started + request.wall_s * _TRACE_SHARE
        first = set(request.each)
        ids = [
            *(each for each in suite.ids if each in first),
            *(each for each in suite.ids if each not in first),
        ]
        traced = trace(suite, ids, Trace(files, limits, _ONE_TEST_S, until, alone=True))
        self._looked_at = len(traced)
        report(("traced", len(traced)))
        if len(traced) < len(suite.items):
            said = f"{len(traced)} of {len(suite.items)} tests could be looked at in the time"
            report(("reason", said))
        report(("red", [test for test, each in traced.items() if each.outcome == FAILED]))
        self._stage("trace", report)
        if disturbing := _red_touching(request, traced):
            named = ", ".join(disturbing[:3])
            report(
                ("reason", f"{len(disturbing)} red tests reach the lines, so mutants say nothing: {named}")
            )
            report(("traced", 0))
            return
        outside = {mutant.unit: mutant.source for mutant in self._mutants if not mutant.unit.is_function}
        constants = {name for unit, source in outside.items() for name in source.touched_by(unit)}
        until = self._started + request.wall_s * _STEADY_SHARE
        found = judges(suite, traced, request.jobs, limits, until, constants)
        found = replace(found, last=request.last, each=frozenset(request.each))
        report(("touching", len(found.reached)))
        report(("reaching", sorted(found.reached)))
        report(("unsteady", found.unsteady))
        report(("jobs", found.jobs))
        self._stage("steady", report)
        guarding = {place: found.of(mutant) for place, mutant in enumerate(self._mutants)}
        report(("guarding", guarding))
        far = {} if request.each else self._far(suite, traced, found, at_import)
        report(("far", far))
        report(("cpu_s", found.cpu_s))
        report(("modules", loaded_outside(request.tree)))
        self._kill(suite, found, guarding, far, report)
        self._stage("mutants", report)

    def _far(
        self, suite: Suite, traced: Mapping[str, Reached], found: Judges, at_import: AtImport
    ) -> dict[int, Sequence[str]]:
        """Return, for each mutant of what runs at import, the tests that import it and are not known near."""
        steady = {
            test: suite.path_of(test)
            for test, each in traced.items()
            if each.outcome == PASSED and test not in found.unsteady
        }
        paths = {mutant.source.path for mutant in self._mutants}
        importing = {path: frozenset(at_import.tests_of(path, steady)) for path in paths}
        return {
            place: sorted(importing[mutant.source.path].difference(found.of(mutant)))
            for place, mutant in enumerate(self._mutants)
            if at_import.runs(mutant, found)
        }

    def _kill(
        self,
        suite: Suite,
        found: Judges,
        guarding: dict[int, Sequence[str]],
        far: dict[int, Sequence[str]],
        report: Report,
    ) -> None:
        request = self._request
        unreached = Tried(UNCOVERED if self._looked_at == len(suite.items) else UNTRIED)
        places: list[int] = []
        for place, mutant in enumerate(self._mutants):
            if not guarding[place] and not far.get(place):
                report(("tried", (place, unreached)))
            elif request.fresh or place in far or not mutant.unit.is_function:
                # a value that is bound anew would lack what the import did to it later on
                report(("tried", (place, Tried(FRESH))))
            else:
                places.append(place)
        if not places:
            return
        files = SourceFiles(request.tree, tuple(request.targets), ())
        kills = Kills(
            suite,
            found,
            Swapper({mutant.source.path for mutant in self._mutants}),
            Watch(suite, found, files),
            Limits(request.memory_bytes, 60.0),
            request.tree,
            request.scratch,
            self._started + request.wall_s * _WARM_SHARE,
        )
        gc.freeze()
        tempfile.gettempdir()  # asked once: it writes a file to try the folder
        told = time.monotonic()
        count = 0

        def take(place: int, tried: Tried) -> None:
            nonlocal told, count
            count += 1
            report(("tried", (places[place], tried)))
            if time.monotonic() - told > 1.0:
                told = time.monotonic()
                self._progress.tell("progress", tried=count, of=len(places))

        broken = kills.run([self._mutants[place] for place in places], take)
        if broken:
            report(("reason", f"{len(broken)} of {found.jobs} workers broke: {broken[0]}"))

    def _stage(self, name: str, report: Report) -> None:
        now = time.monotonic()
        seconds, self._told = round(now - self._told, 3), now
        report(("stage", (name, seconds)))
        self._progress.tell("stage", name=name, seconds=seconds)


def _red_touching(request: ScoreRequest, traced: Mapping[str, Reached]) -> list[str]:
    """Return the red tests that keep mutants from being judged."""
    red = [test for test, each in traced.items() if each.outcome == FAILED and (each.lines or each.endless)]
    return [test for test in red if test not in request.known_red] if request.green_only else []


def _try_afresh(
    warm: _Warm,
    request: ScoreRequest,
    mutants: Sequence[Mutant],
    started: float,
    tried: dict[int, Tried],
    guarding: dict[int, Sequence[str]],
) -> set[str]:
    """Try what cannot be swapped in, while there is time; gives the tests that cannot judge there."""
    places = [place for place, each in tried.items() if each.verdict == FRESH]
    tried.update(dict.fromkeys(places, Tried(UNTRIED)))
    kills = FreshKills(
        request,
        Limits(request.memory_bytes, 60.0),
        mutants,
        guarding,
        warm.far,
        warm.cpu_s,
        warm.modules,
        frozenset(request.last),
        started + request.wall_s,
        frozenset(request.each),
    )
    return kills.run(places, request.jobs, tried.__setitem__)


def judged_of(tree: str, mutant: Mutant, tried: Tried | None = None, tests: int = 0) -> Judged:
    """Tell a mutant, and what became of it."""
    tried = tried or Tried(UNTRIED)
    source = mutant.source
    first = mutant.line
    last = source.data.count(b"\n", 0, max(mutant.edits[-1].start, mutant.edits[-1].end - 1)) + 1
    start, end = source.lines_span(first, last)
    shifted = tuple(edit._replace(start=edit.start - start, end=edit.end - start) for edit in mutant.edits)
    after = splice(source.data[start:end], shifted).decode("utf-8")
    return Judged(
        file=os.path.relpath(source.path, tree).replace(os.sep, "/"),
        line=first,
        operator=mutant.operator,
        before=source.between(start, end).strip(),
        after=after.strip(),
        verdict=tried.verdict,
        test=tried.test,
        tests=tests,
        same_path=tried.same_path,
        fresh=tried.fresh,
        noticed=tried.noticed,
    )


def _read(request: ScoreRequest, result: ScoreResult) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for file in request.targets:
        path = os.path.join(request.tree, file)  # noqa: PTH118 - code objects have strings
        try:
            sources[path] = Source.read(path)
        except UnreadableSource as error:
            result.skipped_files.append(str(error))
    return sources


def main(words: list[str]) -> int:
    """Read the request named first, judge its mutants, write the result named second."""
    return follow(words, lambda path: read_order(ScoreRequest, path), _followed)


def _followed(request: ScoreRequest, progress: Progress) -> tuple[ScoreResult, dict[str, object]]:
    with scratch_folder(request.scratch, "mutants-") as scratch:
        result = score(replace(request, scratch=scratch), progress)
    return result, {"status": result.status, "judged": len(result.judged)}
