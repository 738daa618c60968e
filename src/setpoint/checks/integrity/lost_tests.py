"""Find tests that are gone from the user's own runners."""

from __future__ import annotations

from setpoint.checks.baseline import Measurements
from setpoint.checks.integrity.outcomes import findings_of, silenced
from setpoint.model.evidence import SUITES, Outcome
from setpoint.model.finding import Finding
from setpoint.model.stories.story import IntegrityMode


def lost_in_own_runners(base: Measurements, raw: Measurements, mode: IntegrityMode) -> list[Finding]:
    """Find tests of the user's own runners that passed at the base and are gone or left out."""
    found: list[Finding] = []
    for result in raw.results:
        stood = base.result(result.evidence.check)
        if result.evidence.check in SUITES or result.tests is None or stood is None or stood.tests is None:
            continue
        now, before = result.tests, stood.tests
        counted = (Outcome.PASSED, Outcome.XPASSED, Outcome.FLAKY, Outcome.FAILED)
        gone = [
            test
            for test, outcome in before.outcomes.items()
            if outcome in counted and test not in now.outcomes
        ]
        found += findings_of(gone, silenced(before, now), now, mode)
    return found
