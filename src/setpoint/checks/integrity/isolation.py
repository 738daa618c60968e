"""Running the tests of the base where the maker's own files of tests take no part.

Files of tests that the work adds or changes are left out, or restored, in a place of their own: there the
tests of the base run first. Then the tree is checked out as it is, and of its tests those run that the base
does not hold. A new test, fixture, conftest or plug-in can so bring no test of the base to pass.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.flaky.flaky import state_of
from setpoint.checks.suites.order_dependence import reason as left_out
from setpoint.checks.suites.pytest import TestSuite
from setpoint.checks.trees.checkout import put_at, repository_of
from setpoint.model.evidence import CheckResult, CheckState, Loading, Outcome, TestReport
from setpoint.model.ids import Commit
from setpoint.ports import Check, Measured
from setpoint.system.git.git import git
from setpoint.system.git.separate_repository import repository_apart

_OF_BASE, _ADDED = "base", "added"
PARTS = tuple(f"{runner}-{part}" for runner in ("pytest", "unittest") for part in (_OF_BASE, _ADDED))
"""Names of the two runs; their tests are reported once, under the name of the runner."""
_WORSE = (
    Outcome.PASSED, Outcome.XPASSED, Outcome.FLAKY, Outcome.ORDER_DEPENDENT, Outcome.DESELECTED,
    Outcome.XFAILED, Outcome.SKIPPED, Outcome.ERROR, Outcome.FAILED,
)  # fmt: skip
"""From the best to the worst."""
_TEST_NAME = re.compile(r"test_.*\.py|.*_test\.py")
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


@dataclass(frozen=True, kw_only=True)
class Aside:
    """What has to be set aside, and where."""

    place: Path
    """A folder for the checkout, made where it is missing."""
    base: Commit
    paths: tuple[str, ...]
    """Paths on the side of the tests that differ from the base."""
    known: frozenset[str]
    """Identifiers of the tests of the base."""

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files that hold all new tests; none if any file may."""
        return self.paths if all(map(self._is_collected, self.paths)) else ()

    def _is_collected(self, path: str) -> bool:
        """Whether pytest finds a file by itself; one that is named to it runs wherever it lies."""
        known = {test.partition("::")[0] for test in self.known}
        folder, _, name = path.rpartition("/")
        beside = any(each.startswith(f"{folder}/") or not folder for each in known)
        return path in known or (beside and _TEST_NAME.fullmatch(name) is not None)

    @property
    def untouched(self) -> frozenset[str]:
        """Return the tests of the base in files that are as they were."""
        return frozenset(test for test in self.known if test.partition("::")[0] not in self.paths)

    async def as_at_base(self, measured: Measured) -> Measured:
        """Check out the tree with the files of tests as they were at the base."""
        await self.as_it_is(measured)
        index = {**_LITERAL, "GIT_INDEX_FILE": str(repository_apart(self.place) / "setpoint-aside")}
        listed = "\0".join(self.paths).encode("utf-8", "surrogateescape")
        await git(self.place, "read-tree", measured.commit, environment=index)
        words = ("reset", "--quiet", self.base, "--pathspec-from-file=-", "--pathspec-file-nul")
        await git(self.place, *words, stdin=listed, environment=index)
        tree = (await git(self.place, "write-tree", environment=index)).text
        dates = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
        made = ("commit-tree", tree, "-p", self.base, "-m", "With the tests of the base")
        commit = Commit((await git(self.place, *made, environment=dates)).text)
        await put_at(self.place, repository_of(measured.copy), commit)
        return measured._replace(copy=measured.copy._replace(path=str(self.place)))

    async def as_it_is(self, measured: Measured) -> Measured:
        """Check out the tree itself."""
        await put_at(self.place, repository_of(measured.copy), measured.commit)
        return measured._replace(copy=measured.copy._replace(path=str(self.place)))


@dataclass(frozen=True, kw_only=True)
class StandingTests:
    """The tests of the base, on the code of the work."""

    __test__ = False
    suite: TestSuite
    aside: Aside
    given: list[CheckResult]
    """Is given the result, for what is put together afterwards."""

    @property
    def name(self) -> str:
        """Name the check."""
        return f"{self.suite.name}-{_OF_BASE}"

    async def run(self, measured: Measured) -> CheckResult:
        """Run them in the place apart."""
        only = _chosen(self.suite.only, self.aside, of_base=True)
        if only == ():
            return results.unmeasured(
                self.name, measured.tree, "none of the selected tests existed at the base"
            )
        there = await self.aside.as_at_base(measured)
        result = await replace(self.suite, only=only).run(there)
        await asyncio.to_thread(_put_by, self.suite.runner.data_file)
        self.given.append(result)
        return _renamed(result, self.name)


