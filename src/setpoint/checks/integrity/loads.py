"""What the process of the tests loads before it comes to them, compared with the base.

Code that runs there can change how tests are collected and judged. How it gets there does not matter: a
`.pth` file, an option in the settings, an entry point, an archive on the path, an import in a `conftest.py`.
The report of the tests says what was loaded. Code that hides itself is not seen here; the names that Python
and pytest load unasked are known besides (`paths.startup_paths`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from setpoint.model.evidence import Loading
from setpoint.model.finding import Category, Finding, Severity

_IMPORT = re.compile(r"^\s*(?:from|import)\s+(?P<names>\w[^#\n]*)", re.MULTILINE)
_UNASKED = "is loaded as pytest starts, before any test or conftest.py; the base does not load it there"
_EARLY = "is loaded before the tests, and neither they nor the sources import it"
_DETAIL = (
    "What runs before the tests can decide what they say. Import the code from the tests or the sources that "
    "need it. If the project needs this, say why, and a person can release the file."
)


@dataclass(frozen=True, kw_only=True)
class Loads:
    """What was loaded before the tests of the work, beside what the base loaded."""

    base: Loading
    now: Loading
    changed: Collection[str]
    """Files that the work added, changed or deleted."""
    tests: tuple[str, ...] = ()
    """Sources of the tests, as they are now."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Sources of the files that the work added or changed."""
    apart: Collection[str] = ()
    """Changed files of tests: the tests of the base run without them, so they may help each other."""

    def findings(self) -> Iterator[Finding]:
        """Yield one finding for each file that the work had loaded."""
        seen: set[str] = set()
        for said, modules in ((_UNASKED, self._unasked()), (_EARLY, self._early())):
            for path in modules:
                if path not in seen and not _is_conftest(path):
                    seen.add(path)
                    yield _found(path, said)

    def _unasked(self) -> Iterator[str]:
        """Yield what starts with the interpreter or pytest; a package that did so before may grow."""
        known = {_top(name) for name, path in self.base.unasked if not _outside(path)}
        before = {path for _, path in self.base.before_tests}
        for name, path in self.now.unasked:
            if path not in before if _outside(path) else _top(name) not in known:
                yield self._changed_file(path) or path

    def _early(self) -> Iterator[str]:
        """Yield what the work brings before the tests, beside what the base, tests and sources load."""
        for name, path in self.now.before_tests:
            file = self._changed_file(path)
            if file and file not in self.apart and _top(name) not in self._expected:
                yield file

    @cached_property
    def _expected(self) -> frozenset[str]:
        """Top-level modules that the base loads for its tests, or that tests and those modules import."""
        expected = {*self.base.names, *(name for text in self.tests for name in _imported(text))}
        files = {path: _top(name) for name, path in self.now.before_tests if path in self.sources}
        left = {path: name for path, name in files.items() if not _is_conftest(path)}
        while ready := [path for path, name in left.items() if name in expected]:
            expected |= {name for path in ready for name in _imported(self.sources[path])}
            left = {path: name for path, name in left.items() if path not in ready}
        return frozenset(expected)

    def _changed_file(self, path: str) -> str:
        """Return the file of the work that a module comes from, an archive perhaps; empty if it is none."""
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((each for each in above if each in self.changed), "")


def _top(name: str) -> str:
    return name.partition(".")[0]


def _is_conftest(path: str) -> bool:
    return path.rpartition("/")[2] == "conftest.py"


def _imported(source: str) -> Iterator[str]:
    """Yield the words of import statements: more than the names of modules, and all of those."""
    for found in _IMPORT.finditer(source):
        yield from (_top(word.strip(",")) for word in found["names"].split())


def _outside(path: str) -> bool:
    return path.startswith("/")


def _found(path: str, said: str) -> Finding:
    return Finding(
        source="integrity",
        rule="startup",
        severity=Severity.CRITICAL,
        category=Category.INTEGRITY,
        message=f"{path}: {said}",
        file="" if _outside(path) else path,
        detail=_DETAIL,
    )
