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


def collected(tests: Iterable[str]) -> frozenset[str]:
    """Return the Python files that hold these tests; examples in docstrings make no file one of tests."""
    found = set()
    for test in tests:
        path, _, rest = test.partition("::")
        first = rest.partition("::")[0].partition("[")[0]
        stem = path.rpartition("/")[2].removesuffix(".py")
        if path.endswith(".py") and first.isidentifier() and first != stem:
            found.add(path)
    return frozenset(found)
