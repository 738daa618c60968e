"""Which tests may judge mutants: green, reaching the mutated lines, and the same when they run again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..localise.ochiai import Line, Reached
from ..process.children import Limits, Report, cpu_timer, run_child, run_children
from ..session.direct_calls import bare_tests
from ..session.session import PASSED, Suite
from .operators import Mutant

_LEAST_S = 0.0001
"""What running a test costs at least."""
_FEWEST_CPU_S = 0.5
_FEWEST_WALL_S = 5.0
_LOOK_S, _LOOK_TIMES = 0.1, 10.0
"""CPU seconds, and times those on the original, after which it is looked whether the mutant still runs."""
_LATE_TIMES = 2.0
_MOST_LAME = 20
"""Tests that may turn out not to be bare before the rest counts as such, too."""
_PATIENCE = 5.0
"""How many times as long as on the original a test may take."""


@dataclass
class Judges:
    """The tests that judge, and what each reaches."""

    reached: dict[str, frozenset[Line]]
    """Lines of the mutated files by test."""
    cpu_s: dict[str, float] = field(default_factory=dict)
    """CPU seconds of one run, the fewest seen."""
    most_s: dict[str, float] = field(default_factory=dict)
    """The most seen."""
    late_s: float = 0.0
    """The most that a test took longer once than at best: what runs first imports, and fills caches."""
    wall_s: dict[str, float] = field(default_factory=dict)
    """Wall seconds of one run, the most seen."""
    least_s: dict[str, float] = field(default_factory=dict)
    """The fewest seen: what a run costs, be it that the test calculates or that it waits."""
    traced_s: dict[str, float] = field(default_factory=dict)
    """CPU seconds of one run under the tracer."""
    unsteady: list[str] = field(default_factory=list)
    jobs: int = 1
    names: dict[str, frozenset[str]] = field(default_factory=dict)
    """Names bound outside functions that a test or its file mentions: reading a constant reaches no line."""
    last: Sequence[str] = ()
    """Tests that come behind all the others, in this order."""
    each: frozenset[str] = frozenset()
    """Those of them that are all asked, whatever the others notice."""

    def __post_init__(self) -> None:
        """Index the tests by line."""
        self._by_line: dict[Line, list[str]] = {}
        self._by_file: dict[str, list[str]] = {}
        self._sorted: dict[tuple[int, int, int], list[str]] = {}
        self._ranks = {test: number for number, test in enumerate(self.last, start=1)}
        for test, lines in self.reached.items():
            for line in lines:
                self._by_line.setdefault(line, []).append(test)
            for path in {path for path, _ in lines}:
                self._by_file.setdefault(path, []).append(test)

    def of(self, mutant: Mutant, lately: Sequence[str] = ()) -> Sequence[str]:
        """Return the tests that can notice a mutant: quickest first, but for those that are to come last.

        A test counts as quicker the more often it stands among those that `lately` noticed a mutant.
        """
        span = self.span(mutant)
        place = id(mutant.unit), span.start, span.stop
        found = self._sorted.get(place)
        if found is None:
            found = self._sorted[place] = sorted(self._that_reach(mutant), key=self._rank)
        noticed = Counter(lately)
        if noticed.keys().isdisjoint(found):
            return found
        return sorted(found, key=lambda test: self._rank(test, noticed[test]))

    def _rank(self, test: str, noticed: int = 0) -> tuple[int, float, str]:
        cost_s = max(self.least_s.get(test, 0.0), _LEAST_S)
        return self._ranks.get(test, 0), cost_s / (1 + noticed), test

    def _that_reach(self, mutant: Mutant) -> Collection[str]:
        path, unit = mutant.source.path, mutant.unit
        if unit.is_function:
            return {test for line in self.span(mutant) for test in self._by_line.get((path, line), ())}
        touched = mutant.source.touched_by(unit)
        named = (test for test, names in self.names.items() if names & touched and test in self.reached)
        return {*self._by_file.get(path, ()), *named}

    def span(self, mutant: Mutant) -> range:
        """Return the lines of which a test must reach one to notice a mutant of a function."""
        first, last = mutant.lines
        if first <= mutant.unit.node.lineno:  # the signature runs at definition, its effect shows in the body
            first, last = mutant.unit.first_line, mutant.unit.last_line
        return range(first, last + 1)

    def cost_s(self, tests: Iterable[str]) -> float:
        """Return the wall seconds of one run of tests."""
        return sum(self.least_s.get(test, 0.0) for test in tests)

    def watching_s(self, test: str) -> float:
        """Return the wall seconds of one run of a test under the tracer."""
        return max(self.traced_s[test], self.least_s.get(test, 0.0))

    def took(self, test: str, cpu_s: float, wall_s: float) -> None:
        """Take note of what one run of a test took."""
        self.cpu_s[test] = min(self.cpu_s.get(test, cpu_s), cpu_s)
        self.most_s[test] = max(self.most_s.get(test, cpu_s), cpu_s)
        self.wall_s[test] = max(self.wall_s.get(test, wall_s), wall_s)
        self.least_s[test] = min(self.least_s.get(test, wall_s), wall_s)

    def arm(self, test: str, *, traced: bool = False) -> None:
        """Let the kernel end this process where a test takes far longer than on the original.

        Where it is not traced, it is looked sooner whether it is lost.
        """
        more_s = self.traced_s.get(test, 0.1) if traced else 0.0
        look_s = _LOOK_S + _LOOK_TIMES * self.cpu_s.get(test, 0.1) + _LATE_TIMES * self.late_s
        cpu_timer(
            _FEWEST_CPU_S + _PATIENCE * (more_s or self.cpu_s.get(test, 0.1)),
            _FEWEST_WALL_S + _PATIENCE * (more_s + self.wall_s.get(test, 0.1)),
            0.0 if traced else look_s,
        )


def judges(
    suite: Suite,
    traced: dict[str, Reached],
    jobs: int,
    limits: Limits,
    deadline: float,
    constants: Collection[str] = (),
) -> Judges:
    """Run the green tests that reach something again, several processes side by side, forwards and backwards.

    So are those that mention one of the `constants`, which are names that the files bind outside functions.

    Those that need nothing of pytest are called without it from here on, where they pass so too.

    Tests that fail only side by side (they share a file or a port) lead to one process; those that fail
    then too are left out.
    """
    names = {test: suite.names_in(test).intersection(constants) for test in traced} if constants else {}
    reached = {
        test: each.lines
        for test, each in traced.items()
        if each.outcome == PASSED and (each.lines or names.get(test))
    }
    found = Judges(reached, jobs=jobs, names=names)
    suite.bare = bare_tests(suite.items[test] for test in reached if test not in suite.leads)
    _keep_what_passes(suite, found, limits, deadline)
    shaken = _repeat(suite, list(reached), found, jobs, limits, deadline)
    if jobs == 1:
        once = [test for test in reversed(reached) if test not in suite.bare]
        late = [test for test in once if _may_be_late(found, test, traced[test])]
        shaken |= _repeat(suite, late, found, 1, limits, deadline) if late else set()
    if shaken and jobs > 1:
        together = shaken
        shaken = _repeat(suite, list(reached), found, 1, limits, deadline)
        found.jobs = jobs if together <= shaken else 1
    if shaken:
        kept = {test: lines for test, lines in reached.items() if test not in shaken}
        found = replace(found, reached=kept, unsteady=sorted(shaken))
    _add_traced(found, traced)
    return found


def _may_be_late(found: Judges, test: str, traced: Reached) -> bool:
    """Whether a test may have taken so much longer when it ran first that it would look lost.

    It took no longer than under the tracer.
    """
    return traced.cpu_s - found.cpu_s.get(test, 0.0) > _LOOK_S


def _add_traced(found: Judges, traced: Mapping[str, Reached]) -> None:
    """Add what was seen under the tracer."""
    for test, each in traced.items():
        found.traced_s[test] = each.cpu_s
        found.cpu_s.setdefault(test, each.cpu_s)
        found.wall_s.setdefault(test, each.cpu_s)
    late = (found.most_s.get(test, 0.0) - found.cpu_s[test] for test in found.reached)
    found.late_s = max(late, default=0.0)


def _keep_what_passes(suite: Suite, found: Judges, limits: Limits, deadline: float) -> None:
    """Leave those tests bare that pass so; after one that does not a new child goes on."""
    left, passed, failures = list(suite.bare), set(), 0
    while left and failures < _MOST_LAME and time.monotonic() < deadline:
        told: list[str] = []

        def act(report: Report, tests: Sequence[str] = tuple(left)) -> None:
            for test in tests:
                cpu_timer(limits.silence_s, limits.silence_s)
                cpu, wall = time.process_time(), time.monotonic()
                outcome = suite.run(test).outcome
                report((test, outcome, time.process_time() - cpu, time.monotonic() - wall))
                if outcome != PASSED or time.monotonic() > deadline:
                    return

        def record(entry: tuple[str, str, float, float], told: list[str] = told) -> None:
            test, outcome, cpu_s, wall_s = entry
            told.append(test)
            if outcome == PASSED:
                passed.add(test)
                found.took(test, cpu_s, wall_s)

        ended = run_child(act, limits, record)
        left = left[len(told) + (not ended.finished) :]
        failures += 1
    suite.bare = {test: call for test, call in suite.bare.items() if test in passed}


def _repeat(
    suite: Suite, tests: Sequence[str], found: Judges, jobs: int, limits: Limits, deadline: float
) -> set[str]:
    """Run tests again in each of several children; gives those that did not pass everywhere."""
    begun: dict[int, str] = {}
    shaken: set[str] = set()

    def act_from(order: Sequence[str]) -> Callable[[Report], None]:
        def act(report: Report) -> None:
            for test in order:
                if time.monotonic() > deadline:
                    return
                report((test, "", 0.0, 0.0))
                cpu_timer(limits.silence_s, limits.silence_s)
                cpu, wall = time.process_time(), time.monotonic()
                outcome = suite.run(test).outcome
                report((test, outcome, time.process_time() - cpu, time.monotonic() - wall))

        return act

    def record(place: int, entry: tuple[str, str, float, float]) -> None:
        test, outcome, cpu_s, wall_s = entry
        if not outcome:
            begun[place] = test
            return
        begun.pop(place, None)
        found.took(test, cpu_s, wall_s)
        if outcome != PASSED:
            shaken.add(test)

    orders = [list(tests) if place % 2 == 0 else list(reversed(tests)) for place in range(jobs)]
    if jobs == 1:
        orders = [list(reversed(tests))]
    run_children([act_from(order) for order in orders], limits, record)
    return shaken | set(begun.values())
