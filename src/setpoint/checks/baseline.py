"""The difference from the base: what counts against the work, and what was there before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from setpoint.checks.flaky.flaky import still_flaky
from setpoint.model.config.local_needs import NOTHING, Needs
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import (
    OWN_COMMAND,
    SUITES,
    Cause,
    CheckResult,
    CheckState,
    Coverage,
    Failure,
    TestReport,
    whole_coverage,
    whole_suite,
)
from setpoint.model.finding import Finding
from setpoint.model.flaky import Quarantined, covering
from setpoint.model.ids import Commit, Tree
from setpoint.model.stories.story import KnownRed
from setpoint.model.value import Value


class Measurements(Value):
    """The raw results of all checks of one tree."""

    stage: Stage
    commit: Commit
    tree: Tree
    results: tuple[CheckResult, ...]
    needs: Needs = NOTHING
    """What failing tests turned out to need beside what git holds and the settings name."""

    def result(self, check: str) -> CheckResult | None:
        """Return the result of the named check."""
        return next((each for each in self.results if each.evidence.check == check), None)

    @property
    def tests(self) -> TestReport | None:
        """What the tests gave, of all runners together, if any ran."""
        ran = (each for each in self.results if each.evidence.check in SUITES)
        return whole_suite(each.tests for each in ran if each.tests is not None)

    @property
    def coverage(self) -> Coverage | None:
        """What the tests reached, where that was measured."""
        return whole_coverage(self.results)


PASSES = "passes "
"""Begins the message of a failure that is Setpoint's making: then comes where the test passes."""
LIES = "lies "
"""Begins the message of a failure of a test that the user's tree does not hold: then comes where it lies."""


def ours(failures: Iterable[Failure]) -> tuple[str, ...]:
    """Return the tests that fail only where they are measured, each with where or how it passes."""
    return tuple(f"{each.test} {each.message.partition(': ')[0]}" for each in failures if is_ours(each))


def is_ours(failure: Failure) -> bool:
    """Whether a test is known to fail only where it is measured."""
    return failure.cause is Cause.ENVIRONMENT and failure.message.startswith((PASSES, LIES))


def new_findings(now: Iterable[Finding], base: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that the base does not hold: of each fingerprint as many as there are more now.

    Which of several equal ones are new is unknown; the last ones are returned.
    """
    stood = Counter(finding.fingerprint for finding in base)
    new = []
    for finding in now:
        if stood[finding.fingerprint]:
            stood[finding.fingerprint] -= 1
        else:
            new.append(finding)
    return tuple(new)


def blamed(result: CheckResult, stood: Measurements | None) -> tuple[Finding, ...]:
    """Return the findings of a check that the base does not hold; all where it was not looked at there."""
    before = stood.result(result.evidence.check) if stood else None
    if before is None or (before.state is CheckState.ERROR and before.evidence.check != OWN_COMMAND):
        return result.findings
    return beside(result, before)


def beside(result: CheckResult, before: CheckResult) -> tuple[Finding, ...]:
    """Return the new findings of a check; of the own command, which names figures, none where it failed."""
    if before.evidence.check == OWN_COMMAND:
        return result.findings if before.evidence.exit_code == 0 else ()
    return new_findings(result.findings, before.findings)


@dataclass(frozen=True, kw_only=True)
class Red:
    """Failing tests, sorted by whether they count."""

    failures: tuple[Failure, ...] = ()
    known: tuple[str, ...] = ()
    """Red at the base too, and tolerated; also those that are unstable there."""
    excused: tuple[tuple[str, Quarantined], ...] = ()
    """In quarantine, with what excuses them."""

    def of(self, report: TestReport) -> Red:
        """Keep those of one runner's report."""
        return replace(
            self,
            failures=tuple(each for each in self.failures if each.test in report.outcomes),
            known=tuple(test for test in self.known if test in report.outcomes),
            excused=tuple(each for each in self.excused if each[0] in report.outcomes),
        )


def red_tests(now: TestReport, base: TestReport | None, known_red: KnownRed) -> Red:
    """Sort the failing tests of a tree; `base` is none for the tree of the base itself."""
    reference = now if base is None else base
    environment = {failure.test for failure in reference.failures if failure.cause is Cause.ENVIRONMENT}
    tolerated = environment if known_red is KnownRed.FIX else reference.red
    tolerated = tolerated | unstable_failures(now, base)
    counting, known = [], []
    for failure in now.failures:
        if _stood(failure.test, tolerated):
            known.append(failure.test)
        else:
            counting.append(failure)
    if base is not None and known_red is KnownRed.FIX:
        wanted = {failure.test: failure for failure in base.failures if failure.test not in environment}
        counting += still_flaky(now, wanted)
    return Red(failures=tuple(counting), known=tuple(known))


def unstable_failures(now: TestReport, base: TestReport | None) -> frozenset[str]:
    """Name failing tests that say nothing of the work, since two runs of the base differ in them.

    Those that failed in the base's first run are left out: what becomes of these is asked by their name.
    Where the names of a function's tests differ, as many of its tests may fail as failed at the base.
    """
    if base is None or not base.unstable:
        return frozenset()
    renamed = {family(test) for test in base.unstable if test not in base.outcomes}
    found = {test for test in base.unstable if test not in base.red and family(test) not in renamed}
    stood = Counter(family(test) for test in base.red)
    fails = Counter(family(test) for test in now.red)
    calm = {each for each in renamed if fails[each] <= stood[each]}
    found |= {test for test in now.red if family(test) in calm and test not in base.outcomes}
    return frozenset(found & now.red)


def family(test: str) -> str:
    """Return what tests that differ in their parameters alone have in common: a function, or their file.

    >>> family("tests/test_a.py::test_x[1-2]"), family("shop::TestTotal/empty"), family("a.test.js::sums > 1")
    ('tests/test_a.py::test_x', 'shop::TestTotal', 'a.test.js')
    """
    file, has, name = test.partition("::")
    if file.endswith(".py"):
        return test.partition("[")[0]
    return f"{file}::{name.partition('/')[0]}" if has and name.startswith(("Test", "Fuzz")) else file


def without_excused(red: Red, quarantine: tuple[Quarantined, ...], broken: Collection[str] = ()) -> Red:
    """Remove tests in quarantine, except `broken` ones, from those that count; name what excuses each."""
    held = {
        failure.test: None if failure.test in broken else covering(quarantine, failure.test)
        for failure in red.failures
    }
    excused = tuple((test, each) for test, each in held.items() if each is not None)
    counting = tuple(failure for failure in red.failures if held[failure.test] is None)
    return replace(red, failures=counting, excused=excused)


def _stood(test: str, tolerated: Collection[str]) -> bool:
    """Whether a test failed before, itself or with the whole file that could not be collected."""
    return test in tolerated or test.partition("::")[0] in tolerated
