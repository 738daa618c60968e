"""The search itself: batches of candidates until a budget is used up or nothing is left."""

from __future__ import annotations

import gc
import itertools
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from setpoint_probe.process.children import Limits, cpu_used
from setpoint_probe.session.session import Suite
from setpoint_probe.source.files import SourceFiles
from setpoint_probe.source.hot_swap import Swapper
from setpoint_probe.source.source import Source, UnreadableSource
from setpoint_probe.wire.exchange import Progress

from ..localise.diagnosis import Diagnosis
from ..localise.hints import hinted_lines
from ..wire.repair import Request, digest
from .agreement import Agreement, Comparison
from .candidates import Candidate, leaning, stream
from .guided import guided
from .known_edits import known
from .pairs import Beam, pairs
from .trial import Trials, Verdict

_BATCH = 96
_BATCH_S = 1.5
_MOST_FRESH = 600
_SECOND_CHANCE = 20.0
"""How much more time slow candidates get the second time."""
_SINGLE, _PAIRS, _WARM = 0.55, 0.8, 0.9
"""Shares of the CPU time: for single edits, then pairs, then the other single edits, then fresh trials."""
_COMPARED = 16
"""The best repairs, whose behaviour is compared."""
_RECORDED = 24
"""Tests whose inputs are used for that."""
_PATIENCE_CONVINCING = 0.05
"""Share of the budget to go on with after a repair that mends one thing wholly: the rest is another bug."""
_PATIENCE_PARTIAL = 0.4
"""Share of the budget to go on with after any other partial repair."""


@dataclass
class Found:
    """A candidate that cleared failing tests and broke nothing."""

    candidate: Candidate
    cleared: tuple[str, ...]
    checked: int
    place: int = -1
    """Where it stands among the repairs that were compared; -1 where it was not."""


@dataclass
class Outcome:
    """What the search gave."""

    found: list[Found] = field(default_factory=list)
    fresh: list[Candidate] = field(default_factory=list)
    """Candidates that need a fresh import."""
    fresh_reasons: dict[str, int] = field(default_factory=dict)
    candidates: int = 0
    tried: int = 0
    timeouts: int = 0
    discarded: int = 0
    families: dict[str, int] = field(default_factory=dict)
    """Candidates tried by family; a slow one that got a second chance counts twice."""
    first_s: float | None = None
    """CPU seconds until the first candidate that clears a failing test."""
    convincing: bool = False
    """A partial repair mends one thing wholly."""
    exhausted: bool = False
    """Every candidate was tried."""
    skipped_files: list[str] = field(default_factory=list)
    agreement: Agreement = field(default_factory=Agreement)


