"""Which lines some tests reach: where only they are judged, nothing else has to be mutated."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from ..localise.spectra import Trace, trace
from ..process.children import Limits, Report, run_child
from ..session.session import Suite, collect, prepare_path, pytest_words
from ..source.files import SourceFiles
from ..source.source import Source, UnreadableSource, names_read
from ..wire.score import ScoreRequest, ScoreResult

_ONE_TEST_S = 20.0
_SHARE = 0.2
"""Share of the time after which no more tests are looked at."""


def lines_of(request: ScoreRequest, result: ScoreResult) -> dict[str, tuple[int, ...]]:
    """Return the lines of the wanted files that the tests of `each` reach, or whose values they mention."""
    reached: dict[str, set[int]] = {}
    mentioned: set[str] = set()

    def take(entry: tuple[str, frozenset[str], Mapping[str, set[int]]]) -> None:
        test, names, lines = entry
        mentioned.update(names)
        if not lines:
            result.unreached.append(test)
        for path, numbers in lines.items():
            reached.setdefault(path, set()).update(numbers)

    until = time.monotonic() + request.wall_s * _SHARE

    def act(report: Report) -> None:
        target = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(target, number)
        prepare_path(request.tree)
        words = pytest_words(request.tree, request.scratch, request.pytest_args)
        collect(words, lambda suite: _look(request, suite, report, until))

    ended = run_child(act, Limits(request.memory_bytes, request.wall_s), take)
    if not ended.finished and not reached:
        result.reason = f"the tests could not be looked at: {ended.error or 'the process ended'}"
    found: dict[str, tuple[int, ...]] = {}
    for file in request.targets:
        path = os.path.join(request.tree, file)  # noqa: PTH118 - code objects have strings
        lines = reached.get(path, set())
        lines = lines | _bound_in(path, mentioned, lines)
        if lines:
            found[file] = tuple(sorted(lines))
    return found


def _look(request: ScoreRequest, suite: Suite, report: Report, until: float) -> None:
    files = SourceFiles(request.tree, tuple(request.targets), ())
    tests = [test for test in request.each if test in suite.items]
    traced = trace(
        suite, tests, Trace(files, Limits(request.memory_bytes, _ONE_TEST_S), _ONE_TEST_S, until, alone=True)
    )
    for test, each in traced.items():
        lines: dict[str, set[int]] = {}
        for path, number in each.lines:
            lines.setdefault(path, set()).add(number)
        report((test, suite.names_in(test), lines))


def _bound_in(path: str, mentioned: set[str], reached: set[int]) -> set[int]:
    """Return the lines of statements outside functions whose values tests mention, or reached lines read."""
    try:
        source = Source.read(path)
    except UnreadableSource:
        return set()
    nodes = (node for node in source.in_functions if getattr(node, "lineno", 0) in reached)
    names = mentioned.union(name for node in nodes for name in names_read(node))
    if not names & source.bound:
        return set()
    return {
        line
        for unit in source.units
        if not unit.is_function and source.touched_by(unit) & names
        for line in range(unit.first_line, unit.last_line + 1)
    }
