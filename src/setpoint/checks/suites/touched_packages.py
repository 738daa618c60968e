"""Which of a runner's tests a change can reach, where a repository holds several packages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from setpoint.checks.discovery.layout import Layout
from setpoint.checks.discovery.workspaces import Touched, within
from setpoint.checks.run import Group, Unmeasured
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.model.changes.test_paths import is_test_path

MOST_EARLY = 0.5
"""Where a change reaches more than this share of the packages, they wait for the whole suite."""


@dataclass(frozen=True, kw_only=True)
class FastLane:
    """What is run of the suites of packages before the whole suite decides."""

    layout: Layout
    touched: Touched | None
    """None where it is not known what changed."""
    alone: bool
    """Whether nothing comes after it: then what a change can reach runs, however much it is."""

    def suite(self, whole: Group, only: tuple[str, ...], again: Group | None) -> Iterator[Group]:
        """Yield the check of the touched packages, else `again`: that of tests that failed before, `only`."""
        suite, part = whole.checks[0], None
        known = isinstance(suite, PackageSuite) and self.touched is not None
        if isinstance(suite, PackageSuite) and self.touched is not None:
            part = (narrowed if self.alone else early)(suite, self.layout, self.touched)
        if self.alone:
            words = self.touched.words if self.touched else ""
            untouched = Unmeasured(name=suite.name, reason=f"not run: the change touches {words}")
            yield _of(part) if part else Group(checks=(untouched,), identity=None) if known else whole
        elif part is not None and holds_all(part, self.layout, only):
            yield _of(part)
        elif again is not None:
            yield again


def _of(suite: PackageSuite) -> Group:
    return Group(checks=(suite,), identity=suite.identity)


def narrowed(suite: PackageSuite, layout: Layout, touched: Touched) -> PackageSuite | None:
    """Return a suite with the touched packages alone; none where it has none of them."""
    if touched.everything:
        return suite
    folders = tuple(each for each in suite.folders if touched.holds(each))
    if not folders:
        return None
    members = _members(suite, layout, touched)
    if folders == suite.folders and not members:
        return suite
    return replace(suite, folders=folders, members=members, part=touched.words)


def early(suite: PackageSuite, layout: Layout, touched: Touched) -> PackageSuite | None:
    """Return the part of a suite that is worth running before the whole; none where it is not."""
    part = narrowed(suite, layout, touched)
    if part is None or not part.part:
        return None
    every = layout.workspaces.members("", "rust") if part.members else suite.folders
    return part if len(part.members or part.folders) <= MOST_EARLY * len(every) else None


def holds_all(suite: PackageSuite, layout: Layout, tests: Iterable[str]) -> bool:
    """Whether a part of a suite runs all of some tests."""
    names = {each.folder: each.name for each in layout.workspaces.packages if each.language == "go"}
    crates = [each.folder for each in layout.workspaces.packages if each.name in suite.members]
    for test in tests:
        place = test.partition("::")[0]
        at = (names.get(each, each) for each in suite.folders) if suite.name == "go_test" else suite.folders
        if not any(within(place, each) for each in (crates or at)):
            return False
    return True


def touched_tests(layout: Layout, touched: Touched, files: Collection[str]) -> tuple[str, ...]:
    """Return the files of tests of the touched packages that run pytest apart."""
    folders = [root.folder for root in layout.test_roots if touched.holds(root.folder)]
    named = (each for each in files if each.endswith(".py") and not each.endswith("conftest.py"))
    return tuple(
        sorted(each for each in named if is_test_path(each) and any(within(each, at) for at in folders))
    )


def share_of(layout: Layout, touched: Touched) -> float:
    """Return the share of the packages that run pytest apart which a change reaches."""
    count = sum(touched.holds(root.folder) for root in layout.test_roots)
    return count / len(layout.test_roots) if layout.test_roots else 1.0


def _members(suite: PackageSuite, layout: Layout, touched: Touched) -> tuple[str, ...]:
    """Name the touched crates of a workspace that is tested as one; empty where all are to be tested."""
    if suite.name != "cargo_test" or suite.folders != ("",):
        return ()
    every = layout.workspaces.members("", "rust")
    chosen = tuple(each.name for each in every if each.folder in touched.reasons)
    return chosen if all(chosen) and len(chosen) < len(every) else ()
