"""Trying mutants in forked children of the warm session, several workers side by side.

A verdict must not hang on what ran before in the same process, such as a cache that a test has filled. So a
test that notices a mutant is run again on the original at once: where it fails then too, the child is spoilt,
and the mutant is tried again as the first of a new one. And a survivor counts only if it was the first.
"""

from __future__ import annotations

import os
import struct
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
_SPOILT, _AGAIN = "spoilt", "again"
_BATCH = 24
_LATELY = 32
"""Mutants whose fate is remembered: what noticed them likely notices the next."""
_BATCH_S = 2.0
_PATHS_S = 0.1
"""CPU seconds under the tracer of the tests whose path through a survivor is compared, quickest first."""
_CHILD_S = 0.01
"""What a child costs: its fork, and the pages that it writes to first."""
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
        size = max(1, min(_BATCH, len(mutants) // (4 * self.judges.jobs)))
        lately: deque[str] = deque(maxlen=_LATELY)
        while data := os.read(queue, _PLACE.size * size):
            taken = [place for (place,) in _PLACE.iter_unpack(data)]
            alone = [place for place in taken if self._goes_alone(mutants[place], lately)]
            left = [place for place in taken if place not in alone]
            while left or alone:
                if time.monotonic() > self.deadline or os.getppid() != parent:
                    return
                if left:
                    left, again = self._batch(mutants, left, lately, report)
                    alone += again
                else:
                    self._batch(mutants, [alone.pop()], lately, report)

    def _goes_alone(self, mutant: Mutant, lately: Sequence[str]) -> bool:
        """Whether a mutant is tried alone at once, since it would likely survive and be tried again."""
        survives = (1 + lately.count("")) / (2 + len(lately))
        return self.judges.cost_s(self.judges.of(mutant)) * survives > _CHILD_S * (1 - survives)

    def _batch(
        self, mutants: Sequence[Mutant], places: list[int], lately: deque[str], report: Report
    ) -> tuple[list[int], list[int]]:
        """Try mutants in one child; gives those that are left, and those to be tried alone."""
        begun = -1
        done: list[int] = []
        alone: list[int] = []

        def record(entry: tuple[int, Tried | None] | _Alive) -> None:
            nonlocal begun
            report(_Alive())
            if isinstance(entry, _Alive):
                return
            begun, tried = entry
            if tried is None or tried.verdict == _SPOILT:
                return
            done.append(begun)
            if tried.verdict == _AGAIN:
                alone.append(begun)
                return
            _remember(tried, lately)
            report((begun, tried))

        def act(child: Report) -> None:
            self._try_all(mutants, places, lately, child)

        ended = run_child(act, self.limits, record)
        if begun < 0:
            raise RuntimeError(f"a child ended before its first mutant: {ended.error or 'it was killed'}")
        left = [place for place in places if place not in done]
        if begun in left and not ended.finished:
            report((begun, Tried(*_lost(ended))))
            left.remove(begun)
        elif begun in left:  # spoilt: the next child begins with it
            left = [begun, *(place for place in left if place != begun)]
        return left, alone

    def _try_all(
        self, mutants: Sequence[Mutant], places: Sequence[int], lately: Sequence[str], report: Report
    ) -> None:
        guard.install([self.scratch], self.tree)
        end = time.monotonic() + _BATCH_S
        for number, place in enumerate(places):
            report((place, None))
            tried, clean = self._try_one(mutants[place], lately, report, last=len(places) == 1)
            if not clean and number > 0:
                report((place, Tried(_SPOILT)))
                return
            survived = tried.verdict == SURVIVED
            report((place, Tried(_AGAIN) if survived and number > 0 else tried))
            if survived and number == 0 and self._takes_same_path(mutants[place]):
                report((place, tried._replace(same_path=True)))
            if not clean or time.monotonic() > min(end, self.deadline):
                return

    def _try_one(
        self, mutant: Mutant, lately: Sequence[str], report: Report, *, last: bool
    ) -> tuple[Tried, bool]:
        """Give the verdict, and whether the process is as it was before; nobody asks that after the last."""
        if not mutant.unit.is_function:  # a value bound anew would lack what the import did to it later on
            return Tried(FRESH), True
        try:
            self.swapper.apply(mutant.source, mutant.unit, mutant.edits)
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
        self.swapper.apply(mutant.source, mutant.unit, mutant.edits)
        try:
            return bool(tests) and all(self._path(test) == self.judges.reached[test] for test in tests)
        finally:
            self.swapper.undo()

    def _path(self, test: str) -> frozenset[Line]:
        tracer = Tracer(self.wanted, None)
        cpu_timer(_FEWEST_TRACED_S + 10 * self.judges.traced_s[test])
        tracer.start()
        try:
            self.suite.run(test)
        finally:
            tracer.stop()
            cpu_timer(0.0)
        return frozenset(tracer.lines)


def _remember(tried: Tried, lately: deque[str]) -> None:
    """Remember the test that noticed a mutant, empty where none did."""
    if tried.verdict == KILLED:
        lately.append(tried.test)
    elif tried.verdict == SURVIVED and not tried.same_path:  # that is told a second time
        lately.append("")


def _lost(ended: Ended) -> tuple[str, str]:
    """Say what a mutant did that ended its process."""
    if ended.cpu_limit or ended.stopped:
        return TIMEOUT, "far more time than on the original"
    return KILLED, f"ended the process: {ended.error or 'it crashed'}"[:200]
