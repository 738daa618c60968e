"""A pytest plugin that writes what happened as JSON lines, one fact a line, each flushed at once.

It is loaded with `-p setpoint_report` and told its files by variables, which it takes out of the environment:
`SETPOINT_REPORT_FILE` is written, `SETPOINT_REPORT_SELECT` (optional) is a JSON list of test or file identifiers,
all other tests are left out. A run that ended in order has a last line of kind `end`; whoever reads a report
without it knows that the interpreter died, and from the last `begin` in which test.
"""

import json
import os
import re
import traceback

import pytest

_FRAMES = 40
_TEXT = 4000
_LINE = 600
_PLACES = re.compile(r'^(?:E +File ")?([^\s":]+\.py)(?:", line |:)(\d+)', re.MULTILINE)


class Report:
    """Collects the outcome of each test and writes it when the test is over."""

    def __init__(self, path, wanted):
        self._file = open(path, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        self._wanted = wanted
        self._process = os.getpid()
        self._held = {}
        self._raised = {}

    def _write(self, kind, **facts):
        if os.getpid() != self._process:  # a fork of a test has our file handle, and nothing to say
            return
        self._file.write(json.dumps(dict(facts, kind=kind)) + "\n")
        self._file.flush()

    def pytest_sessionstart(self, session):
        self._write("start", pytest=pytest.__version__, root=str(session.config.rootdir))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, session, items):
        yield
        if self._wanted is None:
            return
        asked = set(self._wanted)
        items[:] = [item for item in items if not asked.isdisjoint(_names(item.nodeid))]

    def pytest_deselected(self, items):
        self._write("deselected", ids=[item.nodeid for item in items])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self._write("collected", ids=[item.nodeid for item in session.items])

    def pytest_collectreport(self, report):
        if report.failed:
            text = str(report.longrepr)
            self._write("collection_error", id=report.nodeid, text=text[-_TEXT:], **_from_text(text))
        elif report.skipped:
            self._write("collection_skip", id=report.nodeid, text=_reason(report.longrepr))

    def pytest_runtest_logstart(self, nodeid, location):
        self._held[nodeid] = {"outcome": None, "duration": 0.0}
        self._write("begin", id=nodeid)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None:
            self._raised[(item.nodeid, call.when)] = _raised(call.excinfo)
        yield

    def pytest_runtest_logreport(self, report):
        held = self._held.setdefault(report.nodeid, {"outcome": None, "duration": 0.0})
        held["duration"] += getattr(report, "duration", 0.0) or 0.0
        outcome = _outcome(report)
        if outcome is None or (outcome == "skipped" and hasattr(report, "context")):
            return
        if _weight(outcome) > _weight(held["outcome"]):
            held["outcome"] = outcome
            held.pop("failure", None)
            if outcome in ("failed", "error"):
                held["failure"] = self._failure(report)
            elif outcome in ("skipped", "xfailed"):
                held["reason"] = _reason(report.longrepr)

    def _failure(self, report):
        raised = self._raised.get((report.nodeid, report.when), {})
        crash = getattr(report.longrepr, "reprcrash", None)
        text = str(report.longrepr or "")
        failure = {"when": report.when, "text": text[-_TEXT:], "message": raised.get("message", "")}
        if crash is not None:
            failure.update(file=str(crash.path), line=crash.lineno)
            failure["message"] = failure["message"] or str(crash.message)[:_LINE]
        failure.update({key: raised[key] for key in ("type", "bases", "frames") if key in raised})
        return failure

    def pytest_runtest_logfinish(self, nodeid, location):
        held = self._held.pop(nodeid, {"outcome": None})
        for when in ("setup", "call", "teardown"):
            self._raised.pop((nodeid, when), None)
        self._write("test", id=nodeid, **dict(held, outcome=held["outcome"] or "error"))

    def pytest_internalerror(self, excrepr):
        self._write("internal_error", text=str(excrepr)[-_TEXT:])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        self._write("end", exit=int(exitstatus))


class DistributedReport(Report):
    """With tests spread over worker processes, the workers' collections are what was collected."""

    def pytest_xdist_node_collection_finished(self, node, ids):
        self._write("collected", ids=list(ids))


def pytest_configure(config):
    path = os.environ.pop("SETPOINT_REPORT_FILE", None)
    selection = os.environ.pop("SETPOINT_REPORT_SELECT", None)
    if path is None or hasattr(config, "workerinput"):
        return
    wanted = None
    if selection:
        with open(selection, encoding="utf-8") as file:
            wanted = json.load(file)
    kind = DistributedReport if config.pluginmanager.hasplugin("xdist") else Report
    config.pluginmanager.register(kind(path, wanted), "setpoint-report")


def _names(nodeid):
    parts = nodeid.split("::")
    return {"::".join(parts[: count + 1]) for count in range(len(parts))} | {nodeid, nodeid.partition("[")[0]}


def _outcome(report):
    if hasattr(report, "wasxfail"):
        return {"skipped": "xfailed", "passed": "xpassed"}.get(report.outcome, "failed")
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    if report.outcome == "skipped":
        return "skipped"
    if report.outcome == "passed" and report.when == "call":
        return "passed"
    return None


def _weight(outcome):
    return (None, "passed", "xpassed", "xfailed", "skipped", "error", "failed").index(outcome)


def _reason(longrepr):
    return str(longrepr[2] if isinstance(longrepr, tuple) and len(longrepr) > 2 else longrepr)[:_LINE]


def _raised(excinfo):
    kind = excinfo.type
    frames = [
        {"file": frame.filename, "line": frame.lineno, "name": frame.name}
        for frame in traceback.extract_tb(excinfo.tb)[-_FRAMES:]
    ]
    return {
        "type": "{}.{}".format(kind.__module__, kind.__qualname__),
        "bases": [base.__name__ for base in kind.__mro__],
        "message": _said(excinfo.value),
        "frames": frames,
    }


def _said(error):
    try:
        text = str(error)
    except Exception as broken:  # noqa: BLE001 - the project's own __str__ may do anything
        text = "<str() of it raises {}>".format(type(broken).__name__)
    kind = type(error).__name__
    if kind == "AssertionError":
        return text[:_LINE] or "assert"
    return "{}: {}".format(kind, text)[:_LINE]


def _from_text(text):
    """Give type and message of an error at collection, which pytest hands over as text alone."""
    marked = [line[4:] for line in text.splitlines() if line.startswith("E   ")]
    said = [line.strip() for line in marked if line.strip()]
    frames = [{"file": file, "line": int(line)} for file, line in _PLACES.findall(text)]
    if not said:
        return {"type": "", "message": text.strip()[-_LINE:], "frames": frames}
    chosen = next((line for line in said if line.split(":")[0].endswith(("Error", "Exception"))), said[-1])
    return {"type": chosen.split(":")[0], "message": chosen[:_LINE], "frames": frames}
