"""Trying mutants in forked children of the warm session, several workers side by side.

A verdict must not hang on what ran before in the same process, such as a cache that a test has filled. So a
test that notices a mutant is run again on the original at once: where it fails then too, the child is spoilt,
and the mutant is tried again as the first of a new one. And a survivor counts only if it was the first, or if
its tests, run on it once more, pass and take the path that they take through the original when nothing ran
before, or pass, come by the change and take that path when they then run on the original.
"""

from __future__ import annotations

import os
import struct
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import NamedTuple

from ..process import guard
from ..process.children import Ended, Limits, Report, cpu_timer, look_then, run_child, run_children
from ..session.session import FAILED, PASSED, Suite
from ..source.hot_swap import NotSwappable, Swapper
from ..wire.score import KILLED, SURVIVED, TIMEOUT
from .operators import Mutant
from .reach_watch import Paths, Watch
from .stable_tests import Judges

FRESH = "fresh"
"""The mutant cannot be swapped in: it needs a fresh process."""
_SPOILT, _AGAIN = "spoilt", "again"
_BATCH = 64
_LATELY = 32
"""Mutants whose fate is remembered: what noticed them likely notices the next."""
_PRIOR = 3.0
"""How many mutants of a function count as much as all that is known of other functions."""
_BATCH_S = 4.0
_PATHS_S = 0.01
"""Seconds under the tracer of the tests whose path through a survivor is compared, quickest first."""
_CHILD_S = 0.01
"""What a child costs: its fork, and the pages that it writes to first."""
_WATCHED_S = 0.02
"""Seconds under the tracer up to which the tests of a survivor are watched."""
_ALIVE_S = 1.0
_IMPORTING = "<frozen importlib"
_PLACE = struct.Struct("<I")


class Tried(NamedTuple):
    """What became of one mutant."""

    verdict: str
    test: str = ""
    same_path: bool = False
    fresh: bool = False
    """Judged in a fresh process."""
    noticed: tuple[str, ...] = ()
    """Those of the tests that are all asked that noticed it."""


class _Alive(NamedTuple):
    """Says that a child is at work."""


class _Unlike(NamedTuple):
    """Names tests that reach other lines when something ran before them."""

    tests: frozenset[str]


