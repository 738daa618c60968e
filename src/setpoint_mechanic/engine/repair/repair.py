"""A whole repair: warm session, search, fresh trials for what cannot be swapped, confirmation, result.

This process never imports the project. The warm session lives in a forked child, so that a project that
crashes on import cannot take the result away, and fresh trials start from a clean state.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from setpoint_probe.localise.ochiai import Line
from setpoint_probe.process.children import cpu_used
from setpoint_probe.session.session import warm_up
from setpoint_probe.source.files import SourceFiles, files_of_tests, scratch_folder
from setpoint_probe.source.source import Source, UnreadableSource
from setpoint_probe.wire.exchange import Progress, follow, read_order

from ..localise.import_failures import examine, reached_at_import
from ..wire.repair import Request, Result, Suspect
from .candidates import Candidate, leaning, stream
from .confirmation import FreshTrials
from .search import Found
from .warm import Warm, run_warm

_SUSPECTS = 15
_WORTH_ANOTHER = 0.7
"""Share of the budget up to which another warm session is begun."""


def repair(request: Request, progress: Progress) -> Result:
    """Work on one order; whatever goes wrong with the project ends in the result's reason."""
    started = time.monotonic()
    request = replace(request, tree=os.path.realpath(request.tree))
    warm_up(request.tree, request.scratch)
    orders = [_Order(request, started, progress)]
    orders[-1].work(request.cpu_s)
    while orders[-1].wants_another():
        orders.append(orders[-1].without_refuted())
        orders[-1].work(request.cpu_s - cpu_used())
    result = orders[-1].result
    for each in ("tried", "candidates", "timeouts", "discarded"):
        setattr(result, each, sum(getattr(order.result, each) for order in orders))
    result.cpu_s = round(cpu_used(), 2)
    result.seconds["total"] = round(time.monotonic() - started, 3)
    return result


