"""A warm pytest session: all tests collected once, run one by one, again and again, in forked children."""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.machinery
import importlib.metadata
import importlib.util
import io
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import pytest

from ..foreign_code import Raised, attempt
from ..source.source import FunctionNode
from .direct_calls import is_skip

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
_NOTHING = "test_nothing_at_all"


class Ran(NamedTuple):
    """How one run of one test ended."""

    outcome: str
    error: BaseException | None = None
    """What made it fail."""


class Suite:
    """The collected tests and how to run one."""

    def __init__(self, items: Sequence[pytest.Item], problems: Sequence[str], root: str) -> None:
        """Take what pytest collected."""
        self.items = {item.nodeid: item for item in items}
        self.problems = tuple(problems)
        self.root = root
        self.leads: dict[str, tuple[str, ...]] = {}
        """For tests that lean on tests before them: those that have to run first, in their order."""
        self.bare: dict[str, Callable[[], None]] = {}
        """Tests that are called without pytest, by how they are called."""
        self._errors: list[BaseException] = []
        self._reports: list[pytest.TestReport] = []
        self._params: dict[str, dict[str, Any]] = {}
        self._around: dict[str, frozenset[str]] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """Return node ids in the order of collection."""
        return tuple(self.items)

    def note(self, error: BaseException) -> None:
        """Take note of what made a test fail."""
        self._errors.append(error)

    def note_report(self, report: pytest.TestReport) -> None:
        """Take note of what pytest reports of the test that runs, or of a part of it."""
        self._reports.append(report)

    def path_of(self, test: str) -> str:
        """Return the file that a test stands in."""
        return str(getattr(self.items[test], "path", "") or self.items[test].fspath)

    def got_to(self, test: str, error: BaseException | None) -> tuple[int, bool]:
        """Tell how far a failing test got: its line, and whether it got so far as to compare."""
        step = error.__traceback__ if error is not None else None
        path = self.path_of(test)
        while step is not None and step.tb_frame.f_code.co_filename != path:
            step = step.tb_next
        return (step.tb_lineno if step is not None else 0), isinstance(error, AssertionError)

    def names_in(self, test: str) -> frozenset[str]:
        """Return the names that the code of a test mentions, or that of its file outside all tests."""
        code = getattr(getattr(self.items[test], "obj", None), "__code__", None)
        own = frozenset(_names(code)) if isinstance(code, CodeType) else frozenset()
        path = self.path_of(test)
        if path not in self._around:
            self._around[path] = frozenset(_names_around(path))
        return own | self._around[path]

    def is_doctest(self, test: str) -> bool:
        """Whether a test is written in the documentation of a source file."""
        return type(self.items[test]).__name__ == "DoctestItem"

    def in_order(self, tests: Collection[str]) -> list[str]:
        """Return some tests and those that they lean on, each once, as collected."""
        wanted = {*tests, *(lead for test in tests for lead in self.leads.get(test, ()))}
        return [test for test in self.items if test in wanted]

    def run(self, test: str, following: str | None = None) -> Ran:
        """Run a test after those it leans on; `following` keeps alive the wider fixtures that it shares."""
        leads = self.leads.get(test, ())
        for lead, then in zip(leads, (*leads[1:], test)):
            self.run_one(lead, then)
        return self.run_one(test, self.leads.get(following, (following,))[0] if following else None)

    def run_one(self, test: str, following: str | None = None) -> Ran:
        """Run a test with its fixtures, and nothing before it."""
        item = self.items[test]
        self._errors.clear()
        self._reports.clear()
        self._renew_params(item)
        if test in self.bare and following is None:
            return called(self.bare[test])
        try:
            item.ihook.pytest_runtest_protocol(
                item=item, nextitem=self.items[following] if following else None
            )
        except (Exception, SystemExit, KeyboardInterrupt, pytest.exit.Exception) as error:  # noqa: BLE001 - a verdict on the code under repair
            return Ran(FAILED, error)
        reports = [report for report in self._reports if counts(report)]
        if any(report.failed for report in reports):
            return Ran(FAILED, self._errors[0] if self._errors else None)
        return Ran(SKIPPED if any(report.skipped for report in reports) else PASSED)

    def _renew_params(self, item: pytest.Item) -> None:
        """Return a parametrised test its parameters as they were before a run that changed them in place."""
        params = getattr(getattr(item, "callspec", None), "params", None)
        if not params:
            return
        kept = self._params.get(item.nodeid)
        if kept is None:
            kept = {
                name: value
                for name, value in params.items()
                if isinstance(value, (list, dict, set, bytearray))
            }
            kept = {name: copied for name, value in kept.items() if (copied := _copied(value)) is not None}
            self._params[item.nodeid] = kept
        for name, value in kept.items():
            params[name] = copy.deepcopy(value)


