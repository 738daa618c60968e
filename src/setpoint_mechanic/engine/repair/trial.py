"""Trying candidates in forked children: failing tests first, then those that reach the edit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from setpoint_probe.process import guard
from setpoint_probe.process.children import Ended, Limits, Report, cpu_timer, run_child
from setpoint_probe.session.session import FAILED, PASSED, Ran, Suite
from setpoint_probe.source.hot_swap import NotSwappable, Swapper

from ..localise.diagnosis import Diagnosis
from .candidates import Candidate

_MOST_GUARDS = 400


class Verdict(NamedTuple):
    """What a trial gave."""

    kind: str
    """clears, useless, breaks, timeout, discarded (does not compile) or fresh (needs a fresh import)."""
    cleared: tuple[str, ...] = ()
    checked: int = 0
    reason: str = ""
    further: int = 0
    """Failing tests that fail still, but later than before."""
    doubtful: str = ""
    """A test whose outcome may come from what an earlier candidate left in the process."""


@dataclass(frozen=True)
class Trials:
    """The warm session and all that a trial needs."""

    suite: Suite
    diagnosis: Diagnosis
    swapper: Swapper
    limits: Limits
    tree: str
    scratch: str
    patience: float = 1.0
    """Multiplies the smallest time limits; above 1 when slow candidates get their second chance."""

    def run(self, batch: Sequence[Candidate], batch_s: float, over: object) -> tuple[list[Verdict], Ended]:
        """Try candidates in one child, for about `batch_s` seconds; gives verdicts for the first ones."""
        verdicts: list[Verdict] = []
        begun = [-1]

        def record(entry: tuple[int, Verdict | None]) -> bool:
            place, verdict = entry
            begun[0] = place
            if verdict is not None:
                verdicts.append(verdict)
            return bool(callable(over) and over())

        ended = run_child(lambda report: self._try_all(batch, batch_s, report), self.limits, record)
        if begun[0] == len(verdicts) and (ended.cpu_limit or ended.stopped):
            verdicts.append(Verdict("timeout"))
        elif begun[0] == len(verdicts) and not ended.finished:
            verdicts.append(Verdict("useless", reason=ended.error or "it ended its process"))
        return verdicts, ended

    def _try_all(self, batch: Sequence[Candidate], batch_s: float, report: Report) -> None:
        guard.install([self.scratch], self.tree)
        end = time.monotonic() + batch_s
        for place, candidate in enumerate(batch):
            report((place, None))
            verdict = self._try_one(candidate)
            spoilt = bool(verdict.doubtful) and self._spoilt(verdict.doubtful)
            if spoilt and place:  # it is tried again, in a child in which nothing ran before it
                return
            report((place, verdict))
            if spoilt or time.monotonic() > end or (self.diagnosis.order_matters and place == 0):
                return

    def _spoilt(self, test: str) -> bool:
        """Return whether a test fails otherwise than at the start, though nothing is edited now."""
        ran = self._run(test)
        cpu_timer(0.0)
        known = self.diagnosis.spectra.tests.get(test)
        if test not in self.diagnosis.failing or known is None:
            return ran.outcome != PASSED
        return ran.outcome == PASSED or self.suite.got_to(test, ran.error) != known.got_to

    def _try_one(self, candidate: Candidate) -> Verdict:
        try:
            for unit, edits in candidate.parts():
                self.swapper.apply(candidate.source, unit, edits)
        except SyntaxError as error:
            self.swapper.undo()
            return Verdict("discarded", reason=str(error))
        except NotSwappable as error:
            self.swapper.undo()
            return Verdict("fresh", reason=str(error))
        try:
            return self._judge_in_order(candidate) if self.diagnosis.order_matters else self._judge(candidate)
        finally:
            cpu_timer(0.0)
            self.swapper.undo()

    def _judge(self, candidate: Candidate) -> Verdict:
        chosen = self.diagnosis.representatives
        failing, guards = self._relevant(candidate)
        cleared: list[str] = []
        further, doubtful = 0, ""
        for test in chosen:
            if test in failing:
                ran = self._run(test)
                cleared += [test] if ran.outcome == PASSED else []
                further += self._got_further(test, ran)
                doubtful = test if self._outside(test, ran) else doubtful
        if not cleared:
            return Verdict("useless", further=further, doubtful=doubtful)
        rest = [test for test in failing if test not in chosen]
        cleared += [test for test in rest if self._passes(test)]
        for count, test in enumerate(guards):
            if not self._passes(test):
                return Verdict("breaks", tuple(cleared), count, test, doubtful=test)
        return Verdict("clears", tuple(cleared), len(guards))

    def _judge_in_order(self, candidate: Candidate) -> Verdict:
        """Judge tests that share state: all in the order in which they were collected."""
        failing, guards = self._relevant(candidate)
        order = self.suite.in_order([*failing, *guards])
        cleared: list[str] = []
        checked = 0
        for test, following in zip(order, [*order[1:], None]):
            self._limit(test)
            passed = self.suite.run_one(test, following).outcome == PASSED
            if test in failing:
                cleared += [test] if passed else []
            elif test in guards and not passed:
                return Verdict("breaks", tuple(cleared), checked, test)
            else:
                checked += test in guards
        return Verdict("clears", tuple(cleared), checked) if cleared else Verdict("useless")

    def _relevant(self, candidate: Candidate) -> tuple[list[str], list[str]]:
        """Return the failing and the passing tests that reach the edited unit, the latter quickest first."""
        diagnosis, unit, path = self.diagnosis, candidate.unit, candidate.source.path
        failing = list(diagnosis.failing)
        if unit.is_function:
            lines = [
                (path, line)
                for each in candidate.units()
                for line in range(each.first_line, each.last_line + 1)
            ]
            reached = set(diagnosis.spectra.touching(lines))
            failing = [test for test in failing if test in reached]
        found = dict.fromkeys(test for each in candidate.units() for test in diagnosis.guards(path, each))
        guards = sorted(found, key=lambda test: diagnosis.seconds.get(test, 0.0))
        return failing, guards[:_MOST_GUARDS]

    def _passes(self, test: str) -> bool:
        return self._run(test).outcome == PASSED

    def _run(self, test: str) -> Ran:
        self._limit(test)
        return self.suite.run(test)

    def _limit(self, test: str) -> None:
        limit = self.diagnosis.limit_s(test, self.patience)
        cpu_timer(limit, max(2.0, 4 * limit))

    def _outside(self, test: str, ran: Ran) -> bool:
        """Return whether a failing test that got into its own code now fails before it does."""
        before = self.diagnosis.spectra.tests[test].got_to
        return ran.outcome == FAILED and before[0] > 0 and self.suite.got_to(test, ran.error)[0] == 0

    def _got_further(self, test: str, ran: Ran) -> bool:
        """Return whether a failing test fails later than without the edit."""
        before = self.diagnosis.spectra.tests[test].got_to
        return ran.outcome == FAILED and before[0] > 0 and self.suite.got_to(test, ran.error) > before