@dataclass
class _Worker:
    """What one worker knows, and has to do."""

    mutants: Sequence[Mutant]
    report: Report
    unlike: set[str]
    """Tests that reach other lines when something ran before them."""
    lately: deque[str] = field(default_factory=lambda: deque(maxlen=_LATELY))
    """The tests that noticed the last mutants, empty for survivors."""
    survived: dict[int, list[bool]] = field(default_factory=dict)
    """Whether the mutants of a function survived, by the function."""
    alone: list[int] = field(default_factory=list)
    """Mutants that need a child of their own."""
    told: float = 0.0

    def note(self, mutant: Mutant, tried: Tried) -> None:
        """Learn from what became of a mutant."""
        if tried.verdict in (KILLED, SURVIVED):
            self.lately.append(tried.test)
        self.survived.setdefault(id(mutant.unit), []).append(tried.verdict == SURVIVED)

    def likely_survives(self, mutant: Mutant) -> float:
        """Return how likely a mutant survives, by those of its function and by the last ones."""
        likely = (1 + self.lately.count("")) / (2 + len(self.lately))
        own = self.survived.get(id(mutant.unit), ())
        return (_PRIOR * likely + sum(own)) / (_PRIOR + len(own))

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
    watch: Watch
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
        unlike = self._unlike()

        def act(report: Report) -> None:
            self._work(_Worker(mutants, report, unlike), queue, parent)

        def record(_: int, entry: tuple[int, Tried] | _Alive) -> None:
            if not isinstance(entry, _Alive):
                take(*entry)

        errors = run_children([act] * self.judges.jobs, self.limits._replace(silence_s=900.0), record)
        os.close(queue)
        return [error for error in errors if error]

    def _unlike(self) -> set[str]:
        """Return the tests that reach other lines in the opposite order, where watching them takes little."""
        tests = [test for test in reversed(self.judges.reached) if self.judges.watching_s(test) < _WATCHED_S]
        alike: set[str] = set()

        def act(report: Report) -> None:
            guard.install([self.scratch], self.tree)
            for test in tests:
                if time.monotonic() > self.deadline:
                    return
                if not self.watch.unlike([test]):
                    report(test)

        run_child(act, self.limits, alike.add)
        return set(tests) - alike

    def _work(self, worker: _Worker, queue: int, parent: int) -> None:
        """Take mutants from the common queue, a few at a time, each child's loss made good."""
        jobs, mutants = self.judges.jobs, worker.mutants
        size = max(1, min(_BATCH, len(mutants) // (4 * jobs))) if jobs > 1 else _BATCH
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
        if self._is_watched(tests, worker):
            return False
        survives = worker.likely_survives(mutant)
        return self.judges.cost_s(tests) * survives > _CHILD_S * (1 - survives)

    def _is_watched(self, tests: Sequence[str], worker: _Worker) -> bool:
        """Whether tests are worth watching, so that a survivor may count without a child of its own."""
        watched_s = sum(self.judges.watching_s(test) for test in tests)
        return not worker.unlike.intersection(tests) and watched_s < _WATCHED_S

    def _batch(self, worker: _Worker, places: list[int]) -> list[int]:
        """Try mutants in one child; gives those that are left."""
        begun = -1
        done: set[int] = set()

        def record(entry: tuple[int, Tried | None] | _Unlike | _Alive) -> None:
            nonlocal begun
            worker.alive()
            if isinstance(entry, _Unlike):
                worker.unlike |= entry.tests
            elif not isinstance(entry, _Alive):
                begun, tried = entry
                if tried is not None and tried.verdict != _SPOILT:
                    done.add(begun)
                    _take(worker, begun, tried)

        def act(child: Report) -> None:
            self._try_all(worker, places, child)

        ended = run_child(act, self.limits, record)
        if begun < 0:
            raise RuntimeError(f"a child ended before its first mutant: {ended.error or 'it was killed'}")
        left = [place for place in places if place not in done]
        if begun in left and not ended.finished:
            worker.report((begun, Tried(*_lost(ended))))
            left.remove(begun)
        elif begun in left:  # spoilt: the next child begins with it
            left = [begun, *(place for place in left if place != begun)]
        return left

    def _try_all(self, worker: _Worker, places: Sequence[int], report: Report) -> None:
        guard.install([self.scratch], self.tree)
        end = time.monotonic() + _BATCH_S
        for number, place in enumerate(places):
            mutant = worker.mutants[place]
            if number > 0 and self._goes_alone(mutant, worker):
                report((place, Tried(_AGAIN)))
                continue
            report((place, None))
            tried, clean = self._try_one(mutant, worker.lately, report, last=len(places) == 1)
            if not clean and number > 0:
                report((place, Tried(_SPOILT)))
                return
            worker.note(mutant, tried)
            counts = tried.verdict != SURVIVED or number == 0
            report((place, tried if counts else Tried(_AGAIN)))  # said again where it counts after all
            if tried.verdict == SURVIVED and number == 0:
                self._look_at_first(worker, place, report)
            elif tried.verdict == SURVIVED:
                self._look_at(worker, place, report)
            if not clean or time.monotonic() > min(end, self.deadline):
                return

    def _look_at_first(self, worker: _Worker, place: int, report: Report) -> None:
        """Say of a survivor that counts whether its tests took the same path."""
        mutant = worker.mutants[place]
        tests = self.judges.of(mutant)
        tests = tests if self._is_watched(tests, worker) else self._quickest(tests)
        if tests and self.watch.can_be_same(mutant) and self._paths(mutant, tests, to_first_unlike=True):
            report((place, Tried(SURVIVED, same_path=True)))

    def _look_at(self, worker: _Worker, place: int, report: Report) -> None:
        """Say of a survivor behind others that it counts, where nothing before can have hidden it."""
        mutant = worker.mutants[place]
        tests = self.judges.of(mutant)
        paths = self._paths(mutant, tests) if self._is_watched(tests, worker) else {}
        if paths and self.watch.is_same(mutant, paths):
            report((place, Tried(SURVIVED, same_path=True)))
        elif paths and self.watch.came_by(mutant, paths):
            unlike = self.watch.unlike(paths)
            if unlike:
                report(_Unlike(frozenset(unlike)))
            else:
                report((place, Tried(SURVIVED)))

    def _quickest(self, tests: Sequence[str]) -> list[str]:
        left = _PATHS_S
        found: list[str] = []
        for test in tests:
            left -= self.judges.watching_s(test)
            if left < 0:
                break
            found.append(test)
        return found

    def _paths(self, mutant: Mutant, tests: Sequence[str], *, to_first_unlike: bool = False) -> Paths:
        """Run tests on a mutant once more and give what they reach; nothing where one does not pass.

        Or nothing where one reaches other lines than on the original.
        """
        paths: Paths = {}
        self.swapper.apply(mutant.source, mutant.unit, mutant.edits, mutant.compiled)
        try:
            for test in tests:
                outcome, paths[test] = self.watch.run(test)
                if outcome != PASSED or (to_first_unlike and paths[test] != self.judges.reached[test]):
                    return {}
        finally:
            self.swapper.undo()
        return paths

    def _try_one(
        self, mutant: Mutant, lately: Sequence[str], report: Report, *, last: bool
    ) -> tuple[Tried, bool]:
        """Return verdict, and whether the process is as it was before; nobody asks that after the last."""
        try:
            self.swapper.apply(mutant.source, mutant.unit, mutant.edits, mutant.compiled)
            noticed = self._failing(self.judges.of(mutant, lately), report)
        except (SyntaxError, NotSwappable):
            return Tried(FRESH), True
        finally:
            self.swapper.undo()
        if noticed:
            own = tuple(test for test in noticed if test in self.judges.each)
            clean = last or all(self._run(test) == PASSED for test in noticed)
            return Tried(KILLED, noticed[0], noticed=own), clean
        return Tried(SURVIVED), True

    def _is_lost(self, frame: FrameType | None) -> bool:
        """Whether code of the mutated files is what takes so long, and not what it imports."""
        own = False
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(_IMPORTING):
                return False
            own = own or self.watch.wanted(file)
            frame = frame.f_back
        return own

    def _failing(self, tests: Sequence[str], report: Report) -> list[str]:
        """Return the first test that fails, and all of those that are all asked."""
        told = time.monotonic()
        found: list[str] = []
        for test in tests:
            if found and test not in self.judges.each:
                continue
            if self._run(test) == FAILED:
                found.append(test)
                if not self.judges.each:
                    break
            if time.monotonic() - told > _ALIVE_S:
                told = time.monotonic()
                report(_Alive())
        return found

    def _run(self, test: str) -> str:
        look_then(self._is_lost)  # each time: a test may have set what it likes
        self.judges.arm(test)
        try:
            return self.suite.run(test).outcome
        finally:
            cpu_timer(0.0)


def _take(worker: _Worker, place: int, tried: Tried) -> None:
    """Take what a child says of a mutant: that it is to be tried alone, unless a verdict follows."""
    if tried.verdict == _AGAIN:
        worker.alone.append(place)
        return
    if place in worker.alone:
        worker.alone.remove(place)
    worker.note(worker.mutants[place], tried)
    worker.report((place, tried))


def _lost(ended: Ended) -> tuple[str, str]:
    """Say what a mutant did that ended its process."""
    if ended.cpu_limit or ended.stopped:
        return TIMEOUT, "far more time than on the original"
    return KILLED, f"ended the process: {ended.error or 'it crashed'}"[:200]
