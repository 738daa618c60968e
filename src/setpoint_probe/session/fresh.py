"""Judges an edit in a fresh process: tests are collected anew, with the edited text in place of the file.

Nothing is written to disk: the import system is given the edited text for the one file.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, ModuleType

import pytest

from ..process import guard
from ..process.children import Ended, Limits, Report, cpu_timer, run_child
from .forkserver import Order, collect_in, files_of
from .session import (
    FAILED,
    PASSED,
    SKIPPED,
    TerseReports,
    counts,
    options_of,
    prepare_path,
    pytest_words,
)

Leading = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Fresh:
    """How fresh processes are run."""

    order: Order
    limits: Limits
    cpu_s: float
    """CPU seconds for one process."""
    leads: Leading = field(default_factory=dict)
    """For tests that lean on tests before them: those that run first, unasked and unreported."""
    session: pytest.Session | None = None
    """A session of a fork server, in which each process collects; else it begins one of its own."""

    def outcomes(self, path: str, text: str | None, tests: Collection[str]) -> dict[str, str]:
        """Return the outcomes of tests with another text for a file; tests that did not run are missing."""
        return self.run(path, text, tests)[0]

    def run(
        self, path: str, text: str | None, tests: Collection[str], *, to_first_failure: bool = False
    ) -> tuple[dict[str, str], Ended]:
        """Give the outcomes, and how the process ended."""
        texts = {path: text} if text is not None else {}
        return self.run_with(texts, tests, to_first_failure=to_first_failure)

    def run_with(
        self, texts: Mapping[str, str], tests: Collection[str] | None, *, to_first_failure: bool = False
    ) -> tuple[dict[str, str], Ended]:
        """Run tests (none: all that are collected) with other texts for some files."""
        seen: dict[str, str] = {}

        def act(report: Report) -> None:
            guard.install([self.order.scratch], self.order.tree)
            cpu_timer(self.cpu_s, self.limits.silence_s)
            override(texts)
            wanted = None if tests is None else frozenset(tests)
            self._pytest(tests, _Selected(wanted, self.leads, report, told=to_first_failure))

        def record(entry: tuple[str, str]) -> bool:
            test, outcome = entry
            seen[test] = outcome
            return to_first_failure and outcome == FAILED

        return seen, run_child(act, self.limits, record)

    def _pytest(self, tests: Collection[str] | None, chosen: _Selected) -> None:
        files = [] if tests is None else files_of([*self._leading(tests), *tests])
        if self.session is not None:
            self.session.config.pluginmanager.register(chosen)
            collect_in(self.session, files, self.order.scratch)
            return
        prepare_path(self.order.tree)
        given = self.order.pytest_args
        own = given if tests is None else [*options_of(given), *files]
        pytest.main(pytest_words(self.order.tree, self.order.scratch, own), plugins=[chosen])

    def _leading(self, tests: Collection[str]) -> list[str]:
        return [lead for test, leads in self.leads.items() if is_one_of(test, tests) for lead in leads]


class _Selected(TerseReports):
    """Runs the wanted tests, after those that they lean on, and reports each."""

    def __init__(self, tests: frozenset[str] | None, leads: Leading, report: Report, *, told: bool) -> None:
        self._tests = tests
        self._leads = leads
        self._told = told
        """Whether a file that cannot be collected, or skips itself, is reported, too."""
        self._report = report
        self._outcomes: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the wanted tests; a wanted file or class keeps all that is in it."""
        chosen = {item.nodeid for item in items if self._is_wanted(item.nodeid)}
        chosen.update(*(self._leads.get(test, ()) for test in tuple(chosen)))
        items[:] = [item for item in items if item.nodeid in chosen]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Report a file that cannot be collected, or skips itself, where that is wanted."""
        if self._told and not report.passed:
            self._report((report.nodeid, FAILED if report.failed else SKIPPED))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Put the phases of a test together."""
        if not (counts(report) and self._is_wanted(report.nodeid)):
            return
        before = self._outcomes.get(report.nodeid, PASSED)
        outcome = (
            FAILED
            if FAILED in (before, report.outcome)
            else SKIPPED
            if SKIPPED in (before, report.outcome)
            else PASSED
        )
        self._outcomes[report.nodeid] = outcome
        if report.when == "teardown":
            self._report((report.nodeid, outcome))

    def _is_wanted(self, test: str) -> bool:
        return self._tests is None or test in self._tests or is_one_of(test, self._tests)


def is_one_of(test: str, wanted: Collection[str]) -> bool:
    """Return whether a test is among some, of which a file or class stands for all that is in it."""
    return any(test == each or test.startswith((f"{each}::", f"{each}[")) for each in wanted)


def override(texts: Mapping[str, str]) -> None:
    """Let this process import texts in place of files, by their paths."""
    edited = {os.path.realpath(path): text for path, text in texts.items()}

    class Edited(importlib.machinery.SourceFileLoader):
        """Compiles the text that stands in for its file."""

        def get_code(self, fullname: str) -> CodeType:
            del fullname
            return compile(edited[os.path.realpath(self.path)], self.path, "exec", dont_inherit=True)

    class Finder:
        """Finds the files that have another text, before anybody else does."""

        def find_spec(
            self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
        ) -> importlib.machinery.ModuleSpec | None:
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
            for other in sys.meta_path:
                if spec is None and other is not self:
                    spec = other.find_spec(name, path, target)
            if spec is None or not spec.origin or os.path.realpath(spec.origin) not in edited:
                return None
            loader = Edited(name, spec.origin)
            return importlib.util.spec_from_file_location(name, spec.origin, loader=loader)

    if edited:
        sys.meta_path.insert(0, Finder())
