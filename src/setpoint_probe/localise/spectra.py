"""Which lines which tests reach."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import Any

from ..plugin.setpoint_tracers import formats_failure
from ..process.children import Ended, Limits, Report, cpu_timer, run_child
from ..session.session import FAILED, Suite
from .failures import lacks, of_import
from .ochiai import Function, Line, Reached

_MOST_CODES = 20_000
"""So many are kept in mind; more come only where code is made without end."""


class Tracer:
    """Records the lines and functions of some files that run."""

    def __init__(
        self,
        wanted: Callable[[str], bool],
        line_functions: Collection[Function] | None,
        *,
        functions_only: bool = False,
    ) -> None:
        """Trace the files that `wanted` accepts; lines only in `line_functions`, where these are given.

        With `functions_only`, what modules and classes run when they are defined is left out.
        """
        self._functions_only = functions_only
        self._wanted = wanted
        self._line_functions = line_functions
        self._kinds: dict[int, tuple[int, CodeType]] = {}
        """By identity: equal code may stand in several files, and comparing it takes long."""
        self.lines: set[Line] = set()
        self.functions: set[Function] = set()
        self._formatting: FrameType | None = None
        """What a runner called to format a failure, while it runs."""

    def start(self) -> None:
        """Begin with nothing recorded."""
        self.lines, self.functions, self._formatting = set(), set(), None
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self) -> None:
        """Stop recording."""
        sys.settrace(None)
        threading.settrace(None)

    def _enter(self, frame: FrameType, _event: str, _arg: object) -> Any:  # noqa: ANN401 - a trace function or None
        code = frame.f_code
        known = self._kinds.get(id(code))
        if known is None:
            if len(self._kinds) > _MOST_CODES:
                self._kinds.clear()
            known = self._kinds[id(code)] = self._kind(code), code
        kind = known[0]
        if kind == 0 or self._formatting is not None:
            return None
        if code.co_flags & CO_OPTIMIZED and formats_failure(frame.f_back):
            self._formatting = frame
            return self._until_formatted
        self.functions.add((code.co_filename, code.co_firstlineno))
        return self._step if kind == 2 else None  # noqa: PLR2004 - see _kind

    def _until_formatted(self, frame: FrameType, event: str, _arg: object) -> Any:  # noqa: ANN401 - a trace function or None
        if event == "return" and frame is self._formatting:
            self._formatting = None
        return self._until_formatted

    def _kind(self, code: CodeType) -> int:
        """Return 0 for code that does not matter, 1 for its call alone, 2 for its lines."""
        if not self._wanted(code.co_filename) or (self._functions_only and not code.co_flags & CO_OPTIMIZED):
            return 0
        if self._line_functions is None or (code.co_filename, code.co_firstlineno) in self._line_functions:
            return 2
        return 1

    def _step(self, frame: FrameType, event: str, _arg: object) -> Any:  # noqa: ANN401 - a trace function or None
        if event == "line":
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._step


@dataclass(frozen=True)
class Trace:
    """How tests are to be traced."""

    wanted: Callable[[str], bool]
    """Accepts the files that matter."""
    limits: Limits
    test_s: float
    """CPU seconds that one test may take under the tracer."""
    deadline: float
    """`time.monotonic()` after which no more tests are begun."""
    line_functions: Collection[Function] | None = None
    alone: bool = False
    """Each test makes its wider fixtures anew, so that what they reach counts for each of their users."""


def trace(suite: Suite, tests: Sequence[str], how: Trace) -> dict[str, Reached]:
    """Run tests under the tracer in forked children; after a test that ends its child a new one goes on."""
    found: dict[str, Reached] = {}
    left = tuple(tests)
    while left and time.monotonic() < how.deadline:
        last, ended = _trace_some(suite, left, how, found)
        if not last:
            break
        if last not in found:
            found[last] = Reached(
                FAILED, how.test_s, error=_why(ended), endless=ended.cpu_limit or ended.stopped
            )
        left = tuple(test for test in left if test not in found)
        if ended.finished:
            break
    return found


def _trace_some(
    suite: Suite, tests: tuple[str, ...], how: Trace, found: dict[str, Reached]
) -> tuple[str, Ended]:
    """Trace tests in one child; gives the last that was begun, empty for none."""
    last = ""

    def record(entry: tuple[str, Reached | None]) -> None:
        nonlocal last
        last, reached = entry
        if reached is not None:
            found[last] = reached

    ended = run_child(lambda report: _trace_all(suite, tests, how, report), how.limits, record)
    return last, ended


def _why(ended: Ended) -> str:
    if ended.cpu_limit or ended.stopped:
        return "ran into the time limit"
    return ended.error or "ended its process"


def _trace_all(suite: Suite, tests: Sequence[str], how: Trace, report: Report) -> None:
    tracer = Tracer(how.wanted, how.line_functions)
    for place, test in enumerate(tests):
        if time.monotonic() > how.deadline and place:
            return
        report((test, None))
        _on_time_up(tracer, test, how, report)
        cpu_timer(how.test_s, how.limits.silence_s * 0.8)
        started = time.process_time()
        tracer.start()
        try:
            following = None if how.alone or place + 1 == len(tests) else tests[place + 1]
            ran = suite.run(test, following)
        finally:
            tracer.stop()
        cpu_timer(0.0)
        used = time.process_time() - started
        frames = tuple(_traceback(ran.error, how.wanted)) if ran.error is not None else ()
        error = f"{type(ran.error).__name__}: {ran.error}"[:300] if ran.error is not None else ""
        reached = Reached(
            ran.outcome, used, frozenset(tracer.lines), frozenset(tracer.functions), frames, error
        )
        reached.got_to = suite.got_to(test, ran.error)
        reached.lacking = lacks(suite, test, ran.error)
        reached.from_import = not tracer.lines and of_import(ran.error, how.wanted)
        report((test, reached))


def _on_time_up(tracer: Tracer, test: str, how: Trace, report: Report) -> None:
    """Report what an endless test has reached, then end; in C code no handler runs and the parent ends it."""

    def time_up(_number: int, frame: FrameType | None) -> None:
        tracer.stop()
        at: list[Line] = []
        while frame is not None:
            if how.wanted(frame.f_code.co_filename):
                at.append((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        reached = Reached(
            FAILED,
            how.test_s,
            frozenset(tracer.lines),
            frozenset(tracer.functions),
            tuple(reversed(at)),
            "ran into the time limit",
            endless=True,
        )
        report((test, reached))
        os._exit(1)

    signal.signal(signal.SIGPROF, time_up)
    signal.signal(signal.SIGALRM, time_up)


def _traceback(error: BaseException, wanted: Callable[[str], bool]) -> Iterable[Line]:
    step = error.__traceback__
    while step is not None:
        if wanted(step.tb_frame.f_code.co_filename):
            yield step.tb_frame.f_code.co_filename, step.tb_lineno
        step = step.tb_next
