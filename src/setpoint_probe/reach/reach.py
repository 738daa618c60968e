"""Runs the project's tests under a tracer and tells which functions, lines and branches they reach."""

from __future__ import annotations

import importlib.metadata
import os
import tempfile
import time
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from ..session.session import counts, prepare_path, pytest_words
from ..source.import_roots import import_roots
from ..wire.exchange import answer_order
from ..wire.reach import FileReach, FunctionReach, ReachRequest, ReachResult
from .anatomy import UNREADABLE, Anatomy, Arc, Branch, dissect, text_of
from .arcs import ArcTracer

_MOST_ERROR = 2000


class Watch:
    """A pytest plugin that keeps outcomes, and which tests reach the traced files."""

    def __init__(self, tracer: ArcTracer) -> None:
        self._tracer = tracer
        self.outcomes: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.touching: list[str] = []
        self.arcs: dict[str, set[Arc]] = {}
        """All arcs, by real path."""

    def note(self) -> bool:
        """Take what was traced since the last time; says whether there was any."""
        found = self._tracer.take()
        for file, arcs in found.items():
            self.arcs.setdefault(file, set()).update(arcs)
        return bool(found)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that cannot be collected as a test that fails."""
        if report.failed:
            self.outcomes[report.nodeid] = "error"
            self.errors[report.nodeid] = report.longreprtext[-_MOST_ERROR:]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterable[None]:
        """Ask which files one test reaches."""
        self.note()
        self._tracer.start()  # a test may have set a tracer of its own
        try:
            yield
        finally:
            if self.note():
                self.touching.append(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the worst outcome of the parts of a test."""
        test = report.nodeid
        if not counts(report):
            return
        if report.failed:
            self.outcomes[test] = "failed" if report.when == "call" else "error"
            self.errors[test] = report.longreprtext[-_MOST_ERROR:]
        elif report.skipped:
            self.outcomes.setdefault(test, "xfailed" if hasattr(report, "wasxfail") else "skipped")
        elif report.when == "call":
            self.outcomes.setdefault(test, "xpassed" if hasattr(report, "wasxfail") else "passed")


def reach(request: ReachRequest) -> ReachResult:
    """Work on one order; whatever goes wrong with the project ends in the result's reason."""
    began = time.monotonic()
    result = ReachResult(pytest=importlib.metadata.version("pytest"))
    scratch = request.scratch or tempfile.mkdtemp(prefix="reach-")
    tree = Path(os.path.realpath(request.tree))
    anatomies: dict[str, Anatomy] = {}
    for file in request.files:
        try:
            anatomies[file] = dissect(text_of(tree / file), str(tree / file))
        except UNREADABLE as error:
            result.skipped_files.append(f"{file}: {type(error).__name__}: {error}")
    if not anatomies:
        result.reason = f"none of the files can be read: {'; '.join(result.skipped_files)}"
        return result
    tracer = ArcTracer(str(tree / file) for file in anatomies)
    watch = Watch(tracer)
    prepare_path(str(tree), import_roots(str(tree), request.files))
    tracer.start()
    try:
        code = int(pytest.main(pytest_words(str(tree), scratch, request.pytest_args), plugins=[watch]))
    finally:
        tracer.stop()
    watch.note()
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED):
        result.reason = f"pytest ended with exit code {code}"
        return result
    result.status = "measured"
    result.outcomes, result.errors, result.touching = watch.outcomes, watch.errors, watch.touching
    for file, anatomy in anatomies.items():
        result.files.append(of_file(file, anatomy, watch.arcs.get(str(tree / file), set())))
    result.seconds = round(time.monotonic() - began, 3)
    return result


def of_file(file: str, anatomy: Anatomy, arcs: Collection[Arc]) -> FileReach:
    """Compare what was reached of a file with what there is."""
    lines, branches = anatomy.lines_in(arcs), anatomy.branches_in(arcs)
    functions = tuple(
        FunctionReach(
            name=each.name,
            owner=each.owner,
            first=each.first,
            last=each.last,
            complexity=each.complexity,
            lines=len(each.lines),
            missed_lines=tuple(sorted(each.lines - lines)),
            branches=len(each.branches),
            missed_branches=_pairs(each.branches - branches),
        )
        for each in anatomy.functions
    )
    return FileReach(
        file=file,
        lines=len(anatomy.lines),
        missed_lines=tuple(sorted(anatomy.lines - lines)),
        branches=len(anatomy.branches),
        missed_branches=_pairs(anatomy.branches - branches),
        functions=functions,
    )


def _pairs(branches: Iterable[Branch]) -> tuple[tuple[int, bool], ...]:
    return tuple((each.line, each.taken) for each in sorted(branches))


def main(words: list[str]) -> int:
    """Read a request, work on it and write the result; the words are the two paths."""
    return answer_order(words, ReachRequest, reach, lambda reason: ReachResult(reason=reason))