def called(test: Callable[[], None]) -> Ran:
    """Call a bare test."""
    try:
        test()
    except BaseException as error:  # noqa: BLE001 - a verdict on the code under repair
        return Ran(SKIPPED) if is_skip(error) else Ran(FAILED, error)
    return Ran(PASSED)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _names_around(path: str) -> Iterator[str]:
    """Yield the names that a file of tests mentions outside tests: in helpers, fixtures, parameters."""
    try:
        left: list[ast.AST] = [ast.parse(Path(path).read_bytes())]
    except (OSError, SyntaxError, ValueError):
        return
    while left:
        node = left.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        if isinstance(node, FunctionNode) and node.name.startswith("test"):
            left += node.decorator_list
        else:
            left += ast.iter_child_nodes(node)


def _copied(value: Any) -> Any | None:  # noqa: ANN401 - any parameter of a test
    copied = attempt(lambda: copy.deepcopy(value))
    return None if isinstance(copied, Raised) else copied  # what cannot be copied is used as it is


def counts(report: pytest.TestReport) -> bool:
    """Return whether a report says something of its test: a subtest does only where it failed."""
    return report.failed or not hasattr(report, "context")


class TerseReports:
    """Reports failures without tracebacks: they take the longest to draw, and nobody reads them here."""

    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """Report a failure by its outcome alone; the rest is left to pytest."""
        error = call.excinfo.value if call.excinfo is not None else None
        if error is None or isinstance(error, pytest.skip.Exception) or hasattr(error, "exceptions"):
            return None
        self.failed_with(error)
        return pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed",
            longrepr=type(error).__name__,
            when="call" if call.when == "collect" else call.when,
            duration=call.duration,
        )

    def failed_with(self, error: BaseException) -> None:
        """Take note of what a test raised."""


class WarmPlugin(TerseReports):
    """Takes over the run loop of pytest: the session is handed on instead of run."""

    def __init__(self, act: Callable[[Suite], None]) -> None:
        """Say what is to be done with the collected session."""
        self._act = act
        self._problems: list[str] = []
        self._suite: Suite | None = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a file could not be collected."""
        if report.failed:
            self._problems.append(f"{report.nodeid}: {report.longreprtext[-600:]}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hand the session on."""
        self._suite = Suite(session.items, self._problems, str(session.config.rootpath))
        self._act(self._suite)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what is reported of the test that runs."""
        if self._suite is not None:
            self._suite.note_report(report)

    def failed_with(self, error: BaseException) -> None:
        """Keep the exception itself, for its traceback."""
        if self._suite is not None:
            self._suite.note(error)


def pytest_words(tree: str, scratch: str, given: Sequence[str]) -> list[str]:
    """Return the words for pytest: the tree alone is collected, and no plugin gets in the way of repeats."""
    words = ["-q", "--capture=no", "--tb=no", "--maxfail=0", "--rootdir=.", "--confcutdir=."]
    for plugin in ("cacheprovider", "randomly", "randomorder"):
        words += ["-p", f"no:{plugin}"]
    words += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "--continue-on-collection-errors"]
    if not _has_configuration(Path(tree)):  # else pytest goes up and takes that of another project
        empty = Path(scratch) / "pytest.ini"
        empty.write_text("[pytest]\n", encoding="utf-8")
        words += ["-c", str(empty)]
    # All are named, for where plug-ins are not loaded by themselves they do not know their words.
    if importlib.util.find_spec("xdist") is not None and "no:xdist" not in given:
        words += ["-p", "xdist", "-n", "0"]
    if importlib.util.find_spec("pytest_cov") is not None and "no:pytest_cov" not in given:
        words += ["-p", "pytest_cov", "--no-cov"]
    if importlib.util.find_spec("pytest_timeout") is not None and "no:timeout" not in given:
        words += ["-p", "timeout", "--timeout", "0"]  # it would take our timer away
    return [*given, *words]  # ours stand behind, where they win: no `-x`, no `-n auto`


def options_of(words: Sequence[str]) -> list[str]:
    """Take the paths out of pytest's words: only the files of the wanted tests are collected."""
    return [word for word in words if word.startswith("-") or not Path(word.split("::", 1)[0]).exists()]


