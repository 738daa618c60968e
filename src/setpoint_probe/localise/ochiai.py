"""How suspicious the lines that tests reach make each other (Ochiai; Abreu et al. 2007).

Free of pytest, because Setpoint's own process reckons with it too.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

Line = tuple[str, int]
"""File and 1-based line."""
Function = tuple[str, int]
"""File and first line of a code object."""


@dataclass
class Reached:
    """What one test reached, and how it ended."""

    outcome: str
    cpu_s: float
    """CPU seconds under the tracer, some times more than without."""
    lines: frozenset[Line] = frozenset()
    functions: frozenset[Function] = frozenset()
    traceback: tuple[Line, ...] = ()
    """Lines of the project in the failure's traceback, outermost first."""
    error: str = ""
    """The failure in one line."""
    endless: bool = False
    """It was ended by the time limit."""
    got_to: tuple[int, bool] = (0, False)
    """Where in its own file it failed, and whether it got so far as to compare."""
    lacking: bool = False
    """It failed for a name that its own class or file does not have: a test before it may have to make it."""
    from_import: bool = False
    """It may have failed for what the project made when it was imported."""


@dataclass
class Spectra:
    """All tests that were traced."""

    tests: dict[str, Reached] = field(default_factory=dict)
    complete: bool = False
    """All collected tests were traced."""

    def touching(self, functions: Collection[Function]) -> list[str]:
        """Return the tests that reach one of some functions, in the order they were traced."""
        wanted = frozenset(functions)
        return [test for test, reached in self.tests.items() if wanted & reached.functions]


def ochiai(
    spectra: Spectra, failing: Collection[str], weights: dict[str, float] | None = None
) -> dict[Line, float]:
    """Score each line that failing tests reach: 0 to 1, 1 where only failing tests reach it."""
    weights = weights or {}
    total = sum(weights.get(test, 1.0) for test in failing) or 1.0
    failed: dict[Line, float] = {}
    for test in failing:
        for line in spectra.tests[test].lines:
            failed[line] = failed.get(line, 0.0) + weights.get(test, 1.0)
    passed: dict[Line, int] = {}
    for test, reached in spectra.tests.items():
        if test not in failing:
            for line in reached.lines & failed.keys():
                passed[line] = passed.get(line, 0) + 1
    return {line: count / math.sqrt(total * (count + passed.get(line, 0))) for line, count in failed.items()}


def with_tracebacks(
    scores: dict[Line, float], spectra: Spectra, failing: Collection[str]
) -> dict[Line, float]:
    """Raise the lines of the project that stand in the failures' tracebacks, the innermost most."""
    raised = dict(scores)
    for test in failing:
        frames = spectra.tests[test].traceback
        for depth, line in enumerate(reversed(frames)):
            if line in raised:
                floor = 0.9 / (1 + 0.25 * depth)
                raised[line] = max(raised[line], floor, min(1.0, raised[line] * 1.3))
    return raised
