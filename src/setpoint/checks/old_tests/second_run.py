"""The suites of the base run twice, in two arrangements: what differs then is unstable, and blames nobody.

The second time the tree lies in another folder, files come in another order where the runner takes one, and
Python has another hash seed. A suite that takes long is collected a second time only. Where many tests come
out otherwise, folder or order are to blame, not each of them: the comparison is repeated with the first ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from setpoint.checks import results
from setpoint.checks.baseline import Measurements
from setpoint.checks.flaky.flaky import FlakyRule
from setpoint.checks.old_tests.both_versions import Suite
from setpoint.checks.old_tests.joined import GREEN, QUIET
from setpoint.checks.run import Bench, Group, run_group
from setpoint.checks.suites.order_dependence import Footing
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.pytest import Runner, TestSuite, run_once
from setpoint.model.evidence import OWN_TESTS, CheckResult, CheckState, Outcome, TestReport
from setpoint.ports import Measured
from setpoint.version import __version__

LONG_S = 120.0
"""Seconds from which on a suite is collected a second time and not run."""
MOST_OTHERWISE = 20
"""More tests than this that come out otherwise are the fault of the folder, not of each of them."""
OTHER_SEED = "20261"
_SEED = "PYTHONHASHSEED"
_VERSION = re.compile(r"(\d+)\.(\d+)")
_SHUFFLES_FILES = 2
"""First version of vitest that orders files by a seed and leaves the tests in them as they are."""
_BELIEVED = (CheckState.PASS, CheckState.FAIL, CheckState.FLAKY)


@dataclass(frozen=True, kw_only=True)
class SecondRun:
    """One suite of the base in another arrangement."""

    suite: Suite
    base: TestReport
    elsewhere: Footing | None
    """Where the base lies a second time; none: where it lay the first time, and in the first order."""
    collect: bool = False
    """Whether its tests are only collected."""

    @property
    def name(self) -> str:
        """Name the check."""
        return f"{self.suite.name}-again"

    async def run(self, measured: Measured) -> CheckResult:
        """Run it; a run that breaks tells nothing."""
        there = await self.elsewhere.there(measured) if self.elsewhere else measured
        if isinstance(self.suite, TestSuite):
            report = await self._python(self.suite.runner, there)
        else:
            made = await _once(self.suite, shuffled=self.elsewhere is not None).run(there)
            report = made.tests if made.state in _BELIEVED else None
        if report is None:
            return results.unmeasured(self.name, measured.tree, "the second run broke")
        said = results.judged(self.name, measured.tree, (), tool=f"setpoint {__version__}")
        return said.model_copy(update={"tests": report})

    async def _python(self, runner: Runner, there: Measured) -> TestReport | None:
        files = {test.partition("::")[0] for test in self.base.outcomes} if self.elsewhere else set[str]()
        tree = Path(there.copy.path)
        ordered = sorted((each for each in files if (tree / each).is_file()), reverse=True)
        args = (*runner.args, *(("--collect-only",) if self.collect else ()))
        call = runner.layout.python_call
        own = {name for name, _ in call.variables} if call else set()
        seed = {} if _SEED in own else {_SEED: OTHER_SEED}
        other = replace(runner, files=tuple(ordered), args=args, variables={**runner.variables, **seed})
        _, suite, broken = await run_once(other, there, None)
        if broken or suite.exit is None or suite.internal_error:
            return None
        if self.collect:
            gave = {test: self.base.outcomes.get(test, Outcome.PASSED) for test in suite.collected}
            kept = {test: each for test, each in self.base.outcomes.items() if each is Outcome.DESELECTED}
            return TestReport(outcomes={**kept, **gave, **dict.fromkeys(suite.uncollected, Outcome.ERROR)})
        return TestReport(outcomes=suite.outcomes)


async def with_unstable(
    groups: Iterable[Group], made: Measurements, place: Measured, elsewhere: Footing, bench: Bench
) -> Measurements:
    """Return the base's measurements with what differs between two runs of its suites.

    What is marked as kept is known of both runs.

    Args:
        groups: Each suite, whole, with nothing that watches it.
        made: What they gave the first time.
        place: Where that was.
        elsewhere: Where the base lies a second time.
        bench: Where results are kept: a tree is never run a second time twice.

    """
    quiet = replace(bench, told=lambda _: None, watch=None)
    found: dict[str, _Differs] = {}
    for group in groups:
        suite, first = group.checks[0], made.result(group.checks[0].name)
        if not isinstance(suite, TestSuite | PackageSuite) or not first or first.state not in _BELIEVED:
            continue
        if first.tests is None or suite.name == OWN_TESTS or not first.tests.outcomes:
            continue
        collect = first.evidence.duration_s > LONG_S
        if collect and suite.name != "pytest":
            continue
        again = SecondRun(suite=suite, base=first.tests, elsewhere=elsewhere, collect=collect)
        found[suite.name] = await _unstable(again, group, place, quiet)
    return made.model_copy(update={"results": tuple(_told(each, found) for each in made.results)})


class _Differs(NamedTuple):
    tests: tuple[str, ...] = ()
    cached: bool = True


async def _unstable(again: SecondRun, group: Group, place: Measured, bench: Bench) -> _Differs:
    """Compare a suite's second run with the first, once more in the same folder where too much differs."""
    cached = True
    for each in (again, replace(again, elsewhere=None)):
        identity = (*(group.identity or ()), "again", str(each.elsewhere is None), str(each.collect))
        (made,) = await run_group(Group(checks=(each,), identity=identity), place, bench)
        cached = cached and made.evidence.cached
        if made.tests is not None:
            ids, otherwise = differing(again.base, made.tests)
            if len(otherwise) <= MOST_OTHERWISE or each.elsewhere is None:
                return _Differs((*ids, *otherwise), cached)
    return _Differs(cached=cached)