class _Order:
    """One order after the warm session: fresh trials, confirmation, words."""

    def __init__(self, request: Request, started: float, progress: Progress) -> None:
        self.result = Result()
        tests = files_of_tests(request.tree, request.failing)
        self.trials = FreshTrials(request, SourceFiles(request.tree, request.sources, tests), started)
        self.refuted: tuple[str, ...] = ()
        """Digests of what looked right in the warm session, where nothing of it held in a fresh process."""
        self._request = request
        self._started = started
        self._files = self.trials.files
        self._progress = progress

    def work(self, cpu_s: float) -> None:
        """Search in a warm session with so many CPU seconds, and go on from what it found."""
        warm = run_warm(replace(self._request, cpu_s=cpu_s), self._started, self._progress)
        result = self.result
        result.seconds.update(warm.stages)
        if warm.failing:
            self.conclude(warm)
        elif warm.problems:
            self.mend_imports(warm)
        elif warm.fault:
            result.reason = warm.fault
        else:
            result.tests, result.not_failing = warm.tests, list(warm.not_failing)
            result.reason = "none of the failing tests fails when it is run here"
        result.tried += self.trials.tried

    def wants_another(self) -> bool:
        """Return whether all that looked right was refuted, and there is time to look further."""
        early = cpu_used() < self._request.cpu_s * _WORTH_ANOTHER
        return bool(self.refuted) and early and not self.trials.late(_WORTH_ANOTHER)

    def without_refuted(self) -> _Order:
        """Return the order once more, without what was refuted."""
        avoid = (*self._request.avoid, *self.refuted)
        return _Order(replace(self._request, avoid=avoid), self._started, self._progress)

    def conclude(self, warm: Warm) -> None:
        """Go on from what the warm session found."""
        result, outcome = self.result, warm.outcome
        result.tests, result.failing = warm.tests, [*warm.failing, *warm.untraced]
        result.not_failing = list(warm.not_failing)
        result.suspects = self._suspects(warm.scores)
        result.candidates, result.tried = outcome.candidates, outcome.tried
        result.timeouts, result.discarded = outcome.timeouts, outcome.discarded
        result.skipped_files = outcome.skipped_files
        result.families = _singles(outcome.families)
        if outcome.first_s is not None:
            result.seconds["first"] = outcome.first_s
        if warm.order_matters:
            what = "share state and lean on tests before them" if warm.leads else "share state"
            result.mode_reason = f"tests {what}: one process for each candidate"
        self.trials.leads = warm.leads
        found = list(outcome.found)
        full = any(len(each.cleared) == len(warm.failing) for each in found)
        if not full and not outcome.convincing and (warm.scores or warm.from_import):
            found += self._search_fresh(self._left_over(warm), warm.failing)
        self._finish(found, warm, exhausted=outcome.exhausted)
        if not warm.scores and not result.patches:
            result.status = "not_possible"
            result.reason = _out_of_reach(warm)

    def mend_imports(self, warm: Warm) -> None:
        """Repair what breaks before tests can run, by fresh trials on the lines in the tracebacks."""
        result, request = self.result, self._request
        result.mode_reason = "the tests cannot be collected"
        result.failing = list(request.failing)
        failure = examine(request, self._files, request.failing)
        if not failure.scores:
            said = "; ".join(failure.messages[:3] or warm.problems[:3])
            result.reason = (
                f"the tests cannot be collected, and no line of the project stands in the traceback: {said}"
            )
            return
        result.suspects = self._suspects(failure.scores)
        sources = self._read(failure.scores)
        if not sources:
            result.reason = "; ".join(result.skipped_files) or "no file can be edited"
            return
        found = self._search_fresh(
            stream(sources, failure.scores, request.seed, leaning(request)), request.failing
        )
        self._finish(found, replace(warm, failing=request.failing), exhausted=True)

    def _left_over(self, warm: Warm) -> Iterator[Candidate]:
        """Yield edits that need a fresh import: those not swappable, then those of code run at import."""
        yield from warm.outcome.fresh
        scores = reached_at_import(self._request, self._files, warm.failing)
        scores = {line: score for line, score in scores.items() if line not in warm.scores}
        yield from stream(self._read(scores), scores, self._request.seed, leaning(self._request))

    def _search_fresh(self, candidates: Iterable[Candidate], failing: tuple[str, ...]) -> list[Found]:
        began = time.monotonic()
        counted = _Counted(candidates)
        self.result.mode = "fresh_process"
        found = self.trials.search(counted, failing)
        self.result.candidates += max(0, counted.count - len(found))
        self.result.seconds["fresh"] = round(time.monotonic() - began, 3)
        self._progress.tell("stage", name="fresh", seconds=self.result.seconds["fresh"])
        return found

    def _finish(self, found: list[Found], warm: Warm, *, exhausted: bool) -> None:
        result = self.result
        late = self.trials.late(0.9)
        began = time.monotonic()
        result.patches = self.trials.patches(found, warm)
        result.seconds["confirm"] = round(time.monotonic() - began, 3)
        self._progress.tell("stage", name="confirm", seconds=result.seconds["confirm"])
        if result.patches:
            full = not result.patches[0].remaining
            result.status = "repaired" if full else "partial"
            result.reason = f"the best patch clears {'all' if full else 'some'} of the failing tests"
        elif found:
            self.refuted = tuple(self.trials.digest_of(each) for each in found)
            result.status = "exhausted" if exhausted and not late else "budget"
            result.reason = (
                f"{len(found)} edits looked right in the warm session and were wrong in a fresh process"
            )
        elif exhausted and not late:
            result.status = "exhausted"
            result.reason = "no single edit of the known families clears a failing test and keeps the others"
        else:
            result.status, result.reason = "budget", "the budget was used up before a repair was found"

    def _read(self, lines: Iterable[Line]) -> dict[str, Source]:
        sources: dict[str, Source] = {}
        for path in sorted({path for path, _ in lines}):
            try:
                sources[path] = Source.read(path)
            except UnreadableSource as error:
                self.result.skipped_files.append(str(error))
        return sources

    def _suspects(self, scores: dict[Line, float]) -> list[Suspect]:
        best = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:_SUSPECTS]
        suspects: list[Suspect] = []
        for (path, line), score in best:
            with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - code objects have strings
                text = next(itertools.islice(file, line - 1, line), "").strip()
            suspects.append(Suspect(self._files.relative(path), line, round(score, 4), text[:160]))
        return suspects


def _singles(families: dict[str, int]) -> dict[str, int]:
    """Count pairs of families as one family, the most tried first."""
    found: dict[str, int] = {}
    for name, count in families.items():
        key = "pairs" if " and " in name else name
        found[key] = found.get(key, 0) + count
    return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def _out_of_reach(warm: Warm) -> str:
    """Say how tests fail that no edit can help."""
    errors = "; ".join(dict.fromkeys(error for error in warm.errors if error)) or "no exception"
    return (
        "in a process of their own, the failing tests reach no file that may be changed and end with "
        f"{errors[:600]}; they may need tests before them, or the project is installed from elsewhere"
    )


class _Counted:
    """Counts what is taken from a stream."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self.count = 0
        self._candidates = candidates

    def __iter__(self) -> Iterator[Candidate]:
        for candidate in self._candidates:
            self.count += 1
            yield candidate


def main(words: list[str]) -> int:
    """Read the request named first, repair, write the result named second."""
    return follow(words, lambda path: read_order(Request, path), _followed)


def _followed(request: Request, progress: Progress) -> tuple[Result, dict[str, object]]:
    with scratch_folder(request.scratch, "repair-") as scratch:
        result = repair(replace(request, scratch=scratch), progress)
    return result, {"status": result.status, "patches": len(result.patches), "tried": result.tried}
