"""Failures before any test can run: where importing or collecting breaks, and how suspicious that makes lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import pytest

from .children import Limits, Report, cpu_timer, run_child
from .files import SourceFiles
from .session import prepare_path, pytest_words
from .spectra import Line
from .wire import Request


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
        prepare_path(request.tree)
        words = [
            *pytest_words(()),
            "--collect-only",
            *dict.fromkeys(test.split("::", 1)[0] for test in tests),
        ]
        pytest.main(words, plugins=[_Watcher(files, report)])

    def record(entry: tuple[str, list[Line]]) -> None:
        message, lines = entry
        found.messages.append(message)
        for depth, line in enumerate(reversed(lines)):
            found.scores[line] = max(found.scores.get(line, 0.0), 1.0 / (1 + 0.3 * depth))

    run_child(act, Limits(request.memory_bytes, request.wall_s / 3), record)
    return found


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
