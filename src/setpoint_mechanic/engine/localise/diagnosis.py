"""What is known before the search: which tests fail here, what they reach, which lines are suspicious."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from setpoint_probe.localise.ochiai import Line, Reached, Spectra, ochiai, with_tracebacks
from setpoint_probe.localise.spectra import Trace, trace
from setpoint_probe.process.children import Limits, Report, cpu_timer, run_child
from setpoint_probe.session.session import FAILED, PASSED, Suite
from setpoint_probe.source.files import SourceFiles
from setpoint_probe.source.source import Unit

from ..wire.repair import Request
from .order_dependence import Leads

_MOST_FAILING = 120
_MOST_REPRESENTATIVES = 6
_ORDER_TESTS = 60


@dataclass
class Diagnosis:
    """The failing tests, the tests to guard, and the scores of lines."""

    failing: tuple[str, ...]
    """Requested tests that fail here, quickest first."""
    not_failing: tuple[str, ...]
    """Requested tests that passed or were skipped here, or are unknown."""
    untraced: tuple[str, ...]
    """Requested tests that were left out because there are so many."""
    spectra: Spectra = field(default_factory=Spectra)
    scores: dict[Line, float] = field(default_factory=dict)
    representatives: tuple[str, ...] = ()
    """Failing tests that stand for all: one for each way of failing, quickest first."""
    seconds: dict[str, float] = field(default_factory=dict)
    """CPU seconds of one run by test, without the tracer where known."""
    order_matters: bool = False
    """Outcomes change when tests run again or in another order within one process."""
    helpless: tuple[str, ...] = ()
    """Passing tests that fail in a process of their own, where no tests before them were found to help."""

    def guards(self, path: str, unit: Unit) -> list[str]:
        """Return the passing tests that reach a unit; all where it runs at import."""
        known = {*self.failing, *self.helpless}
        if unit.is_function:
            lines = range(unit.first_line, unit.last_line + 1)
            touching = self.spectra.touching([(path, line) for line in lines])
        else:
            touching = list(self.spectra.tests)
        return [test for test in touching if test not in known]

    def neighbours(self) -> list[str]:
        """Return the passing tests that stand in the files of failing ones."""
        files = {test.split("::", 1)[0] for test in self.failing}
        return [t for t in self.spectra.tests if t not in self.failing and t.split("::", 1)[0] in files]

    def convinces(self, cleared: Collection[str], path: str, unit: Unit) -> bool:
        """Whether what a partial repair leaves looks like another bug.

        So it is where it mends all failing cases of half of the test functions, or where the rest does not
        reach what it edits.
        """
        cases: dict[str, list[bool]] = {}
        for test in self.failing:
            cases.setdefault(test.split("[", 1)[0], []).append(test in cleared)
        mended = sum(all(each) for each in cases.values())
        if 2 * mended >= len(cases):
            return True
        lines = range(unit.first_line, unit.last_line + 1)
        reaching = set(self.spectra.touching([(path, line) for line in lines]))
        return unit.is_function and not any(test in reaching for test in self.failing if test not in cleared)

    def limit_s(self, test: str, patience: float) -> float:
        """Return the CPU seconds after which a run of a test counts as endless."""
        return max(0.15 * patience, 10 * self.seconds.get(test, 0.01) + 0.1 * patience)


def diagnose(suite: Suite, request: Request, files: SourceFiles, started: float) -> Diagnosis:
    """Run and trace the failing tests, then as many passing ones as a share of the time allows."""
    wanted, unknown = _match(suite, request.failing)
    limits = Limits(request.memory_bytes, min(30.0, request.wall_s / 3))
    end = started + request.wall_s
    all_lines = Trace(files, limits, min(5.0, request.wall_s / 12), time.monotonic() + request.wall_s * 0.25)
    first = trace(suite, wanted[:_MOST_FAILING], all_lines)
    seconds: dict[str, float] = {}
    leads = Leads(suite, limits, seconds)
    for test in leads.find(_doubtful(first), _leading_s(request)):
        first.update(trace(suite, [test], replace(all_lines, deadline=time.monotonic() + all_lines.test_s)))
    failing = sorted(
        (test for test, reached in first.items() if reached.outcome == FAILED),
        key=lambda test: first[test].cpu_s,
    )
    not_failing = [test for test in first if test not in failing]
    diagnosis = Diagnosis(tuple(failing), (*not_failing, *unknown), tuple(wanted[_MOST_FAILING:]))
    if not failing:
        return diagnosis
    diagnosis.seconds = seconds
    passing = [test for test, reached in first.items() if reached.outcome == PASSED]
    spectra = Spectra({test: first[test] for test in [*failing, *passing]})
    functions = {function for test in failing for function in first[test].functions}
    others = _nearest_first(suite, failing, set(wanted))
    share = Trace(files, limits, 5.0, min(time.monotonic() + request.wall_s * 0.12, end), functions)
    traced = trace(suite, others, share)
    spectra.tests.update({test: reached for test, reached in traced.items() if reached.outcome == PASSED})
    spectra.complete = len(traced) == len(others)
    diagnosis.spectra = spectra
    diagnosis.representatives = _representatives(spectra, failing)
    diagnosis.scores = with_tracebacks(ochiai(spectra, failing, _weights(spectra, failing)), spectra, failing)
    doubted = _settle_order(suite, diagnosis, limits)
    found = leads.find(doubted, _leading_s(request))
    diagnosis.seconds.update({test: spectra.tests[test].cpu_s for test in found})
    diagnosis.helpless = tuple(leads.helpless([test for test in doubted if test not in failing]))
    diagnosis.order_matters |= bool(suite.leads)
    return diagnosis


def _match(suite: Suite, requested: Sequence[str]) -> tuple[list[str], list[str]]:
    """Find the requested tests among the collected ones; a file or class stands for the tests in it."""
    found: list[str] = []
    unknown: list[str] = []
    for test in requested:
        matches = (
            [test]
            if test in suite.items
            else [each for each in suite.ids if each.startswith((f"{test}::", f"{test}["))]
        )
        found += matches
        if not matches:
            unknown.append(test)
    return list(dict.fromkeys(found)), unknown


def _doubtful(first: dict[str, Reached]) -> list[str]:
    """Return the tests that may end otherwise after others: they lack something, or none fails by itself."""
    failed = [test for test, reached in first.items() if reached.outcome == FAILED]
    return [test for test in failed if first[test].lacking or not first[test].lines] if failed else [*first]


def _leading_s(request: Request) -> float:
    """Return the seconds for the search of tests that others lean on."""
    return min(0.1 * request.wall_s, 0.15 * request.cpu_s)


def _nearest_first(suite: Suite, failing: Sequence[str], known: set[str]) -> list[str]:
    """Order the other tests: those in the files of failing tests first, then as collected."""
    near = {suite.path_of(test) for test in failing}
    others = [test for test in suite.ids if test not in known]
    return sorted(others, key=lambda test: suite.path_of(test) not in near)


def _kind(reached: Reached) -> tuple[str, tuple[Line, ...]]:
    """Tell ways of failing apart: the exception's type and the innermost line of the project."""
    return reached.error.split(":", 1)[0], reached.traceback[-1:]


