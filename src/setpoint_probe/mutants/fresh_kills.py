"""Trying mutants that cannot be swapped in, such as those of code that runs at import, in fresh processes.

They are children of a fork server, which spares each the start of pytest and what it imports from outside
the tree. Where the server itself needs the mutated file, or the tests come out otherwise in it, each mutant
begins a session of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import pytest

from ..process.children import Limits, Report, run_child, run_children
from ..session.forkserver import Order, files_of, is_loaded, serve
from ..session.fresh import Fresh
from ..session.session import FAILED, PASSED, warm_up
from ..wire.score import KILLED, SURVIVED, TIMEOUT
from .kills import Tried
from .operators import Mutant

_START_S = 15.0
"""CPU seconds that a process of its own may take until its tests begin."""
_SERVED_S = 1.0
_PATIENCE = 5.0
_SILENCE_S = 180.0


class _Lame(NamedTuple):
    """Tests that do not pass on the original in a process of their own."""

    tests: frozenset[str]


@dataclass(frozen=True)
class FreshKills:
    """What fresh processes need to judge mutants."""

    order: Order
    limits: Limits
    mutants: Sequence[Mutant]
    guarding: dict[int, Sequence[str]]
    """The tests that can notice a mutant, by its place."""
    far: dict[int, Sequence[str]]
    """Further tests that import what it changes: asked where those notice nothing."""
    cpu_s: dict[str, float]
    """CPU seconds of one run by test."""
    modules: Sequence[str]
    """What the tests import from outside the tree."""
    last: frozenset[str]
    """Tests that come behind all the others."""
    deadline: float
    each: frozenset[str] = frozenset()
    """Those of them that are all asked, whatever the others notice."""

    def run(self, places: Sequence[int], jobs: int, take: Callable[[int, Tried], None]) -> set[str]:
        """Try mutants, several processes side by side, while there is time; `take` gets each verdict.

        Gives the tests that do not pass there on the original: they do not judge.
        """
        jobs = min(jobs, len(places))
        lame: set[str] = set()

        def act_on(own: Sequence[int]) -> Callable[[Report], None]:
            return lambda report: self._work(own, report)

        def record(_: int, entry: tuple[int, Tried] | _Lame) -> None:
            if isinstance(entry, _Lame):
                lame.update(entry.tests)
            else:
                take(*entry)

        acts = [act_on(places[start::jobs]) for start in range(jobs)]
        run_children(acts, self.limits._replace(silence_s=_SILENCE_S), record)
        return lame

    def _work(self, places: Sequence[int], report: Report) -> None:
        left: dict[str, list[int]] = {}
        for path, group in groupby(sorted(places, key=self._path), key=self._path):
            left[path] = self._served(path, list(group), report)
        if any(left.values()):
            warm_up(self.order.tree, self.order.scratch)
        for path, own in left.items():
            if own and time.monotonic() < self.deadline:
                self._by_themselves(path, own, report)

    def _path(self, place: int) -> str:
        return self.mutants[place].source.path

    def _tests(self, places: Sequence[int]) -> list[str]:
        return sorted({test for place in places for test in self._of(place)})

    def _of(self, place: int) -> list[str]:
        return [*self.guarding[place], *self.far.get(place, ())]

    def _served(self, path: str, places: Sequence[int], report: Report) -> list[int]:
        """Try the mutants of one file with a fork server; gives those that it could not try."""
        done: set[int] = set()

        def in_session(session: pytest.Session, tell: Report) -> None:
            if is_loaded(path):
                return
            self._in_session(Fresh(self.order, self.limits, _START_S, session=session), path, places, tell)

        def act(tell: Report) -> None:
            files = files_of(self._tests(places))
            serve(self.order, files, self.modules, lambda session: in_session(session, tell))

        def record(entry: tuple[int, Tried]) -> None:
            done.add(entry[0])
            report(entry)

        run_child(act, self.limits._replace(silence_s=_SILENCE_S), record)
        return [place for place in places if place not in done]

    def _in_session(self, start: Fresh, path: str, places: Sequence[int], tell: Report) -> None:
        """Try mutants in children of a session, where their tests pass on the original there."""
        tests = self._tests(places)
        fresh = replace(start, cpu_s=self._time(_START_S, tests))
        outcomes, ended = fresh.run(path, None, tests)
        lame = frozenset(test for test in tests if outcomes.get(test) != PASSED)
        if not lame.intersection(test for place in places for test in self.guarding[place]):
            self._try_each(places, lame, fresh, _SERVED_S + _PATIENCE * ended.cpu_s, tell)

    def _by_themselves(self, path: str, places: Sequence[int], report: Report) -> None:
        """Try the mutants of one file in processes that begin a session each."""
        tests = self._tests(places)
        fresh = Fresh(self.order, self.limits, self._time(_START_S, tests))
        outcomes = fresh.outcomes(path, None, tests)
        lame = frozenset(test for test in tests if outcomes.get(test) != PASSED)
        report(_Lame(lame))
        self._try_each(places, lame, fresh, _START_S, report)

    def _try_each(
        self, places: Sequence[int], lame: frozenset[str], fresh: Fresh, start_s: float, report: Report
    ) -> None:
        for place in places:
            if time.monotonic() > self.deadline:
                return
            tests = [test for test in self._of(place) if test not in lame]
            if tests:
                timed = replace(fresh, cpu_s=self._time(start_s, tests))
                report((place, self._try(place, tests, timed)._replace(fresh=True)))

    def _try(self, place: int, tests: Sequence[str], fresh: Fresh) -> Tried:
        """Let the tests judge together, in pytest's order; the far ones then; the last ones one by one."""
        mutant, near = self.mutants[place], frozenset(self.guarding[place])
        groups = [[test for test in tests if test in near and test not in self.last]]
        groups += [[test for test in tests if test not in near and test not in self.last]]
        groups += [[test] for test in tests if test in self.last]
        tried, noticed = Tried(SURVIVED), []
        for group in filter(None, groups):
            if tried.verdict != SURVIVED and group[0] not in self.each:
                continue
            judged = self._judged_by(mutant, group, fresh)
            if judged.verdict != SURVIVED and group[0] in self.each:
                noticed.append(group[0])
            tried = judged if tried.verdict == SURVIVED else tried
        return tried._replace(noticed=tuple(noticed))

    def _judged_by(self, mutant: Mutant, tests: Sequence[str], fresh: Fresh) -> Tried:
        path, text = mutant.source.path, mutant.source.edited(mutant.edits)
        outcomes, ended = fresh.run(path, text, tests, to_first_failure=True)
        failing = next((test for test, outcome in outcomes.items() if outcome == FAILED), "")
        if failing:
            return Tried(KILLED, failing)
        if ended.cpu_limit or ended.stopped:
            return Tried(TIMEOUT, "far more time than on the original")
        if not ended.finished or not outcomes:
            return Tried(
                KILLED, f"none of its tests came to an end: {ended.error or 'the process ended'}"[:200]
            )
        return Tried(SURVIVED)

    def _time(self, start_s: float, tests: Sequence[str]) -> float:
        """Return the CPU seconds for a process that runs tests."""
        return start_s + _PATIENCE * sum(self.cpu_s.get(test, 0.02) for test in tests)
