"""Trying mutants in forked children of the warm session, several workers side by side.

A verdict must not hang on what ran before in the same process, such as a cache that a test has filled. So a
test that notices a mutant is run again on the original at once: where it fails then too, the child is spoilt,
and the mutant is tried again as the first of a new one. And a survivor counts only if it was the first, or if
its tests, run on the original behind all that, still reach just the lines that they reach in a new child.
"""

from __future__ import annotations

import os
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from . import guard
from .children import Ended, Limits, Report, cpu_timer, run_child, run_children
from .mutants import Mutant
from .score_wire import KILLED, SURVIVED, TIMEOUT
from .session import FAILED, PASSED, Suite
from .spectra import Tracer
from .steady import Judges
from .suspicion import Line
from .swap import NotSwappable, Swapper

FRESH = "fresh"
"""The mutant cannot be swapped in: it needs a fresh process."""
_SPOILT, _AGAIN, _HELD = "spoilt", "again", "held"
_BATCH = 64
_MOST_HELD = 32
"""Survivors after which their tests are compared: a mutant that ends the child costs them no second trial."""
_LATELY = 32
"""Mutants whose fate is remembered: what noticed them likely notices the next."""
_BATCH_S = 4.0
_PATHS_S = 0.03
"""CPU seconds under the tracer of the tests whose path through a survivor is compared, quickest first."""
_CHILD_S = 0.03
"""What a child costs: its fork, and the pages that it writes to first."""
_HELD_S = 0.03
"""CPU seconds under the tracer up to which the tests of a survivor are compared; others share most."""
_FEWEST_TRACED_S = 1.0
_ALIVE_S = 1.0
_PLACE = struct.Struct("<I")


class Tried(NamedTuple):
    """What became of one mutant."""

    verdict: str
    test: str = ""
    same_path: bool = False
    fresh: bool = False
    """Judged in a fresh process."""


class _Alive(NamedTuple):
    """Says that a child is at work."""


class _Compared(NamedTuple):
    """Says which tests of the survivors so far reach other lines than they do in a new child."""

    unlike: frozenset[str]


@dataclass
class _Worker:
    """What one worker knows, and has to do."""

    mutants: Sequence[Mutant]
    report: Report
    lately: deque[str] = field(default_factory=lambda: deque(maxlen=_LATELY))
    """The tests that noticed the last mutants, empty for survivors."""
    unlike: set[str] = field(default_factory=set)
    """Tests that reach other lines when something ran before them."""
    alone: list[int] = field(default_factory=list)
    """Mutants that need a child of their own."""
    told: float = 0.0

    def alive(self) -> None:
        """Say so, once a second."""
        if time.monotonic() - self.told > _ALIVE_S:
            self.told = time.monotonic()
            self.report(_Alive())