def _representatives(spectra: Spectra, failing: Sequence[str]) -> tuple[str, ...]:
    chosen: dict[tuple[object, ...], str] = {}
    for test in failing:
        reached = spectra.tests[test]
        chosen.setdefault((*_kind(reached), reached.functions), test)
    return tuple(list(chosen.values())[:_MOST_REPRESENTATIVES])


def _weights(spectra: Spectra, failing: Sequence[str]) -> dict[str, float]:
    """Let many tests that fail alike weigh together hardly more than one."""
    kinds = [_kind(spectra.tests[test]) for test in failing]
    return {test: 1.0 / kinds.count(kind) ** 0.5 for test, kind in zip(failing, kinds)}


def _settle_order(suite: Suite, diagnosis: Diagnosis, limits: Limits) -> list[str]:
    """Run failing and touching tests twice, failing first: other outcomes mean that they share state.

    Gives the tests that failed now and passed before, and all failing ones where one failed elsewhere.
    """
    spectra = diagnosis.spectra
    functions = {function for test in diagnosis.failing for function in spectra.tests[test].functions}
    touching = [test for test in spectra.touching(functions) if test not in diagnosis.failing]
    tests = [*diagnosis.representatives, *touching[:_ORDER_TESTS]]
    quick = [test for test in tests if spectra.tests[test].cpu_s < 1.0]
    expected = {test: spectra.tests[test].outcome for test in quick}
    seen: list[tuple[str, str, float, bool]] = []

    def act(report: Report) -> None:
        for _ in range(2):
            for test in quick:
                cpu_timer(10 * spectra.tests[test].cpu_s + 1.0, limits.silence_s * 0.8)
                began = time.process_time()
                outcome, error = suite.run(test)
                used = time.process_time() - began
                report((test, outcome, used, suite.got_to(test, error) != spectra.tests[test].got_to))

    ended = run_child(act, limits, seen.append)
    for test, _, seconds, _ in seen:
        diagnosis.seconds[test] = min(diagnosis.seconds.get(test, seconds), seconds)
    for test, reached in spectra.tests.items():
        diagnosis.seconds.setdefault(test, 0.0 if reached.endless else reached.cpu_s)
    other = {test for test, outcome, _, _ in seen if outcome != expected[test]}
    diagnosis.order_matters |= not ended.finished or bool(other)
    elsewhere = any(moved for test, _, _, moved in seen if test in diagnosis.failing)
    return [*(diagnosis.failing if elsewhere else ()), *(test for test in touching if test in other)]
