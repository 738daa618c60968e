# ruff: noqa: ANN401 - the objects of pytest have other types in each of the versions we meet
"""A pytest plugin that notes which functions of the project each test reached, as one JSON file at the end.

The report plugin registers it where a map is asked for. A function is named by its file and the line it
begins at; `tests` and `imports` point into `sets`, and these into `points`. What a fixture of a wider scope
did counts for each test that used it, what the import of a test file did for all tests of that file, and what
conftest files and first imports of the project's own modules did, for all (`shared`). The point `["", 0]`
stands for what cannot be seen: another process, a thread that the tracer is not told of.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035 - where Python 3.8 has it

import pytest

_tracers: Any = importlib.import_module("setpoint_tracers")  # beside this file, on the path of tests alone

_STARTS = frozenset(
    (
        "subprocess.Popen",
        "os.system",
        "os.fork",
        "os.forkpty",
        "os.exec",
        "os.posix_spawn",
        "os.spawn",
        "pty.spawn",
    )
)
_THREAD = "_thread.start_new_thread"
_HEARD = frozenset((*_STARTS, _THREAD, "exec", "open", "os.listdir", "os.scandir"))
_SERVERS = ("popen_spawn_posix.py", "popen_forkserver.py")
"""Files of `multiprocessing` that begin a process, of which no event tells but the pipe that they open."""
_LISTENING: list[Reach] = []
_LISTING = ("<frozen importlib", str(Path(pytest.__file__).parent.parent / "_pytest"))
_FOREIGN = -1


class Reach:
    """Follows collection, fixtures and tests, and writes what each of them reached."""

    def __init__(self, path: str) -> None:
        """Write to `path` when the session ends."""
        self._path = path
        self._process = os.getpid()
        self._root = str(Path.cwd()) + os.sep
        self._tracer: Any = _tracers.chosen(self._number_of)
        self._points: dict[tuple[str, int], int] = {_tracers.UNSEEN: 0}
        self._numbers: dict[tuple[str, int], int] = {}
        self._now: set[int] = set()
        self._outer: list[set[int]] = []
        self._shared: set[int] = set()
        self._imports: dict[str, set[int]] = {}
        self._tests: dict[str, tuple[set[int], Any]] = {}
        """By test: what it reached, and the names of the fixtures that it uses; none where it may use all."""
        self._fixtures: dict[Any, set[int]] = {}
        self._open: list[Any] = []
        self._durations: dict[str, float] = {}
        self._data: set[str] = set()
        self._listed: set[str] = set()
        self._first = False
        self._on = True
        self._traced = False
        self._importing = ""
        _LISTENING[:] = [self]
        sys.addaudithook(_hook)

    def begin(self) -> None:
        """Note from here on, apart from what was begun before: collecting a folder collects its files."""
        if self._outer:
            self._take()
        else:
            self._traced = self._tracer.start()
        self._outer.append(self._now)
        self._now = set() if self._traced else {0}

    def end(self) -> set[int]:
        """Return all since `begin`, and stop where nothing else was begun before."""
        if len(self._outer) == 1 and self._traced and not self._tracer.stop():
            self._now.add(0)
        self._take()
        got, self._now = self._now, self._outer.pop()
        return got

    def loaded(self) -> None:
        """Count what the first conftest files did for all tests."""
        self._shared |= self.end()

    def _take(self) -> set[int]:
        got: set[int] = self._tracer.take()
        got.discard(_FOREIGN)
        self._now |= got
        return got

    def _number_of(self, place: tuple[str, int]) -> int:
        number = self._numbers.get(place)
        if number is None:
            file, line = place
            if file.startswith(self._root):
                number = self._points.setdefault((file[len(self._root) :], line), len(self._points))
            else:
                number = _FOREIGN if file else 0
            self._numbers[place] = number
        return number

    def audited(self, event: str, args: tuple[Any, ...]) -> None:
        """Note processes, threads and files of which the tracer says nothing."""
        if not self._on:
            return
        if event == "open":
            if isinstance(args[0], int):
                self._opened(sys._getframe(2).f_code.co_filename)  # noqa: SLF001 - documented; past the hook
            elif args[1] is not None or str(args[0]).startswith(
                "/"
            ):  # else it may be relative to another folder
                self._touched(self._data, args[0])
        elif event in ("os.listdir", "os.scandir"):
            if not sys._getframe(2).f_code.co_filename.startswith(_LISTING):  # noqa: SLF001 - as above
                self._touched(self._listed, args[0])
        elif event == "exec":
            self._first = self._first or self._of_project(args[0])
        elif event in _STARTS or (event == _THREAD and not isinstance(_owner(args[0]), threading.Thread)):
            self._now.add(0)

    def _opened(self, by: str) -> None:
        """Count a process that `multiprocessing` begins; one begun between tests may serve all of them."""
        if by.endswith(_SERVERS):
            (self._now if self._outer else self._shared).add(0)

    def _of_project(self, code: Any) -> bool:
        """Whether this is the import of a file of the project, other than the test file under way."""
        file = getattr(code, "co_filename", "")
        return (
            getattr(code, "co_name", "") == "<module>"
            and file.startswith(self._root)
            and file != self._importing
        )

    def _touched(self, places: set[str], path: Any) -> None:
        if isinstance(path, (str, bytes)) or path is None:
            place = os.path.abspath(os.fsdecode(path or "."))  # noqa: PTH100 - links are not to be followed
            if (place + os.sep).startswith(self._root) and not place.endswith((".py", ".pyc")):
                places.add(place[len(self._root) :])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Iterator[None]:
        """Note what the import of a test file does, for its tests; what other collectors do, for all."""
        if isinstance(collector, pytest.Class):
            yield
            return
        of_file = isinstance(collector, pytest.Module)
        if of_file:
            self._first, self._importing = False, str(getattr(collector, "path", None) or collector.fspath)
        self.begin()
        yield
        got = self.end()
        if of_file:
            self._imports.setdefault(collector.nodeid, set()).update(got)
        if self._first or not of_file:
            self._shared |= got

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Note what a test reaches, its fixtures included."""
        began = time.perf_counter()
        self.begin()
        yield
        got = self.end()
        self._durations[item.nodeid] = time.perf_counter() - began
        names: Any = getattr(item, "fixturenames", None)
        asks = names is None or "request" in names  # it may take any fixture, by its name
        self._tests[item.nodeid] = (got, None if asks else frozenset(names))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: Any, nextitem: Any) -> None:
        """Keep apart what a test did and what the end of fixtures does, where others use them too."""
        if nextitem is None or nextitem.parent is not item.parent:
            self._take()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Note what a fixture does that outlives the test."""
        if fixturedef.scope == "function":
            yield
            return
        self._take()
        unseen = 0 in self._now
        self._now.discard(0)
        self._open.append(fixturedef)
        yield
        got = self._take() | ({0} & self._now)
        for each in self._open:
            self._fixtures.setdefault(each, set()).update(got)
        self._open.pop()
        if unseen:
            self._now.add(0)

    def pytest_fixture_post_finalizer(self, fixturedef: Any) -> None:
        """Note what the end of such a fixture does."""
        if fixturedef.scope != "function" and fixturedef in self._fixtures:
            self._fixtures[fixturedef] |= self._take()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """Note nothing more; write the map after all others."""
        self._on = False
        yield
        _LISTENING.clear()
        if os.getpid() == self._process:
            self._write()

    def _write(self) -> None:
        sets: dict[tuple[int, ...], int] = {}

        def numbered(points: set[int]) -> int:
            return sets.setdefault(tuple(sorted(points)), len(sets))

        tests = {
            test: numbered(
                got.union(
                    *(
                        reached
                        for each, reached in self._fixtures.items()
                        if names is None or each.argname in names
                    )
                )
            )
            for test, (got, names) in self._tests.items()
        }
        imports = {file: numbered(got) for file, got in self._imports.items()}
        answer = {
            "points": list(self._points),
            "tests": tests,
            "imports": imports,
            "shared": numbered(self._shared),
            "durations": {test: round(seconds, 5) for test, seconds in self._durations.items()},
            "data": sorted(self._data),
            "listed": sorted(self._listed),
            "sets": list(sets),
        }
        Path(self._path).write_text(json.dumps(answer), "utf-8")


def _owner(function: Any) -> Any:
    return getattr(function, "__self__", None)


def _hook(
    event: str, args: Any, wanted: frozenset[str] = _HEARD, listening: list[Reach] = _LISTENING
) -> None:
    # No more than this: some libraries raise a hundred thousand audits a minute, and some when the names of
    # this module are gone.
    __tracebackhide__ = True
    if event in wanted and listening:
        listening[0].audited(event, args)
