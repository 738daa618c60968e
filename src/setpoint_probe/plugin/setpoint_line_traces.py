# ruff: noqa: ANN401 - the objects of pytest have other types in each of the versions we meet
"""A pytest plugin that writes which lines of the project each test runs, as JSON lines, one test a line.

It is loaded with `-p setpoint_line_traces`, beside the report plugin, and told by the variable
`SETPOINT_REPORT_TRACE` the path of its order, a JSON object: `report` is the file to write; `files` are the
absolute paths of the code that matters; `first` the failing tests, which run before all others; `then` the
test files in the order in which their tests follow; `limit_s` the seconds after which no test is begun.

Failing tests come first because what they run is all that matters: of the tests after them only the functions
that failing ones have entered are traced, and of a function called again and again only its first calls.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Iterator  # noqa: UP035 - where Python 3.8 has it

import pytest

_tracers: Any = importlib.import_module("setpoint_tracers")  # beside this file, on the path of tests alone
_OPTIMISED = 1
"""Flag of the code of functions; modules and classes have it not."""
_STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system"})
"""Events of the interpreter that begin a process."""
_MOST_STARTS = 5
_MOST_CALLS = 2000
"""Calls of one function that are followed in one test."""


class Tracer:
    """Follows the lines of the functions of some files."""

    def __init__(self, files: Iterator[str]) -> None:
        """Follow the functions in `files`, all of them until `only_known` is called."""
        self._files = {name: number for number, name in enumerate(files)}
        self._numbers: dict[CodeType, int | None] = {}
        self._closed = False
        self._calls: dict[CodeType, int] = {}
        self._seen: dict[CodeType, set[int]] = {}
        self._formatting: FrameType | None = None
        """What a runner called to format a failure, while it runs."""

    def start(self) -> None:
        """Begin with nothing seen."""
        self._calls, self._seen, self._formatting = {}, {}, None
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self) -> dict[int, set[int]]:
        """Stop, and give the lines that were run, by the number of their file."""
        sys.settrace(None)
        threading.settrace(None)
        found: dict[int, set[int]] = {}
        for code, lines in self._seen.items():
            number = self._numbers[code]
            if number is not None:
                found.setdefault(number, set()).update(lines)
        return found

    def only_known(self) -> None:
        """From now on follow no function that was not entered yet."""
        self._closed = True

    def _enter(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        if code not in self._numbers:
            self._numbers[code] = None if self._closed else self._number(code)
        if self._numbers[code] is None or self._formatting is not None:
            return None
        if _tracers.formats_failure(frame.f_back):
            self._formatting = frame
            return self._until_formatted
        calls = self._calls[code] = self._calls.get(code, 0) + 1
        if calls > _MOST_CALLS:
            return None
        self._seen.setdefault(code, set())
        return self._step

    def _until_formatted(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "return" and frame is self._formatting:
            self._formatting = None
        return self._until_formatted

    def _step(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            self._seen[frame.f_code].add(frame.f_lineno)
        return self._step

    def _number(self, code: CodeType) -> int | None:
        if not code.co_flags & _OPTIMISED:
            return None
        return self._files.get(os.path.abspath(code.co_filename))  # noqa: PTH100 - thousands of calls


class Processes:
    """Notes where a test starts a process, in which no line is seen."""

    def __init__(self, root: str) -> None:
        """Listen to the interpreter; `root` holds the project."""
        self._root = os.path.join(root, "")  # noqa: PTH118 - compared with names of code
        self._process = os.getpid()
        self._begun: dict[tuple[str, str], None] | None = None
        sys.addaudithook(self._hear)

    def start(self) -> None:
        """Begin with nothing noted."""
        self._begun = {}

    def stop(self) -> list[tuple[str, str]]:
        """Stop, and give what was called and the file of the project that called it, each once."""
        begun, self._begun = self._begun, None
        return list(begun or ())[:_MOST_STARTS]

    def _hear(self, event: str, _arguments: Any) -> None:
        if self._begun is None or event not in _STARTS or os.getpid() != self._process:
            return
        called, frame = event, sys._getframe().f_back  # noqa: SLF001 - who calls is known nowhere else
        while frame:
            if frame.f_code.co_filename.startswith(self._root):
                self._begun[called, os.path.relpath(frame.f_code.co_filename, self._root)] = None
                return
            called, frame = _name_of(frame), frame.f_back


def _name_of(frame: FrameType) -> str:
    """Name what a frame runs as a caller writes it."""
    name = frame.f_code.co_name
    if name == "__init__":
        name = type(frame.f_locals.get("self")).__name__
    return f"{frame.f_globals.get('__name__', '')}.{name}"


class Spectra:
    """Traces each test, and stops the run when its time is up."""

    def __init__(self, order: dict[str, Any]) -> None:
        """Do as ordered."""
        self._first = set(order["first"])
        self._then = {name: place for place, name in enumerate(order["then"])}
        self._limit = time.monotonic() + order["limit_s"]
        self._file = Path(order["report"]).open("w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - as long as pytest
        self._tracer = Tracer(order["files"])
        self._processes = Processes(os.getcwd())  # noqa: PTH109 - as names of code have it
        self._process = os.getpid()
        self._failed = self._passed = False

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: Any) -> Iterator[None]:
        """Put the failing tests first, the others after them by their files."""
        yield
        items.sort(key=self._place)

    def _place(self, item: Any) -> int:
        if item.nodeid in self._first:
            return -1
        return self._then.get(item.nodeid.partition("::")[0], len(self._then))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Trace a test with its fixtures."""
        if item.nodeid not in self._first:
            self._tracer.only_known()
        self._failed = self._passed = False
        began = time.monotonic()
        self._processes.start()
        self._tracer.start()
        try:
            yield
        finally:
            lines, started = self._tracer.stop(), self._processes.stop()
        if self._failed or self._passed:  # what was skipped or expected to fail says nothing
            self._write(item.nodeid, lines, started, time.monotonic() - began)
        if time.monotonic() > self._limit:
            item.session.shouldstop = "the time for tracing is up"

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note how the test ends."""
        if hasattr(report, "wasxfail"):
            return
        self._failed = self._failed or report.failed
        self._passed = self._passed or (report.passed and report.when == "call")

    def _write(
        self, test: str, lines: dict[int, set[int]], started: list[tuple[str, str]], duration_s: float
    ) -> None:
        if os.getpid() != self._process:  # a fork of a test has our file handle, and nothing to say
            return
        held = {str(number): sorted(found) for number, found in lines.items()}
        facts = {
            "id": test,
            "failed": self._failed,
            "lines": held,
            "processes": started,
            "duration_s": duration_s,
        }
        self._file.write(json.dumps(facts) + "\n")
        self._file.flush()


def pytest_configure(config: Any) -> None:
    """Start tracing, where we were told to."""
    path = os.environ.pop("SETPOINT_REPORT_TRACE", None)
    if path is not None:
        config.pluginmanager.register(Spectra(json.loads(Path(path).read_text("utf-8"))), "setpoint-spectra")
