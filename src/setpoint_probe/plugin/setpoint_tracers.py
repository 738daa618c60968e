# ruff: noqa: ANN401 - what the interpreter hands over has no types
"""Two ways to note which functions ran: `sys.monitoring` where Python has it, `cProfile` before.

A function is named by the path of its file and the line that it begins at; a file as a whole by line 0.
Whoever asks numbers these places as it likes, by a function that gives the same number for the same place.
Coverage is not asked: what it measures is the project's own affair.
"""

from __future__ import annotations

import sys
import threading
from types import CodeType
from typing import Any, Callable, Iterable, Tuple  # noqa: UP035 - Python 3.9 has no other for these

Place = Tuple[str, int]  # noqa: UP006 - as above
Number = Callable[[Place], int]
UNSEEN: Place = ("", 0)
"""Stands for what cannot be seen: another process, a thread that nobody is told of."""
_RUNNERS = ("_pytest/assertion/", "_pytest/_io/", "_pytest/_code/", "unittest/util.py")
_BETWEEN = ("/reprlib.py", "/pprint.py", "<string>")
"""What may lie between a runner and a `__repr__`; that of dataclasses lies in no file."""


def chosen(number: Number) -> Any:
    """Return the tracer for this Python."""
    return MonitoringTracer(number) if hasattr(sys, "monitoring") else ProfileTracer(number)


def formats_failure(caller: Any) -> bool:
    """Whether a function was called by the part of a runner that formats failures.

    Such code says nothing about a failure: pytest compares and writes the values of a failed assertion.
    """
    while caller is not None and caller.f_code.co_filename.replace("\\", "/").endswith(_BETWEEN):
        caller = caller.f_back
    if caller is None:
        return False
    name = caller.f_code.co_filename.replace("\\", "/")
    return any(each in name for each in _RUNNERS)


def _numbers(codes: Iterable[CodeType], number: Number) -> set[int]:
    # A file as a whole begins where its first function may begin.
    return {
        number((code.co_filename, 0 if code.co_name == "<module>" else code.co_firstlineno)) for code in codes
    }


class ProfileTracer:
    """Notes functions by `cProfile`, up to Python 3.11: one profiler for each thread."""

    def __init__(self, number: Number) -> None:
        """Begin switched off."""
        from cProfile import Profile  # noqa: PLC0415 - later Pythons do not need it

        self._number = number
        self._make = Profile
        self._main: Any = Profile(subcalls=False, builtins=False)
        self._threads: dict[int, Any] = {}
        # Kept: whichever thread frees one that was enabled loses its own.
        self._ended: list[Any] = []

    def start(self) -> bool:
        """Begin noting; false where somebody else profiles already."""
        if sys.getprofile() is not None:
            return False
        threading.setprofile(self._joined)
        self._main.enable()
        return True

    def stop(self) -> bool:
        """Stop noting in this thread; false where somebody took the profiler away meanwhile."""
        kept = sys.getprofile() is self._main
        if kept:
            self._main.disable()
        threading.setprofile(None)
        return kept

    def take(self) -> set[int]:
        """Give what ran since it was last asked."""
        found: list[CodeType] = []  # no set: code of two files may be equal
        for profiler in (self._main, *self._threads.values()):
            found.extend(entry[0] for entry in profiler.getstats() if not isinstance(entry[0], str))
            profiler.clear()
        if self._threads:
            alive = sys._current_frames()  # noqa: SLF001 - documented; what still runs has no statistics yet
            for thread in list(self._threads):
                frame = alive.get(thread)
                if frame is None:
                    self._ended.append(self._threads.pop(thread))
                while frame is not None:
                    found.append(frame.f_code)
                    frame = frame.f_back
        return _numbers(found, self._number)

    def _joined(self, frame: Any, event: str, arg: Any) -> None:
        """Return a thread that begins a profiler of its own."""
        del frame, event, arg
        profiler = self._make(subcalls=False, builtins=False)
        self._threads[threading.get_ident()] = profiler
        profiler.enable()


class MonitoringTracer:
    """Notes functions by `sys.monitoring`, from Python 3.12 on: each function once for each asking."""

    def __init__(self, number: Number) -> None:
        """Take a tool number that neither debuggers nor coverage nor profilers use."""
        self._number = number
        self._monitoring: Any = vars(sys)["monitoring"]
        self._tool = next(number for number in (4, 3) if self._monitoring.get_tool(number) is None)
        self._monitoring.use_tool_id(self._tool, "setpoint")
        self._seen: list[CodeType] = []  # no set: code of two files may be equal
        events = self._monitoring.events
        self._events = events.PY_START | events.PY_RESUME
        for event in (events.PY_START, events.PY_RESUME):
            self._monitoring.register_callback(self._tool, event, self._began)

    def _began(self, code: CodeType, offset: int) -> Any:
        del offset
        self._seen.append(code)
        return self._monitoring.DISABLE

    def start(self) -> bool:
        """Begin noting."""
        self._monitoring.set_events(self._tool, self._events)
        return True

    def stop(self) -> bool:
        """Stop noting."""
        self._monitoring.set_events(self._tool, 0)
        return True

    def take(self) -> set[int]:
        """Give what ran since it was last asked."""
        found, self._seen = self._seen, []
        self._monitoring.restart_events()
        return _numbers(found, self._number)