def _has_configuration(tree: Path) -> bool:
    marks = {"pytest.ini": "", ".pytest.ini": "", "pyproject.toml": "[tool.pytest", "tox.ini": "[pytest]"}
    for name, mark in {**marks, "setup.cfg": "[tool:pytest]"}.items():
        path = tree / name
        if path.is_file() and mark in path.read_text(encoding="utf-8", errors="replace"):
            return True
    return False


def warm_up(tree: str, scratch: str) -> None:
    """Run one empty test, so that pytest and its installed plugins are imported once, for all children.

    Not done where a plugin comes from the tree: what is under repair has to be imported fresh.
    """
    points = [point for each in importlib.metadata.distributions() for point in each.entry_points]
    plugins = [
        _spec(point.value.split(":", 1)[0].split(".", 1)[0]) for point in points if point.group == "pytest11"
    ]
    inside = os.path.realpath(tree) + os.sep
    if any(spec and os.path.realpath(spec.origin or "").startswith(inside) for spec in plugins):
        return
    folder = Path(scratch) / "warm-up"
    folder.mkdir(exist_ok=True)
    (folder / f"{_NOTHING}.py").write_text("def test_nothing(tmp_path):\n    pass\n", encoding="utf-8")
    before, path = os.getcwd(), list(sys.path)  # noqa: PTH109 - a string, as it is given back
    loaded = set(sys.modules)
    try:
        os.chdir(folder)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            pytest.main([*pytest_words(str(folder), scratch, ()), f"{_NOTHING}.py"])
    finally:
        os.chdir(before)
        sys.path[:] = path
        _forget(set(sys.modules) - loaded, Path(tree))


def _forget(loaded: Iterable[str], tree: Path) -> None:
    """Let the tests import the tree's own modules, where a plugin took an installed copy of them.

    Packages that are partly written in C stay: they cannot be imported twice.
    """
    compiled = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    tops: dict[str, list[str]] = {}
    for name in loaded:
        tops.setdefault(name.partition(".")[0], []).append(name)
    for top, names in tops.items():
        files = [str(getattr(sys.modules[name], "__file__", None)) for name in names]
        if top == _NOTHING or (_provides(tree, top) and not any(file.endswith(compiled) for file in files)):
            for name in names:
                del sys.modules[name]


def _provides(tree: Path, name: str) -> bool:
    """Return whether a package or module of this name lies in the tree."""
    return any(
        (root / f"{name}.py").is_file() or (root / name / "__init__.py").is_file()
        for root in (tree / "src", tree)
    )


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def prepare_path(tree: str, roots: Sequence[str] = ()) -> None:
    """Let the tree's own packages win over installed copies, as `python -m pytest` in the tree does.

    `roots` are more folders of the tree that its code is imported from.
    """
    os.chdir(tree)
    source_root = os.path.join(tree, "src")  # noqa: PTH118 - plain strings, as sys.path has them
    added = [source_root, tree] if os.path.isdir(source_root) else [tree]  # noqa: PTH112 - the same
    sys.path[:0] = [path for path in dict.fromkeys([*roots, *added]) if path not in sys.path]


def collect(words: Sequence[str], act: Callable[[Suite], None]) -> int:
    """Start pytest, collect, and hand over the warm session; gives pytest's exit code."""
    return int(pytest.main(list(words), plugins=[WarmPlugin(act)]))
