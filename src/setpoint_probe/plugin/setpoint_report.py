# ruff: noqa: ANN401 - the objects of pytest have other types in each of the versions we meet
"""A pytest plugin that writes what happened as JSON lines, one fact a line, each flushed at once.

It is loaded with `-p setpoint_report` and told its files by variables, which it takes out of the environment:
`SETPOINT_REPORT_FILE` is written; `SETPOINT_REPORT_SELECT` (optional) is a JSON object: `only` lists test or
file identifiers, and all other tests are left out; `leave_out` lists tests that are left out;
`SETPOINT_REACH_FILE` (optional) is where the map of what each test reaches is written (`setpoint_reach`).
A run that ended in order has a last line of kind `end`; whoever reads a report without it knows that the
interpreter died, and from the last `begin` in which test.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035 - where Python 3.8 has it

import pytest

_FRAMES = 40
_CAUSES = 5
_TEXT = 4000
_LINE = 600
_MOST_SHOWN = 50
"""Of more red tests than this only the plain traceback is kept: to show the source around takes long."""
_PLACES = re.compile(r'^(?:E +File ")?([^\s":]+\.py)(?:", line |:)(\d+)', re.MULTILINE)
_HERE = f"{Path.cwd()}{os.sep}"
_TREE = f"{os.environ.pop('SETPOINT_REPORT_ROOT', str(Path.cwd()))}{os.sep}"
"""Where pytest begins, before anything of the project changes that."""
_PREFIXES = {sys.prefix, sys.exec_prefix, sys.base_prefix, str(Path(os.__file__).parent)}
_INSTALLED = tuple(
    f"{each}{os.sep}"
    for path in (*map(Path, _PREFIXES), Path(__file__).parent)
    for each in {path, path.resolve()}
)
_WITHIN = tuple(path for path in _INSTALLED if path.startswith(_TREE))
_UNASKED: list[list[str]] = []
"""What was loaded before the first `conftest.py`: by the interpreter as it starts, and plug-ins of pytest."""
_WEIGHTS = (None, "passed", "xpassed", "xfailed", "skipped", "error", "failed")


class Report:
    """Collects the outcome of each test and writes it when the test is over."""

    def __init__(self, path: str, wanted: dict[str, Any]) -> None:
        """Write to `path`; `wanted` names the only tests to be run, and those that are not."""
        self._file = Path(path).open("w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - as long as pytest
        self._wanted = wanted
        only = wanted.get("only")
        self._asked = None if only is None else set(only)
        self._ways = {step for test in only or () for step in _ways(test)}
        self._process = os.getpid()
        self._red = 0
        self._held: dict[str, dict[str, Any]] = {}
        self._calls: dict[tuple[str, str], Any] = {}
        self._before_tests: list[list[str]] | None = None

    def _write(self, kind: str, **facts: Any) -> None:
        if os.getpid() != self._process:  # a fork of a test has our file handle, and nothing to say
            return
        self._file.write(json.dumps(dict(facts, kind=kind)) + "\n")
        self._file.flush()

    def pytest_sessionstart(self, session: Any) -> None:
        """Say that pytest came to life, and in which files it looks for tests."""
        config = session.config
        places = [os.path.relpath(str(each).partition("::")[0]) for each in config.args]
        patterns = list(config.getini("python_files"))
        self._write(
            "start", pytest=pytest.__version__, root=str(config.rootdir), patterns=patterns, places=places
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectstart(self, collector: Any) -> None:
        """Note what is loaded when the first file of tests is about to be."""
        if (
            self._before_tests is None
            and isinstance(collector, pytest.File)
            and not isinstance(collector, pytest.Package)
        ):
            self._before_tests = _loaded()

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str) -> list[Any] | None:
        """Make nothing of functions and classes in which no test is wanted: of one, thousands may be made."""
        if self._asked is None or f"{collector.nodeid}::{name}" in self._ways:
            return None
        return [] if self._asked.isdisjoint(_ways(collector.nodeid)) else None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> Iterator[None]:
        """Keep the wanted tests only, after everybody else had a say."""
        yield
        unwanted = set(self._wanted.get("leave_out") or ())
        items[:] = [item for item in items if item.nodeid not in unwanted]
        if self._asked is not None:
            items[:] = [item for item in items if not self._asked.isdisjoint(_names(item.nodeid))]

    def pytest_deselected(self, items: list[Any]) -> None:
        """Note what the project's own options leave out."""
        self._write("deselected", ids=[item.nodeid for item in items])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: Any) -> None:
        """Note what will be run, and what was loaded for it."""
        now = _loaded()
        first = now if self._before_tests is None else self._before_tests
        names = sorted({name.partition(".")[0] for name, path in now if not path.startswith(os.sep)})
        self._write("loaded", unasked=_UNASKED, before_tests=first, names=names)
        self._write("collected", ids=[item.nodeid for item in session.items])

    def pytest_collectreport(self, report: Any) -> None:
        """Note files that cannot be collected, or are skipped as a whole."""
        if report.failed:
            text = str(report.longrepr)
            self._write("collection_error", id=report.nodeid, text=text[-_TEXT:], **_from_text(text))
        elif report.skipped:
            self._write("collection_skip", id=report.nodeid, text=_reason(report.longrepr))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test is under way."""
        self._held[nodeid] = {"outcome": None, "duration": 0.0}
        self._write("begin", id=nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Keep what holds the exception itself, of which a report keeps but the text."""
        if self._red >= _MOST_SHOWN:
            item.config.option.tbstyle = "native"
        self._calls[(item.nodeid, call.when)] = call

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Fold the outcomes of setup, call and teardown into one; the worst counts."""
        held = self._held.setdefault(report.nodeid, {"outcome": None, "duration": 0.0})
        held["duration"] += getattr(report, "duration", 0.0) or 0.0
        call = self._calls.pop((report.nodeid, report.when), None)
        if report.outcome == "passed" and report.when != "call" and not hasattr(report, "wasxfail"):
            return
        outcome = _outcome(report)
        part = hasattr(report, "context")  # of a test with subtests
        if outcome is None or (part and outcome not in ("failed", "error")):
            return
        if _WEIGHTS.index(outcome) > _WEIGHTS.index(held["outcome"]):
            held["outcome"] = outcome
            held.pop("failure", None)
            if outcome in ("failed", "error"):
                self._red += 1
                held["failure"] = self._failure(report, call)

    def _failure(self, report: Any, call: Any) -> dict[str, Any]:
        excinfo = getattr(call, "excinfo", None)  # unittest sets it late, while the report is made
        raised = {} if excinfo is None else _raised(excinfo)
        crash = getattr(report.longrepr, "reprcrash", None)
        text = str(report.longrepr or "")
        failure = {"when": report.when, "text": text[-_TEXT:], "message": raised.get("message", "")}
        if crash is not None:
            failure.update(file=str(crash.path), line=crash.lineno)
            failure["message"] = failure["message"] or str(crash.message)[:_LINE]
        failure.update({key: raised[key] for key in ("type", "bases", "frames", "because") if key in raised})
        return failure

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Write what came of a test."""
        held = self._held.pop(nodeid, {"outcome": None})
        self._calls.clear()
        self._write("test", id=nodeid, **dict(held, outcome=held["outcome"] or "error"))

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Note that pytest itself or a plugin broke."""
        self._write("internal_error", text=str(excrepr)[-_TEXT:])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Say that the run came to its end."""
        self._write("end", exit=int(exitstatus))

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Close the report, so that projects that look for open files find none of ours."""
        self._file.close()


class DistributedReport(Report):
    """With tests spread over worker processes, the workers' collections are what was collected."""

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Note what a worker will run."""
        self._write("collected", ids=list(ids))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> Iterator[None]:
    """Begin the map of what tests reach before the first file of the project is imported."""
    _UNASKED[:] = _loaded()
    path = os.environ.pop("SETPOINT_REACH_FILE", None)
    if path is None:
        yield
        return
    reach = importlib.import_module("setpoint_reach").Reach(path)  # only where a map is asked for
    early_config.pluginmanager.register(reach, "setpoint-reach")
    reach.begin()
    yield
    reach.loaded()


def pytest_configure(config: Any) -> None:
    """Start reporting, where we were told to and are not a worker of a distributed run."""
    path = os.environ.pop("SETPOINT_REPORT_FILE", None)
    selection = os.environ.pop("SETPOINT_REPORT_SELECT", None)
    if path is None or hasattr(config, "workerinput"):
        return
    wanted = json.loads(Path(selection).read_text("utf-8")) if selection else {}
    kind = DistributedReport if config.pluginmanager.hasplugin("xdist") else Report
    config.pluginmanager.register(kind(path, wanted), "setpoint-report")


def _loaded() -> list[list[str]]:
    """List the modules that come from the tree, or from a place that belongs to no installation.

    Each with its file, below the tree from its root.
    """
    found = []
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or name == "__main__":
            continue
        path = path if path.startswith(os.sep) else _HERE + path
        if path.startswith(_TREE) and not path.startswith(_WITHIN):
            found.append([name, path[len(_TREE) :].replace(os.sep, "/")])
        elif not path.startswith(_INSTALLED) and not str(Path(path).resolve()).startswith(_INSTALLED):
            found.append([name, path])
    return found


def _ways(nodeid: str) -> Iterator[str]:
    """Name what a test is reached by, from its file to its function."""
    place, _, inner = nodeid.partition("::")
    yield place
    for name in inner.partition("[")[0].split("::") if inner else ():
        place = f"{place}::{name}"
        yield place


def _names(nodeid: str) -> set[str]:
    parts = nodeid.split("::")
    prefixes = {"::".join(parts[: count + 1]) for count in range(len(parts))}
    return prefixes | {nodeid, nodeid.partition("[")[0]}


def _outcome(report: Any) -> str | None:
    if hasattr(report, "wasxfail"):
        return {"skipped": "xfailed", "passed": "xpassed"}.get(report.outcome, "failed")
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    if report.outcome == "skipped":
        return "skipped"
    return "passed" if report.outcome == "passed" and report.when == "call" else None


def _reason(longrepr: Any) -> str:
    return str(longrepr[-1] if isinstance(longrepr, tuple) else longrepr)[:_LINE]


def _raised(excinfo: Any) -> dict[str, Any]:
    kind = excinfo.type
    frames = [
        {"file": frame.filename, "line": frame.lineno, "name": frame.name}
        for frame in traceback.extract_tb(excinfo.tb)[-_FRAMES:]
    ]
    return {
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "bases": [base.__name__ for base in kind.__mro__],
        "message": _said(excinfo.value),
        "frames": frames,
        "because": list(_because(excinfo.value)),
    }


def _because(error: BaseException) -> Iterator[dict[str, Any]]:
    """Yield what an exception was raised from, step by step; a ring of causes ends."""
    for _ in range(_CAUSES):
        if error.__cause__ is None:
            return
        error = error.__cause__
        yield {"bases": [base.__name__ for base in type(error).__mro__], "message": _said(error)}


def _said(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception as broken:  # noqa: BLE001 - the project's own __str__ may do anything
        text = f"<str() of it raises {type(broken).__name__}>"
    kind = type(error).__name__
    if kind == "AssertionError":
        return text[:_LINE] or "assert"
    return f"{kind}: {text}"[:_LINE]


def _from_text(text: str) -> dict[str, Any]:
    """Return type, message and frames of an error at collection, which pytest hands over as text alone."""
    said = [line[4:].strip() for line in text.splitlines() if line.startswith("E   ") and line[4:].strip()]
    frames = [{"file": file, "line": int(line)} for file, line in _PLACES.findall(text)]
    if not said:
        return {"type": "", "message": text.strip()[-_LINE:], "frames": frames}
    chosen = next((line for line in said if line.split(":")[0].endswith(("Error", "Exception"))), said[-1])
    return {"type": chosen.split(":")[0], "message": chosen[:_LINE], "frames": frames}
