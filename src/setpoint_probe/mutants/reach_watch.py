"""Which lines tests reach through a mutant, set beside those that they reach on the original."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..localise.ochiai import Line
from ..localise.spectra import Tracer
from ..process.children import cpu_timer
from ..session.session import PASSED, Suite
from .operators import Mutant
from .stable_tests import Judges

Paths = dict[str, frozenset[Line]]
"""The lines of the mutated files that tests reached."""


@dataclass(frozen=True)
class Watch:
    """Runs judging tests under the tracer."""

    suite: Suite
    judges: Judges
    wanted: Callable[[str], bool]
    """Accepts the mutated files."""

    def run(self, test: str) -> tuple[str, frozenset[Line]]:
        """Run a test; gives its outcome and the lines that it reached."""
        tracer = self._tracer
        self.judges.arm(test, traced=True)
        tracer.start()
        try:
            outcome = self.suite.run(test).outcome
        finally:
            tracer.stop()
            cpu_timer(0.0)
        return outcome, frozenset(tracer.lines)

    def unlike(self, tests: Iterable[str]) -> set[str]:
        """Return those that now, on the original, do not pass or reach other lines than before."""
        return {test for test in tests if self.run(test) != (PASSED, self.judges.reached[test])}

    def can_be_same(self, mutant: Mutant) -> bool:
        """Whether the lines that tests reach can be told beside those on the original."""
        return _keeps_lines(mutant)

    def is_same(self, mutant: Mutant, paths: Mapping[str, frozenset[Line]]) -> bool:
        """Whether tests reached the same lines as on the original (Gruen, Schuler and Zeller 2009)."""
        return _keeps_lines(mutant) and all(
            lines == self.judges.reached[test] for test, lines in paths.items()
        )

    def came_by(self, mutant: Mutant, paths: Mapping[str, frozenset[Line]]) -> bool:
        """Whether all tests reached the lines of the change, of which the first one stands where it stood."""
        span = self.judges.span(mutant)
        lines = span if _keeps_lines(mutant) else range(span.start, mutant.line + 1)
        changed = {(mutant.source.path, line) for line in lines}
        return all(changed & reached for reached in paths.values())

    @cached_property
    def _tracer(self) -> Tracer:
        return Tracer(self.wanted, None)


def _keeps_lines(mutant: Mutant) -> bool:
    """Whether the lines behind the change have the numbers that they had."""
    start, end = mutant.edits[0].start, mutant.edits[-1].end
    before = mutant.source.data[start:end].count(b"\n")
    return before == sum(edit.text.count("\n") for edit in mutant.edits)
