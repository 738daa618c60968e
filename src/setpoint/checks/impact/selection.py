"""Choosing the tests that a change can reach; in doubt all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from setpoint.checks.impact.changed_functions import Difference, difference
from setpoint.checks.impact.imports import importers
from setpoint.checks.impact.reach_map import UNSEEN, Reach
from setpoint.model.changes.test_paths import is_test_path

_DECIDES_ALL = frozenset(
    (
        ".toml",
        ".cfg",
        ".ini",
        ".lock",
        ".pth",
        ".so",
        ".pyd",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".pyx",
        ".pxd",
        ".rs",
    )
)
"""Kinds of files that tests depend on without opening them: configuration, and what is compiled."""

Fetch = Callable[[Iterable[str]], Awaitable[Mapping[str, bytes]]]
"""Gives the contents of files by their ids; ids that are not there any more are left out."""


@dataclass(frozen=True, kw_only=True)
class Impact:
    """The tests that a change can reach."""

    everything: bool = False
    why: str = ""
    """Why it is everything."""
    names: frozenset[str] = frozenset()
    """Identifiers of tests, and of files of which all tests are meant."""
    share: float = 1.0
    """Their share of the seconds that all tests took, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class _Change:
    """The difference of a tree from that of the map."""

    reach: Reach
    now: Mapping[str, str]
    roots: Collection[str]
    paths: frozenset[str] = frozenset()

    @property
    def before(self) -> Mapping[str, str]:
        return self.reach.blobs


@dataclass(kw_only=True)
class _Found:
    names: set[str] = field(default_factory=set)
    points: set[int] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    """Python files of which what runs at import changed."""


async def choose(reach: Reach, now: Mapping[str, str], roots: Collection[str], fetch: Fetch) -> Impact:
    """Choose from a map the tests that reach what is different in another tree.

    `now` gives the id of each file's content in that tree, `roots` the folders that imports begin at.
    """
    paths = frozenset(path for path in {*reach.blobs, *now} if reach.blobs.get(path) != now.get(path))
    change = _Change(reach=reach, now=now, roots=roots, paths=paths)
    for path in sorted(paths):
        if not path.endswith(".py") and (why := _decides_all(path, change)):
            return Impact(everything=True, why=why)
    python = sorted(path for path in paths if path.endswith(".py"))
    contents = await fetch(
        {blobs[path] for path in python for blobs in (change.before, now) if path in blobs}
    )
    found = await asyncio.to_thread(_differences, python, change, contents)
    if found.whole:
        found.names |= await _users(found.whole, change, fetch)
    if not all(_of_tests_alone(path, change) for path in paths):
        found.points.add(UNSEEN)  # what another process or thread uses, nobody saw
    if not reach.shared.isdisjoint(found.points):
        return Impact(everything=True, why="what changed runs before the tests begin")
    names = found.names | reach.tests_reaching(frozenset(found.points))
    names -= reach.idle - paths
    return Impact(names=frozenset(names), share=_share(names, reach))


def _decides_all(path: str, change: _Change) -> str:
    name = PurePosixPath(path)
    if name.suffix in _DECIDES_ALL or name.name.startswith("requirements"):
        return f"{path} changed, which may decide about every test"
    if path in change.reach.raw.data:
        return f"{path} changed, which tests read"
    gone_or_new = path not in change.now or path not in change.before
    folder = "" if name.parent.as_posix() == "." else name.parent.as_posix()
    if gone_or_new and folder in change.reach.raw.listed:
        return f"{path} came or went, and tests list its folder"
    return ""


def _differences(python: list[str], change: _Change, contents: Mapping[str, bytes]) -> _Found:
    found = _Found()
    for path in python:
        old, new = (contents.get(blobs.get(path, "")) for blobs in (change.before, change.now))
        if path.endswith("conftest.py"):
            found.names |= _below(path, change)
        elif _holds_tests(path, change):
            found.names |= {path} & change.now.keys()
        what = Difference(whole=True) if old is None or new is None else difference(old, new)
        if what.whole:
            found.whole.add(path)
        found.points |= change.reach.points_of(path, what.lines)
    return found


async def _users(whole: set[str], change: _Change, fetch: Fetch) -> set[str]:
    """Return the test files that import any of the files, also by way of others."""
    python = {path: blob for path, blob in change.now.items() if path.endswith((".py", ".pyi"))}
    texts = await fetch(set(python.values()))
    sources = {path: texts.get(blob, b"") for path, blob in python.items()}
    sources |= {path: b"" for path in whole if path not in sources}
    names: set[str] = set()
    for path in await asyncio.to_thread(importers, whole, sources, change.roots):
        if path.endswith("conftest.py"):
            names |= _below(path, change)
        elif path in change.now and _holds_tests(path, change):
            names.add(path)
    return names


def _below(conftest: str, change: _Change) -> set[str]:
    folder = conftest.removesuffix("conftest.py")
    return {path for path in change.now if path.startswith(folder) and _holds_tests(path, change)}


def _holds_tests(path: str, change: _Change) -> bool:
    """Whether pytest collects a file: it did, or it is new and named so."""
    if path in change.reach.raw.imports:
        return True
    return path not in change.before and path.endswith(".py") and is_test_path(path)


def _of_tests_alone(path: str, change: _Change) -> bool:
    """Whether only pytest itself reads a file; a module or data beside the tests may serve any process."""
    name = path.rpartition("/")[2]
    if path in change.reach.raw.imports or name == "conftest.py":
        return True
    return path not in change.before and name.endswith(".py") and name.startswith("test_")


def fitting(reach: Reach, impact: Impact, share: float) -> tuple[str, ...]:
    """Return the tests that fit a share of the seconds that all took: what a change reaches first.

    Of these, and of the others, the shortest come first.
    """
    left_s = share * reach.total_s
    first = {test for test in reach.raw.durations if impact.everything or _meant(test, impact.names)}
    ordered = sorted(reach.raw.durations.items(), key=lambda each: (each[0] not in first, each[1]))
    taken = []
    for test, seconds in ordered:
        left_s -= seconds
        if left_s < 0:
            break
        taken.append(test)
    return tuple(taken)


def _share(names: Collection[str], reach: Reach) -> float:
    meant = sum(seconds for test, seconds in reach.raw.durations.items() if _meant(test, names))
    return meant / reach.total_s if reach.total_s else 1.0


def _meant(test: str, names: Collection[str]) -> bool:
    return test in names or test.partition("::")[0] in names
