"""Run the tests of the base as they were, then the tests as they are now, and report them as one suite."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.flaky.flaky import Selection, state_of
from setpoint.checks.old_tests.joined import Versions
from setpoint.checks.old_tests.places import AS_NOW, OF_BASE, Aside
from setpoint.checks.run import Group
from setpoint.checks.suites.order_dependence import reason as left_out
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.pytest import Runner, TestSuite
from setpoint.model.evidence import CheckResult, CheckState, TestReport
from setpoint.ports import Check, Measured

Suite = TestSuite | PackageSuite


@dataclass(kw_only=True)
class Given:
    """What the two runs of one suite gave, for what is put together afterwards."""

    old: CheckResult | None = None
    now: CheckResult | None = None


@dataclass(frozen=True, kw_only=True)
class OldVersion:
    """The tests of the base as they were, on the code of the result."""

    suite: Suite
    aside: Aside
    given: Given

    @property
    def name(self) -> str:
        """Name the check."""
        return f"{self.suite.name}-{OF_BASE}"

    async def run(self, measured: Measured) -> CheckResult:
        """Run them in the place apart."""
        self.given.old = self.given.now = None
        only = self._chosen()
        if only == ():
            return results.unmeasured(
                self.name, measured.tree, "none of the selected tests existed at the base"
            )
        there = await self.aside.as_at_base(measured)
        self.given.old = result = await replace(self.suite, only=only).run(there)
        await asyncio.to_thread(_put_by, self.suite)
        return _renamed(result, self.name)

    def _chosen(self) -> Selection:
        if self.suite.only is None:
            return None
        known = self.aside.stood[self.suite.name].outcomes
        files = {test.partition("::")[0] for test in known}
        return tuple(
            test for test in self.suite.only if test in known or ("::" not in test and test in files)
        )


@dataclass(frozen=True, kw_only=True)
class NewVersion:
    """The tests as they are now, on the result; of Python's only those that may come out otherwise."""

    suite: Suite
    aside: Aside
    given: Given

    @property
    def name(self) -> str:
        """Name the check."""
        return f"{self.suite.name}-{AS_NOW}"

    async def run(self, measured: Measured) -> CheckResult:
        """Run them in the place apart, too: there paths in coverage are the same, and files have new dates.

        Cargo builds what is newer than the last build, wherever it lies.
        """
        only = self._chosen()
        if only == ():
            return results.unmeasured(
                self.name, measured.tree, "no selected test is another one than at the base"
            )
        suite = replace(self.suite, only=only)
        if isinstance(suite, TestSuite):
            suite = replace(suite, runner=self._runner(suite))
        self.given.now = result = await suite.run(await self.aside.as_it_is(measured))
        return _renamed(result, self.name)

    def _runner(self, suite: TestSuite) -> Runner:
        runner = suite.runner
        data = runner.data_file.with_name(f"{runner.data_file.name}.{AS_NOW}") if runner.data_file else None
        if self._everything:
            return replace(runner, data_file=data)
        return replace(runner, leave_out=self.aside.untouched, files=self.aside.files, data_file=data)

    @property
    def _everything(self) -> bool:
        """Whether all tests run: those that nothing can have changed, too."""
        broken = self.given.old is not None and self.given.old.state is CheckState.ERROR
        return isinstance(self.suite, PackageSuite) or broken or bool(self.aside.reaching)

    def again(self, test: str) -> bool:
        """Whether a test would run."""
        return self._everything or self.aside.touches(test)

    def _chosen(self) -> Selection:
        if self.suite.only is None:
            return None
        known = self.aside.stood[self.suite.name].outcomes
        return tuple(test for test in self.suite.only if test not in known or self.again(test))


@dataclass(frozen=True, kw_only=True)
class BothVersions:
    """What both runs gave, as the project's tests."""

    new: NewVersion
    given: Given

    @property
    def name(self) -> str:
        """Name the check: the runner."""
        return self.new.suite.name

    async def run(self, measured: Measured) -> CheckResult:
        """Put the results together."""
        old, now = self.given.old, self.given.now
        made = [each for each in (old, now) if each is not None and each.state is not CheckState.NOT_MEASURED]
        if not made:
            return old or now or results.unmeasured(self.name, measured.tree, "no test ran")
        broken = next((each for each in (now, old) if each and each.state is CheckState.ERROR), None)
        if broken is old and broken and not broken.evidence.fault and now in made:
            broken = None  # the tests cannot run as they were, and run as they are now
        tests = self._report(old, now)
        state = CheckState.ERROR if broken else state_of(tests)
        first = broken or made[0]
        update = {
            "state": state,
            "reason": broken.evidence.reason if broken else left_out(tests),
            "fault": broken.evidence.fault if broken else None,
            "counts": tests.counts,
            "duration_s": sum(each.evidence.duration_s for each in made),
        }
        return first.model_copy(update={"evidence": first.evidence.model_copy(update=update), "tests": tests})

    def _report(self, old: CheckResult | None, now: CheckResult | None) -> TestReport:
        base = self.new.aside.stood[self.name]
        before, after = (each.tests if each else None for each in (old, now))
        if after is None:
            return before.changed(as_they_were=before.outcomes) if before else TestReport(outcomes={})
        if old is None:
            return after.changed(as_they_were={})
        usable = before if old.state is not CheckState.ERROR else None
        edited = self.new.aside.edits
        return Versions(base=base, old=usable, now=after, again=self.new.again, edited=edited).joined()


@dataclass(frozen=True, kw_only=True)
class InPlace:
    """Another check, made in the place apart, where the tree is unchanged."""

    check: Check
    aside: Aside

    @property
    def name(self) -> str:
        """Name the check."""
        return self.check.name

    async def run(self, measured: Measured) -> CheckResult:
        """Make it there."""
        return await self.check.run(await self.aside.as_it_is(measured))


def in_both_versions(suite: Suite, aside: Aside | None, after: tuple[Check, ...] = ()) -> tuple[Check, ...]:
    """Return the checks that stand for a suite; those `after` it are made in the same place.

    That is the suite itself where nothing on the side of its tests differs from the base.
    """
    if aside is None or suite.name not in aside.stood or not aside.concerns(suite.name):
        return (suite, *after)
    given = Given()
    new = NewVersion(suite=suite, aside=aside, given=given)
    return (
        OldVersion(suite=suite, aside=aside, given=given),
        new,
        BothVersions(new=new, given=given),
        *(InPlace(check=check, aside=aside) for check in after),
    )


def packages_in_both(group: Group, aside: Aside | None) -> Group:
    """Let the suite of packages in a group run in both versions, too."""
    (suite,) = group.checks
    if not isinstance(suite, PackageSuite) or group.identity is None or aside is None:
        return group
    checks = in_both_versions(suite, aside)
    return replace(group, checks=checks, identity=(*group.identity, *aside.identity))


def _renamed(result: CheckResult, name: str) -> CheckResult:
    """Return the evidence alone under a name of its own; its tests are reported once, together."""
    return CheckResult(evidence=result.evidence.model_copy(update={"check": name}))


def _put_by(suite: Suite) -> None:
    """Keep the coverage data of one run from being written over by the next; both are combined later."""
    data: Path | None = suite.runner.data_file if isinstance(suite, TestSuite) else None
    if data is not None and data.is_file():
        data.rename(data.with_name(f"{data.name}.{OF_BASE}"))
