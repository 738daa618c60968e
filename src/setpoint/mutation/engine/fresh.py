"""Judges an edit in a fresh process: tests are collected anew, with the edited text in place of the file.

Nothing is written to disk: the import system is given the edited text for the one file.
"""

from __future__ import annotations

import importlib.machinery
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, ModuleType

import pytest

from . import guard
from .children import Ended, Limits, Report, cpu_timer, run_child
from .forkserver import call_in, collect_in, files_of
from .pieces import Pieces
from .session import FAILED, PASSED, SKIPPED, cheap_failures, counts, options_of, prepare_path, pytest_words
from .wire import Request

Leading = Mapping[str, tuple[str, ...]]
_LIKE_IMPORTLIB = "<frozen importlib._bootstrap_external>"
"""Who asks where a warning at import comes from leaves out frames of such files."""


@dataclass(frozen=True)
class Fresh:
    """How fresh processes are run."""

    request: Request
    limits: Limits
    cpu_s: float
    """CPU seconds for one process."""
    leads: Leading = field(default_factory=dict)
    """For tests that lean on tests before them: those that run first, unasked and unreported."""
    session: pytest.Session | None = None
    """A session of a fork server, in which each process collects; else it begins one of its own."""
    pieces: Pieces | None = None
    """The statements of the file that is edited, compiled in the session's process."""
    plain: Sequence[str] = ()
    """Bare tests without parameters, in order: with a session nothing is collected where all wanted are."""

    def outcomes(self, path: str, text: str | None, tests: Collection[str]) -> dict[str, str]:
        """Give the outcomes of tests with another text for a file; tests that did not run are missing."""
        return self.run(path, text, tests)[0]

    def run(
        self,
        path: str,
        text: str | None,
        tests: Collection[str],
        *,
        codes: Sequence[CodeType] = (),
        to_first_failure: bool = False,
    ) -> tuple[dict[str, str], Ended]:
        """Give the outcomes, and how the process ended; `codes` are what the text compiles to, in pieces."""
        texts = {path: text} if text is not None else {}
        return self.run_with(texts, tests, pieces={path: codes}, to_first_failure=to_first_failure)

    def run_with(
        self,
        texts: Mapping[str, str],
        tests: Collection[str] | None,
        *,
        pieces: Mapping[str, Sequence[CodeType]] | None = None,
        to_first_failure: bool = False,
    ) -> tuple[dict[str, str], Ended]:
        """Run tests (none: all that are collected) with other texts for some files."""
        seen: dict[str, str] = {}

        def act(report: Report) -> None:
            guard.install([self.request.scratch], self.request.tree)
            cpu_timer(self.cpu_s, self.limits.silence_s)
            for path, text in texts.items():
                override(path, text, (pieces or {}).get(path, ()))
            if self.session is not None and tests and set(self.plain).issuperset(tests):
                ordered = [test for test in self.plain if test in tests]
                call_in(self.session, ordered, self.request.scratch, report)
                return
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
            collect_in(self.session, files, self.request.scratch)
            return
        prepare_path(self.request.tree)
        given = self.request.pytest_args
        own = given if tests is None else [*options_of(given), *files]
        pytest.main(pytest_words(self.request.tree, self.request.scratch, own), plugins=[chosen])

    def _leading(self, tests: Collection[str]) -> list[str]:
        return [lead for test, leads in self.leads.items() if is_one_of(test, tests) for lead in leads]


class _Selected:
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
        for item in items:
            cheap_failures(item)

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
    """Tell whether a test is among some, of which a file or class stands for all that is in it."""
    return any(test == each or test.startswith((f"{each}::", f"{each}[")) for each in wanted)


def override(path: str, text: str, codes: Sequence[CodeType] = ()) -> None:
    """Let this process import a text in place of a file; `codes` are what its statements compile to."""
    real = os.path.realpath(path)
    loader = importlib.machinery.SourceFileLoader
    get_code, execute = loader.get_code, loader.exec_module

    def code_of(self: importlib.machinery.SourceFileLoader, fullname: str) -> CodeType | None:
        if os.path.realpath(self.path) == real:
            return compile(text, self.path, "exec", dont_inherit=True)
        return get_code(self, fullname)

    def execute_all(self: importlib.machinery.SourceFileLoader, module: ModuleType) -> None:
        if os.path.realpath(self.path) != real:
            execute(self, module)
            return
        for code in codes:
            exec(code, vars(module))  # noqa: S102 - the project's own code, as its import would run it

    loader.get_code = code_of  # type: ignore[method-assign,assignment]  # in this child only
    if codes:
        execute_all.__code__ = execute_all.__code__.replace(co_filename=_LIKE_IMPORTLIB)
        loader.exec_module = execute_all  # type: ignore[method-assign,assignment]  # the same