class Search:
    """Runs trials within the budget."""

    def __init__(self, suite: Suite, diagnosis: Diagnosis, files: SourceFiles, request: Request) -> None:
        """Read the suspicious files and index what is live."""
        self._request = request
        self._diagnosis = diagnosis
        self._files = files
        self.outcome = Outcome()
        self.sources = _read({path for path, _ in diagnosis.scores}, self.outcome)
        self._scores = {
            **hinted_lines(self.sources, diagnosis.spectra, diagnosis.failing),
            **diagnosis.scores,
        }
        self._trials = Trials(
            suite,
            diagnosis,
            Swapper(self.sources),
            Limits(request.memory_bytes, 15.0),
            request.tree,
            request.scratch,
        )
        self._slow: list[Candidate] = []
        self._beam = Beam()
        self._most_by_one = 0
        """Most failing tests that one edit cleared."""
        self._parent = os.getppid()
        self._stop_cpu = request.cpu_s

    def run(self, started: float, progress: Progress) -> Outcome:
        """Try candidates, best first; then those that were too slow, with more time."""
        self._end = started + self._request.wall_s * 0.85
        gc.collect()
        gc.freeze()
        candidates = self._candidates()
        whole = self._stop_cpu
        self._stop_cpu = whole * _SINGLE
        left = self._drain(candidates, self._trials, progress)
        if self._wants_pairs():
            self._stop_cpu = whole * _PAIRS
            partial = [each.candidate for each in ranked(self.outcome.found)[:_COMPARED]]
            self._drain(pairs(self._beam.best(), self._candidates(), partial), self._trials, progress)
        if not self.outcome.found:
            self._stop_cpu = whole * _WARM
            left = self._drain(itertools.chain(left, candidates), self._trials, progress)
        if not self._over() and self._slow:
            slow, self._slow = self._slow, []
            patient = replace(
                self._trials, patience=_SECOND_CHANCE, limits=self._trials.limits._replace(silence_s=30.0)
            )
            self.outcome.tried -= len(slow)
            self.outcome.timeouts -= len(slow)
            self.outcome.candidates -= len(slow)
            self._drain(iter(slow), patient, progress)
        self.outcome.exhausted = not self._over() and not left
        self._compare()
        return self.outcome

    def _candidates(self) -> Iterator[Candidate]:
        request = self._request
        asked_for = itertools.chain(
            known(self.sources, request.known),
            guided(self.sources, self._diagnosis.spectra, self._diagnosis.failing),
        )
        return stream(self.sources, self._scores, request.seed, leaning(request), asked_for)

    def _wants_pairs(self) -> bool:
        """Return whether two edits may do what one did not: tests got further, or each mends a part."""
        found = self.outcome.found
        if self.outcome.convincing or any(
            len(each.cleared) == len(self._diagnosis.failing) for each in found
        ):
            return False
        return bool(self._beam) or len(found) > 1

    def _compare(self) -> None:
        """Look how the best repairs behave on the inputs of tests and on inputs near them."""
        best = ranked(self.outcome.found)[:_COMPARED]
        if not best or time.monotonic() > self._end:
            return
        edited = {(each.candidate.source.path, each.candidate.unit.first_line) for each in best}
        spectra = self._diagnosis.spectra
        touching = [test for test in spectra.touching(edited) if spectra.tests[test].cpu_s < 1.0]
        tests = [*self._diagnosis.representatives, *touching][:_RECORDED]
        trials = self._trials
        comparison = Comparison(
            trials.suite, trials.swapper, self._files, trials.limits, trials.tree, trials.scratch
        )
        self.outcome.agreement = comparison.compare([each.candidate for each in best], tests)
        for place, each in enumerate(best):
            each.place = place

    def _drain(self, candidates: Iterator[Candidate], trials: Trials, progress: Progress) -> list[Candidate]:
        """Try candidates until none is left or the time is up; gives those that were taken and not tried."""
        pending: list[Candidate] = []
        told = time.monotonic()
        while not self._over():
            size = 1 if self._diagnosis.order_matters else _BATCH
            fetched = list(itertools.islice(candidates, size - len(pending)))
            self.outcome.candidates += len(fetched)
            pending += fetched
            if not pending:
                return []
            verdicts, _ = trials.run(pending, _BATCH_S, self._over)
            for candidate, verdict in zip(pending, verdicts):
                self._take(candidate, verdict)
            pending = pending[len(verdicts) :]
            if time.monotonic() - told > 1.0:
                told = time.monotonic()
                progress.tell(
                    "progress",
                    tried=self.outcome.tried,
                    found=len(self.outcome.found),
                    cpu_s=round(cpu_used(), 2),
                )
        self.outcome.candidates -= len(pending)
        return pending

    def _take(self, candidate: Candidate, verdict: Verdict) -> None:
        outcome = self.outcome
        outcome.tried += 1
        outcome.families[candidate.template] = outcome.families.get(candidate.template, 0) + 1
        if verdict.kind == "clears":
            self._keep(candidate, verdict)
        elif verdict.further:
            self._beam.add(candidate, verdict.further)
        elif verdict.kind == "timeout":
            outcome.timeouts += 1
            self._slow.append(candidate)
        elif verdict.kind == "discarded":
            outcome.discarded += 1
        elif verdict.kind == "fresh":
            outcome.tried -= 1
            outcome.fresh_reasons[verdict.reason] = outcome.fresh_reasons.get(verdict.reason, 0) + 1
            if len(outcome.fresh) < _MOST_FRESH:
                outcome.fresh.append(candidate)

    def _keep(self, candidate: Candidate, verdict: Verdict) -> None:
        if candidate.double and len(verdict.cleared) <= self._most_by_one:
            return  # one of its halves does as much
        if not candidate.double:
            self._most_by_one = max(self._most_by_one, len(verdict.cleared))
        name = self._files.relative(candidate.source.path)
        if digest(name, candidate.source.diff(candidate.edits, name)) in self._request.avoid:
            return
        self.outcome.found.append(Found(candidate, verdict.cleared, verdict.checked))
        if self.outcome.first_s is None:
            self.outcome.first_s = round(cpu_used(), 2)
        if len(verdict.cleared) == len(self._diagnosis.failing):
            more = self._request.extra_s
        elif self._diagnosis.convinces(verdict.cleared, candidate.source.path, candidate.unit):
            self.outcome.convincing = True
            more = self._request.extra_s + self._request.cpu_s * _PATIENCE_CONVINCING
        else:
            more = self._request.cpu_s * _PATIENCE_PARTIAL
        self._stop_cpu = min(self._stop_cpu, cpu_used() + more)

    def _over(self) -> bool:
        orphaned = os.getppid() != self._parent
        return orphaned or time.monotonic() > self._end or cpu_used() > self._stop_cpu


def _read(paths: set[str], outcome: Outcome) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for path in sorted(paths):
        try:
            sources[path] = Source.read(path)
        except UnreadableSource as error:
            outcome.skipped_files.append(str(error))
    return sources


def ranked(found: Iterable[Found], agreement: Agreement | None = None) -> list[Found]:
    """Order by cleared tests, the size of the edit, how many behave alike, and prior by suspicion."""
    return sorted(
        found,
        key=lambda each: (
            -len(each.cleared),
            each.candidate.size / each.candidate.leaning,
            -agreement.alike(each.place) if agreement else 0,
            -each.candidate.score,
        ),
    )