def differing(first: TestReport, second: TestReport) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tests that only one of two reports names, and those that come out otherwise.

    An unstable file that does not load represents no test.
    """
    every = (*first.outcomes, *(test for test in second.outcomes if test not in first.outcomes))
    named = [test for test in every if "::" in test]
    broken = {test for each in (first, second) for test in each.red if "::" not in test}
    both = [test for test in named if test in first.outcomes and test in second.outcomes]
    otherwise = [test for test in both if _class(first.outcomes[test]) != _class(second.outcomes[test])]
    alone = [test for test in named if test not in {*both}]
    hidden = [test for test in alone if test.partition("::")[0] in broken]
    return tuple(test for test in alone if test not in {*hidden}), (*otherwise, *hidden)


def _class(outcome: Outcome) -> str:
    return "green" if outcome in GREEN else "quiet" if outcome in QUIET else "red"


def _told(result: CheckResult, found: dict[str, _Differs]) -> CheckResult:
    differs = found.get(result.evidence.check)
    if result.tests is None or differs is None:
        return result
    evidence = result.evidence.model_copy(update={"cached": result.evidence.cached and differs.cached})
    tests = result.tests.changed(unstable=differs.tests)
    return result.model_copy(update={"evidence": evidence, "tests": tests})


def _once(suite: PackageSuite, *, shuffled: bool) -> PackageSuite:
    """Return a suite that runs once, in another order where its runner takes one."""
    found = _VERSION.search(suite.program.version)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    words: tuple[str, ...] = ()
    if shuffled and suite.name == "go_test" and version >= (1, 17):
        words = (f"-shuffle={OTHER_SEED}",)
    if shuffled and suite.name == "vitest" and version[0] >= _SHUFFLES_FILES:
        words = ("--sequence.shuffle.files=true", f"--sequence.seed={OTHER_SEED}")
    asked = suite.asked.model_copy(update={"args": (*suite.asked.args, *words)})
    return replace(suite, asked=asked, flaky=FlakyRule(), footing=None)
