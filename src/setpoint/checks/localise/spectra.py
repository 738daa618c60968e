"""What failing and passing tests run, line by line: what a ranking rests on, one port for all languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from setpoint.model.evidence import Failure
from setpoint.ports import Measured
from setpoint_probe.localise.ochiai import Line

GRACE_S = 15.0
"""Seconds on top of the limit for collecting the tests and for the last of them to end."""
MOST_OF_CAUSE = 5
"""Failing tests that are run of one cause."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What one test ran."""

    test: str
    """The runner's identifier."""
    failed: bool
    lines: frozenset[Line]
    """Lines of the project outside its tests."""
    frames: tuple[Line, ...] = ()
    """Those of them that its failure names, outermost first."""
    before: frozenset[Line] = frozenset()
    """Those of them that ran for all tests of its process, when modules were loaded, and not for it alone."""


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What came of running some tests."""

    tests: tuple[Ran, ...] = ()
    took_s: float = 0.0
    why: str = ""
    """Why nothing is known; empty where something is."""
    note: str = ""
    """What could not be seen."""


class Spectra(Protocol):
    """Runs the failing tests of one language and some that pass, and sees which lines each of them runs."""

    def owns(self, test: str) -> bool:
        """Whether a test can be watched."""

    async def watch(self, measured: Measured, failing: Sequence[Failure], limit_s: float) -> Watched:
        """Run failing tests of a checked-out tree, then others; no test is begun after the limit."""