@dataclass(frozen=True, kw_only=True)
class AddedTests:
    """The tests of new and changed files, on the tree as it is."""

    __test__ = False
    suite: TestSuite
    aside: Aside
    given: list[CheckResult]

    @property
    def name(self) -> str:
        """Name the check."""
        return f"{self.suite.name}-{_ADDED}"

    async def run(self, measured: Measured) -> CheckResult:
        """Run them in the place apart."""
        there = await self.aside.as_it_is(measured)
        only = _chosen(self.suite.only, self.aside, of_base=False)
        if only == ():
            return results.unmeasured(self.name, measured.tree, "no test asked for was added by the work")
        runner = self.suite.runner
        data = runner.data_file.with_name(f"{runner.data_file.name}.added") if runner.data_file else None
        apart = replace(runner, leave_out=self.aside.untouched, files=self.aside.files, data_file=data)
        result = await replace(self.suite, only=only, runner=apart).run(there)
        self.given.append(result)
        return _renamed(result, self.name)


@dataclass(frozen=True, kw_only=True)
class TestsTogether:
    """What both runs gave, as the project's tests; of a test that ran twice the worse outcome counts."""

    __test__ = False
    aside: Aside
    given: list[CheckResult]
    name: str
    """The runner."""

    async def run(self, measured: Measured) -> CheckResult:
        """Put the results together."""
        made = [each for each in self.given if each.state is not CheckState.NOT_MEASURED]
        if not made:
            return (
                self.given[0] if self.given else results.unmeasured(self.name, measured.tree, "no test ran")
            )
        first = made[0]
        broken = next((each for each in made if each.state is CheckState.ERROR), None)
        # A run in which no test was left tells much: those of the base are not collected any more.
        told = [each for each in self.given if each in made or (each.tests and each.tests.complete)]
        tests = _together(told, self.aside).model_copy(update={"loading": self._loading()})
        state = CheckState.ERROR if broken else state_of(tests)
        update = {
            "state": state,
            "reason": broken.evidence.reason if broken else left_out(tests),
            "counts": tests.counts,
            "duration_s": sum(each.evidence.duration_s for each in made),
        }
        return first.model_copy(update={"evidence": first.evidence.model_copy(update=update), "tests": tests})

    def _loading(self) -> Loading | None:
        """Join what the runs had loaded; also one that collected nothing loads `conftest.py`."""
        loadings = [each.tests.loading for each in self.given if each.tests and each.tests.loading]
        return reduce(Loading.joined, loadings) if loadings else None


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


def isolated(suite: TestSuite, aside: Aside | None, after: tuple[Check, ...] = ()) -> tuple[Check, ...]:
    """Return the checks that stand for a suite; those `after` it are made in the same place.

    Where nothing of the tests was added or changed, that is the suite itself.
    """
    if aside is None:
        return (suite, *after)
    given: list[CheckResult] = []
    return (
        StandingTests(suite=suite, aside=aside, given=given),
        AddedTests(suite=suite, aside=aside, given=given),
        TestsTogether(aside=aside, given=given, name=suite.name),
        *(InPlace(check=check, aside=aside) for check in after),
    )


def _chosen(only: tuple[str, ...] | None, aside: Aside, *, of_base: bool) -> tuple[str, ...] | None:
    if only is None:
        return None
    files = {test.partition("::")[0] for test in aside.known}
    return tuple(
        test for test in only if (test in aside.known or ("::" not in test and test in files)) is of_base
    )


def _together(made: list[CheckResult], aside: Aside) -> TestReport:
    """Put the reports together: a test of a changed file has to pass on the delivered tree as well."""
    reports = [each.tests for each in made if each.tests is not None]
    outcomes = dict(reports[0].outcomes)
    failures = {each.test: each for each in reports[0].failures}
    for report in reports[1:]:
        for test, outcome in report.outcomes.items():
            if test not in outcomes or _WORSE.index(outcome) > _WORSE.index(outcomes[test]):
                outcomes[test] = outcome
        failures = {each.test: each for each in report.failures} | failures
        if report.complete:
            for test in [each for each in outcomes if each.partition("::")[0] in aside.paths]:
                if test not in report.outcomes and test.partition("::")[0] not in report.outcomes:
                    del outcomes[test]  # it is no longer collected, which is for integrity to say
    return TestReport(
        outcomes=outcomes,
        failures=tuple(each for test, each in failures.items() if outcomes.get(test, Outcome.PASSED).red),
        collection_errors=tuple(
            dict.fromkeys(each for report in reports for each in report.collection_errors)
        ),
        complete=all(report.complete for report in reports),
    )


def _renamed(result: CheckResult, name: str) -> CheckResult:
    """Return the evidence alone under a name of its own; its tests are reported once, together."""
    return CheckResult(evidence=result.evidence.model_copy(update={"check": name}))


def _put_by(data: Path | None) -> None:
    """Keep the coverage data of one run from being written over by the next; both are combined later."""
    if data is not None and data.is_file():
        data.rename(data.with_name(f"{data.name}.base"))
