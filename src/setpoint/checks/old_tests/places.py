"""The place in which the tests of the base run as they were, on the code of the result.

There every path on the side of the tests that the change touched is as it was at the base: tests and what
lies beside them, the files from which runners start, their settings in files that hold others too, and the
tests inside sources. Everything else is the result.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks.languages.all import language_of
from setpoint.checks.old_tests.start_files import is_start_file, same_settings, shares_settings
from setpoint.checks.trees.checkout import nothing_more, put_at, repository_of
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import SUITES, TestReport
from setpoint.model.ids import Commit
from setpoint.ports import Measured
from setpoint.system.git.git import contents, files_at, git
from setpoint.system.git.separate_repository import repository_apart

OF_BASE, AS_NOW = "base", "now"
PARTS = tuple(f"{runner}-{part}" for runner in SUITES for part in (OF_BASE, AS_NOW))
"""Names of the two runs of a suite; their tests are reported once, under the name of the runner."""
PYTHON = ("pytest", "unittest")
_TEST_NAME = re.compile(r"test_.*\.py|.*_test\.py")
_SCRIPT = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte|snap|go|rs)$")
_SCRIPT_TESTS = re.compile(r"\.[cm]?[jt]sx?$")
_FILE = re.compile(r"\.(?:py|rs|[cm]?[jt]sx?|vue|svelte)$")
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


@dataclass(frozen=True, kw_only=True)
class Aside:
    """What is put as it was at the base, and where."""

    place: Path
    """A folder for the checkout, made where it is missing."""
    base: Commit
    paths: tuple[str, ...]
    """Paths on the side of the tests that differ from the base."""
    known: frozenset[str]
    """Identifiers of the tests of the base that a runner of Python ran."""
    inline: tuple[str, ...] = ()
    """Sources whose code stays, and whose inner tests are as they were."""
    reaching: frozenset[str] = frozenset()
    """Those of `paths` that other tests than their own may depend on."""
    stood: Mapping[str, TestReport] = field(default_factory=dict)
    """What each runner gave at the base."""
    link: Callable[[Path], Awaitable[None]] = nothing_more
    """Brings what the user has installed beside the tree into the checkout."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Return all that decides what is as it was at the base."""
        return ("aside", *self.paths, "inline", *self.inline)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files that hold all tests that may come out otherwise; none if any file may."""
        return self.paths if all(map(self._is_collected, self.paths)) else ()

    def _is_collected(self, path: str) -> bool:
        """Whether pytest finds a file by itself; one that is named to it runs wherever it lies."""
        known = {test.partition("::")[0] for test in self.known}
        folder, _, name = path.rpartition("/")
        beside = any(each.startswith(f"{folder}/") or not folder for each in known)
        return path in known or (beside and _TEST_NAME.fullmatch(name) is not None)

    @property
    def untouched(self) -> frozenset[str]:
        """Return the tests of the base that nothing on their side can have changed."""
        return frozenset(test for test in self.known if not self.touches(test))

    def touches(self, test: str) -> bool:
        """Whether a test of Python may come out otherwise as it is now."""
        return bool(self.reaching) or test.partition("::")[0] in self.paths

    def edits(self, test: str) -> bool:
        """Whether the change touched the file that holds a test; a package of Go has none."""
        file = test.partition("::")[0]
        return not _FILE.search(file) or file in self.paths or file in self.inline

    def concerns(self, runner: str) -> bool:
        """Whether what changed can belong to the tests of a runner."""
        changed = (*self.paths, *self.inline)
        if runner in PYTHON:
            return not all(map(_SCRIPT.search, changed))
        return not all(path.endswith((".py", ".pyi")) for path in changed)

    async def as_at_base(self, measured: Measured) -> Measured:
        """Check out the tree with the side of the tests as it was at the base."""
        await self.as_it_is(measured)
        index = {**_LITERAL, "GIT_INDEX_FILE": str(repository_apart(self.place) / "setpoint-aside")}
        listed = "\0".join(self.paths).encode("utf-8", "surrogateescape")
        await git(self.place, "read-tree", measured.commit, environment=index)
        if self.paths:
            words = ("reset", "--quiet", self.base, "--pathspec-from-file=-", "--pathspec-file-nul")
            await git(self.place, *words, stdin=listed, environment=index)
        await self._put_inline(measured.commit, index)
        tree = (await git(self.place, "write-tree", environment=index)).text
        dates = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
        made = ("commit-tree", tree, "-p", self.base, "-m", "With the tests of the base")
        commit = Commit((await git(self.place, *made, environment=dates)).text)
        return await self._put(measured, commit)

    async def _put_inline(self, commit: Commit, index: Mapping[str, str]) -> None:
        """Put the inner tests of the base into sources of the result."""
        if not self.inline:
            return
        before, after = [await contents(self.place, each, self.inline) for each in (self.base, commit)]
        for path in before.keys() & after.keys():
            if (language := language_of(path)) is not None:
                text = language.with_tests_of(after[path], before[path], path)
                blob = (await git(self.place, "hash-object", "-w", "--stdin", stdin=text)).text
                entry = f"100644 {blob}\t{path}\0".encode("utf-8", "surrogateescape")
                await git(self.place, "update-index", "-z", "--index-info", stdin=entry, environment=index)

    async def as_it_is(self, measured: Measured) -> Measured:
        """Check out the tree itself."""
        return await self._put(measured, measured.commit)

    async def _put(self, measured: Measured, commit: Commit) -> Measured:
        await put_at(self.place, repository_of(measured.copy), commit)
        await self.link(self.place)
        return measured._replace(copy=measured.copy._replace(path=str(self.place)))


@dataclass(frozen=True, kw_only=True)
class TestsSide:
    """What of a change lies on the side of the tests."""

    __test__ = False
    paths: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    reaching: frozenset[str] = frozenset()


async def side_of_tests(
    root: Path | str, base: Commit, head: Commit, changed: Iterable[str], tests: Collection[str]
) -> TestsSide:
    """Sort out which of the changed paths lie on the side of the tests.

    Args:
        root: A repository that holds both commits.
        base: The commit whose tests are kept.
        head: The result.
        changed: Paths that differ between them.
        tests: Identifiers of the tests of the base.

    """
    paths, at_base = list(changed), set(await files_at(root, base))
    of_tests = collected(tests)
    scripts = {file for test in tests if _SCRIPT_TESTS.search(file := test.partition("::")[0])}
    sure = [each for each in paths if is_test_path(each) or each in of_tests or is_start_file(each)]
    asked = [each for each in paths if each not in sure]
    asked = [each for each in asked if shares_settings(each) or each in scripts or language_of(each)]
    before, after = [await contents(root, each, asked) for each in (base, head)]
    sure += [each for each in before if each in scripts and not _inside(each, before[each])]
    shared = [
        each
        for each in asked
        if shares_settings(each) and not same_settings(each, before.get(each), after.get(each))
    ]
    both = before.keys() & after.keys() - {*sure, *shared}
    inline = [each for each in both if _inside(each, before[each]) or _inside(each, after[each])]
    chosen = tuple(each for each in paths if each in {*sure, *shared})
    own = {each for each in chosen if each in of_tests or _TEST_NAME.fullmatch(each.rpartition("/")[2])}
    reaches = {each for each in chosen if each in at_base or is_start_file(each) or each in shared}
    return TestsSide(paths=chosen, inline=tuple(sorted(inline)), reaching=frozenset(reaches - own))


def _inside(path: str, text: bytes) -> frozenset[str]:
    """Return the names of the tests inside a source."""
    language = language_of(path)
    return language.inline_tests(path, text) if language is not None else frozenset()


def collected(tests: Iterable[str]) -> frozenset[str]:
    """Return the files that hold these tests alone; examples in docstrings make no file one of tests."""
    found = set()
    for test in tests:
        path, _, rest = test.partition("::")
        first = rest.partition("::")[0].partition("[")[0]
        stem = path.rpartition("/")[2].removesuffix(".py")
        is_example = first == stem and not is_test_path(path)  # of the module's own docstring
        if path.endswith(".py") and first.isidentifier() and not is_example:
            found.add(path)
    return frozenset(found)
