"""Tests that lean on tests before them: which of these let a test end as it does in its file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from setpoint_probe.process.children import Limits, Report, cpu_timer, run_child
from setpoint_probe.session.session import PASSED, Ran, Suite

_TEST_S = 5.0


class End(NamedTuple):
    """How and where a run of a test ended, without words that change from run to run."""

    outcome: str
    error: str
    place: tuple[str, int]
    """File and line of the innermost frame."""
    got_to: tuple[int, bool]


class Leads:
    """Looks for the tests before a test that it leans on, and notes them in the suite."""

    def __init__(self, suite: Suite, limits: Limits, seconds: dict[str, float]) -> None:
        """Take the warm session, and where to note the CPU seconds of tests that lead."""
        self._suite = suite
        self._limits = limits
        self._seconds = seconds
        self._known: list[tuple[str, ...]] = []
        self._deadline = 0.0

    def find(self, tests: Sequence[str], seconds: float) -> list[str]:
        """Spend so many seconds on tests that may end otherwise in their files; gives those that do."""
        if not tests:
            return []
        self._deadline = time.monotonic() + seconds
        ends, order, used = self._in_order(tests)
        found: list[str] = []
        for test in tests:
            before = order[: order.index(test)] if test in ends else []
            if self._late() or not before or ends[test] == self._end(test, ()):
                continue
            leads = self._those_known(test, before, ends[test]) or self._fewest(test, before, ends[test])
            self._suite.leads[test] = leads
            self._seconds.update({lead: max(used[lead], self._seconds.get(lead, 0.0)) for lead in leads})
            self._known = [leads, *(each for each in self._known if each != leads)]
            found.append(test)
        return found

    def helpless(self, tests: Sequence[str]) -> list[str]:
        """Return those that fail in a process of their own, after the tests they are known to lean on."""
        found: list[str] = []
        for test in tests:
            end = None if self._late() else self._end(test, self._suite.leads.get(test, ()))
            if end is not None and end.outcome != PASSED:
                found.append(test)
        return found

    def _in_order(self, tests: Sequence[str]) -> tuple[dict[str, End], list[str], dict[str, float]]:
        """Run the files of some tests in order; gives how these end, what ran, and CPU seconds.

        A test that does not come to its end is left out the next time.
        """
        files = {self._suite.path_of(test) for test in tests}
        order = [test for test in self._suite.ids if self._suite.path_of(test) in files]
        order = order[: max(order.index(test) for test in tests) + 1]
        while True:
            ended, begun = self._run(order)
            if len(ended) == len(order) or not begun or self._late():
                ran = [test for test in order if test in ended]
                ends = {test: ended[test][0] for test in tests if test in ended}
                return ends, ran, {test: seconds for test, (_, seconds) in ended.items()}
            order = [test for test in order if test != begun]

    def _run(self, order: Sequence[str]) -> tuple[dict[str, tuple[End, float]], str]:
        """Run tests in one child; gives how each ended with its CPU seconds, and the last that was begun."""
        ended: dict[str, tuple[End, float]] = {}
        begun = ""

        def act(report: Report) -> None:
            for test, following in zip(order, [*order[1:], None]):
                report((test, None))
                cpu_timer(_TEST_S, max(0.1, min(4 * _TEST_S, self._deadline - time.monotonic())))
                began = time.process_time()
                end = self._end_of(test, self._suite.run_one(test, following))
                report((test, (end, time.process_time() - began)))

        def take(record: tuple[str, tuple[End, float] | None]) -> None:
            nonlocal begun
            begun, end = record
            if end is not None:
                ended[begun] = end

        run_child(act, self._limits, take)
        return ended, begun

    def _end(self, test: str, leads: tuple[str, ...]) -> End | None:
        """Return how a test ends after some others, in a process of their own."""
        ended, _ = self._run([*leads, test])
        return ended[test][0] if test in ended else None

    def _end_of(self, test: str, ran: Ran) -> End:
        step = ran.error.__traceback__ if ran.error is not None else None
        place = ("", 0)
        while step is not None:
            place = (step.tb_frame.f_code.co_filename, step.tb_lineno)
            step = step.tb_next
        kind = type(ran.error).__name__ if ran.error is not None else ""
        return End(ran.outcome, kind, place, self._suite.got_to(test, ran.error))

    def _those_known(self, test: str, before: Sequence[str], end: End) -> tuple[str, ...]:
        """Return what another test leans on, where it does for this one as well."""
        for leads in self._known:
            if set(leads) <= set(before) and not self._late() and self._end(test, leads) == end:
                return leads
        return ()

    def _fewest(self, test: str, before: Sequence[str], end: End) -> tuple[str, ...]:
        """Leave out halves, quarters and so on, the first ones first, as long as the test ends the same."""
        leads = tuple(before)
        size = (len(leads) + 1) // 2
        while size:
            start = 0
            while start < len(leads) and not self._late():
                fewer = (*leads[:start], *leads[start + size :])
                if fewer and self._end(test, fewer) == end:
                    leads = fewer
                else:
                    start += size
            size //= 2
        return leads

    def _late(self) -> bool:
        return time.monotonic() > self._deadline