@dataclass(frozen=True)
class Kills:
    """The warm session and all that a trial needs."""

    suite: Suite
    judges: Judges
    swapper: Swapper
    wanted: Callable[[str], bool]
    """Accepts the mutated files."""
    limits: Limits
    tree: str
    scratch: str
    deadline: float

    def run(self, mutants: Sequence[Mutant], take: Callable[[int, Tried], None]) -> list[str]:
        """Try mutants until all are judged or the time is up; `take` gets each verdict with its place."""
        queue, filled = os.pipe()
        os.set_blocking(filled, False)
        places = b"".join(_PLACE.pack(place) for place in range(len(mutants)))
        os.write(filled, places)
        os.close(filled)
        parent = os.getpid()

        def act(report: Report) -> None:
            self._work(mutants, queue, report, parent)

        def record(_: int, entry: tuple[int, Tried] | _Alive) -> None:
            if not isinstance(entry, _Alive):
                take(*entry)

        errors = run_children([act] * self.judges.jobs, self.limits._replace(silence_s=900.0), record)
        os.close(queue)
        return [error for error in errors if error]

    def _work(self, mutants: Sequence[Mutant], queue: int, report: Report, parent: int) -> None:
        """Take mutants from the common queue, a few at a time, each child's loss made good."""
        jobs = self.judges.jobs
        size = max(1, min(_BATCH, len(mutants) // (4 * jobs))) if jobs > 1 else _BATCH
        worker = _Worker(mutants, report)
        while data := os.read(queue, _PLACE.size * size):
            left: list[int] = []
            for (place,) in _PLACE.iter_unpack(data):
                (worker.alone if self._goes_alone(mutants[place], worker) else left).append(place)
            while left or worker.alone:
                if time.monotonic() > self.deadline or os.getppid() != parent:
                    return
                if left:
                    left = self._batch(worker, left)
                else:
                    self._batch(worker, [worker.alone.pop()])

    def _goes_alone(self, mutant: Mutant, worker: _Worker) -> bool:
        """Whether a mutant is tried alone at once, since it would likely survive and be tried again."""
        tests = self.judges.of(mutant)
        if self._can_be_held(tests, worker.unlike):
            return False
        survives = (1 + worker.lately.count("")) / (2 + len(worker.lately))
        return self.judges.cost_s(tests) * survives > _CHILD_S * (1 - survives)

    def _can_be_held(self, tests: Sequence[str], unlike: set[str]) -> bool:
        """Whether a survivor may wait until its tests are compared with themselves in a new child."""
        return not unlike.intersection(tests) and self._traced_s(tests) < _HELD_S

    def _batch(self, worker: _Worker, places: list[int]) -> list[int]:
        """Try mutants in one child; gives those that are left."""
        begun = -1
        done: set[int] = set()
        held: dict[int, Tried] = {}

        def record(entry: tuple[int, Tried | None] | _Compared | _Alive) -> None:
            nonlocal begun
            worker.alive()
            if isinstance(entry, _Compared):
                self._settle(worker, held, entry.unlike)
            elif not isinstance(entry, _Alive):
                begun, tried = entry
                if tried is not None and tried.verdict != _SPOILT:
                    done.add(begun)
                    _take(worker, begun, tried, held)

        def act(child: Report) -> None:
            self._try_all(worker, places, child)

        ended = run_child(act, self.limits, record)
        if begun < 0:
            raise RuntimeError(f"a child ended before its first mutant: {ended.error or 'it was killed'}")
        worker.alone += held
        left = [place for place in places if place not in done]
        if begun in left and not ended.finished:
            worker.report((begun, Tried(*_lost(ended))))
            left.remove(begun)
        elif begun in left:  # spoilt: the next child begins with it
            left = [begun, *(place for place in left if place != begun)]
        return left

    def _settle(self, worker: _Worker, held: dict[int, Tried], unlike: frozenset[str]) -> None:
        """Let survivors count whose tests were not led astray; the others are tried alone."""
        worker.unlike |= unlike
        for place, tried in held.items():
            if unlike.intersection(self.judges.of(worker.mutants[place])):
                worker.alone.append(place)
            else:
                worker.lately.append("")
                worker.report((place, tried))
        held.clear()

    def _try_all(self, worker: _Worker, places: Sequence[int], report: Report) -> None:
        guard.install([self.scratch], self.tree)
        end = time.monotonic() + _BATCH_S
        held: list[int] = []
        for number, place in enumerate(places):
            mutant = worker.mutants[place]
            report((place, None))
            tried, clean = self._try_one(mutant, worker.lately, report, last=len(places) == 1)
            if not clean and number > 0:
                report((place, Tried(_SPOILT)))
                return
            if tried.verdict == SURVIVED and number > 0:
                can_be_held = self._can_be_held(self.judges.of(mutant), worker.unlike)
                tried = Tried(_HELD if can_be_held else _AGAIN)
                held += [place] if can_be_held else []
            report((place, tried))
            if tried.verdict in (SURVIVED, _HELD) and self._takes_same_path(mutant):
                report((place, tried._replace(same_path=True)))
            over = not clean or time.monotonic() > min(end, self.deadline)
            if held and clean and (over or place == places[-1] or len(held) == _MOST_HELD):
                self._compare([worker.mutants[each] for each in held], report)
                held.clear()
            if over:
                return

    def _compare(self, mutants: Sequence[Mutant], report: Report) -> None:
        """Tell which tests of survivors are led astray, unless a child for each mutant costs less."""
        guarding = [self.judges.of(mutant) for mutant in mutants]
        tests = {test for each in guarding for test in each}
        again_s = sum(_CHILD_S + self.judges.cost_s(each) for each in guarding)
        if self._traced_s(tests) <= again_s:
            unlike = {test for test in tests if self._path(test) != self.judges.reached[test]}
            report(_Compared(frozenset(unlike)))

    def _traced_s(self, tests: Iterable[str]) -> float:
        return sum(self.judges.traced_s[test] for test in tests)

    def _try_one(
        self, mutant: Mutant, lately: Sequence[str], report: Report, *, last: bool
    ) -> tuple[Tried, bool]:
        """Give the verdict, and whether the process is as it was before; nobody asks that after the last."""
        try:
            self.swapper.apply(mutant.source, mutant.unit, mutant.edits, mutant.code)
            noticed = self._first_failing(self.judges.of(mutant, lately), report)
        except (SyntaxError, NotSwappable):
            return Tried(FRESH), True
        finally:
            self.swapper.undo()
        if noticed:
            return Tried(KILLED, noticed), last or self._run(noticed) == PASSED
        return Tried(SURVIVED), True

    def _first_failing(self, tests: Sequence[str], report: Report) -> str:
        told = time.monotonic()
        for test in tests:
            if self._run(test) == FAILED:
                return test
            if time.monotonic() - told > _ALIVE_S:
                told = time.monotonic()
                report(_Alive())
        return ""

    def _run(self, test: str) -> str:
        self.judges.arm(test)
        try:
            return self.suite.run(test).outcome
        finally:
            cpu_timer(0.0)

    def _takes_same_path(self, mutant: Mutant) -> bool:
        """Whether tests reach the same lines as on the original (Gruen, Schuler and Zeller 2009)."""
        start, end = mutant.edits[0].start, mutant.edits[-1].end
        before = mutant.source.data[start:end].count(b"\n")
        if before != sum(edit.text.count("\n") for edit in mutant.edits):
            return False  # the lines behind the change have other numbers now
        tests: list[str] = []
        left = _PATHS_S
        for test in self.judges.of(mutant):
            left -= self.judges.traced_s[test]
            if left < 0:
                break
            tests.append(test)
        self.swapper.apply(mutant.source, mutant.unit, mutant.edits, mutant.code)
        try:
            return bool(tests) and all(self._path(test) == self.judges.reached[test] for test in tests)
        finally:
            self.swapper.undo()

    @cached_property
    def _tracer(self) -> Tracer:
        return Tracer(self.wanted, None)

    def _path(self, test: str) -> frozenset[Line] | None:
        """Give the lines that a test reaches now; none where it does not pass."""
        tracer = self._tracer
        cpu_timer(_FEWEST_TRACED_S + 10 * self.judges.traced_s[test])
        tracer.start()
        try:
            outcome = self.suite.run(test).outcome
        finally:
            tracer.stop()
            cpu_timer(0.0)
        return frozenset(tracer.lines) if outcome == PASSED else None


def _take(worker: _Worker, place: int, tried: Tried, held: dict[int, Tried]) -> None:
    """Take what a child says of a mutant: a verdict, or that it is to be tried alone, now or perhaps."""
    if tried.verdict == _AGAIN:
        worker.alone.append(place)
    elif tried.verdict == _HELD:
        held[place] = tried._replace(verdict=SURVIVED)
    else:
        if tried.verdict in (KILLED, SURVIVED) and not tried.same_path:  # that is told a second time
            worker.lately.append(tried.test)
        worker.report((place, tried))


def _lost(ended: Ended) -> tuple[str, str]:
    """Say what a mutant did that ended its process."""
    if ended.cpu_limit or ended.stopped:
        return TIMEOUT, "far more time than on the original"
    return KILLED, f"ended the process: {ended.error or 'it crashed'}"[:200]
