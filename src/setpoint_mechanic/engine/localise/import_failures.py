"""What happens before any test runs: where importing breaks, and which functions it calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import pytest

from setpoint_probe.localise.ochiai import Line
from setpoint_probe.localise.spectra import Tracer
from setpoint_probe.process.children import Limits, Report, cpu_timer, run_child
from setpoint_probe.session.session import options_of, prepare_path, pytest_words
from setpoint_probe.source.files import SourceFiles

from ..wire.repair import Request

_AT_IMPORT = 0.3
"""Suspicion of lines that run at import: failing tests may depend on what they did."""


@dataclass
class ImportFailure:
    """Lines in the tracebacks of failed imports, by suspicion, and the messages."""

    scores: dict[Line, float] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)


def examine(request: Request, files: SourceFiles, tests: Collection[str]) -> ImportFailure:
    """Collect the files of tests in a child and follow the exceptions back to the project's lines."""
    found = ImportFailure()

    def act(report: Report) -> None:
        cpu_timer(request.cpu_s / 2)
        collect_only(request, tests, [_Watcher(files, report)])

    def record(entry: tuple[str, list[Line]]) -> None:
        message, lines = entry
        found.messages.append(message)
        for depth, line in enumerate(reversed(lines)):
            found.scores[line] = max(found.scores.get(line, 0.0), 1.0 / (1 + 0.3 * depth))

    run_child(act, Limits(request.memory_bytes, request.wall_s / 3), record)
    return found


def reached_at_import(request: Request, files: SourceFiles, tests: Collection[str]) -> dict[Line, float]:
    """Score the lines of functions that run while tests are imported, where no test can trace them."""
    found: dict[Line, float] = {}

    def act(report: Report) -> None:
        cpu_timer(request.cpu_s / 2)
        tracer = Tracer(files, None, functions_only=True)
        tracer.start()
        try:
            collect_only(request, tests, ())
        finally:
            tracer.stop()
            report(tracer.lines)

    def record(lines: set[Line]) -> None:
        found.update(dict.fromkeys(lines, _AT_IMPORT))

    run_child(act, Limits(request.memory_bytes, request.wall_s / 3), record)
    return found


def collect_only(request: Request, tests: Collection[str], plugins: Sequence[object]) -> None:
    """Let pytest import the files of tests, in this process."""
    prepare_path(request.tree)
    paths = dict.fromkeys(test.split("::", 1)[0] for test in tests)
    words = pytest_words(request.tree, request.scratch, options_of(request.pytest_args))
    pytest.main([*words, "--collect-only", *paths], plugins=[*plugins])


class _Watcher:
    """Reports each exception that collecting meets."""

    def __init__(self, files: SourceFiles, report: Report) -> None:
        self._files = files
        self._report = report

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        """Follow an exception and what caused it."""
        if call.excinfo is None:
            return
        error: BaseException | None = call.excinfo.value
        innermost = error
        lines: list[Line] = []
        while error is not None:
            lines += _frames(error, self._files)
            innermost = error
            error = error.__cause__ or error.__context__
        self._report((f"{type(innermost).__name__}: {innermost}"[:300], lines))


def _frames(error: BaseException, wanted: Callable[[str], bool]) -> list[Line]:
    lines: list[Line] = []
    step = error.__traceback__
    while step is not None:
        path = step.tb_frame.f_code.co_filename
        if wanted(path):
            lines.append((path, step.tb_lineno))
        step = step.tb_next
    if isinstance(error, SyntaxError) and error.filename and wanted(os.path.realpath(error.filename)):
        lines.append((os.path.realpath(error.filename), error.lineno or 1))
    return lines
