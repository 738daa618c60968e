# ruff: noqa: ANN401, D102, N802 - unittest names its methods, and its objects differ from Python to Python
"""Runs unittest's tests and writes what happened as JSON lines, in the words of our pytest plugin.

`python setpoint_unittest_runner.py [FILE ...]`, at the root of the tree, with the variables of
`setpoint_report`. A
test is named as pytest would name it: `tests/test_a.py::TestA::test_one`. As unittest's own `discover` does,
this imports a file as a module of the package it lies in, and respects `load_tests`.
"""

from __future__ import annotations

import faulthandler
import json
import os
import platform
import sys
import time
import traceback
import unittest
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035 - where Python 3.8 has it

_FRAMES = 40
_TEXT = 4000
_LINE = 600
_NO_TESTS = 5
_WEIGHTS = (None, "passed", "xfailed", "skipped", "failed", "error")


class Writer:
    """Writes facts, one a line, each flushed at once."""

    def __init__(self, path: str) -> None:
        """Write to `path`."""
        self._file = Path(path).open("w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - to the end
        self._process = os.getpid()

    def write(self, kind: str, **facts: Any) -> None:
        """Write a fact, unless this is a fork that a test has made."""
        if os.getpid() == self._process:
            self._file.write(json.dumps(dict(facts, kind=kind)) + "\n")
            self._file.flush()


class Report(unittest.TestResult):
    """Folds what unittest tells of a test into one outcome; the worst counts."""

    def __init__(self, writer: Writer, names: dict[str, str]) -> None:
        """`names` are the tests' identifiers by unittest's own."""
        super().__init__()
        self._writer, self._names = writer, names
        self._held: dict[str, Any] = {"outcome": None}
        self._began = 0.0
        self._running = ""
        self._told: set[str] = set()

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        self._held, self._began, self._running = {"outcome": None}, time.monotonic(), test.id()
        self._writer.write("begin", id=self._name(test))

    def stopTest(self, test: Any) -> None:
        super().stopTest(test)
        outcome, self._running = self._held["outcome"] or "error", ""
        self._tell(
            self._name(test), dict(self._held, outcome=outcome, duration=time.monotonic() - self._began)
        )

    def addSuccess(self, test: Any) -> None:
        super().addSuccess(test)
        self._note(test, "passed")

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self._note(test, "skipped")

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self._note(test, "xfailed")

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        self._note(test, "failed", {"when": "call", "message": "Unexpected success"})

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self._note(test, "failed", _raised(err, "call"))

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self._note(test, "failed", _raised(err, "call"))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, "failed", _raised(err, "call"))

    def _note(self, test: Any, outcome: str, failure: dict[str, Any] | None = None) -> None:
        if not isinstance(test, unittest.TestCase):  # setUpClass, setUpModule and their like
            self._of_many(test.id(), "error" if outcome == "failed" else outcome, failure)
        elif test.id() != self._running:  # some versions tell that a test is skipped without starting it
            self._tell(self._name(test), {"outcome": outcome, "duration": 0.0, "failure": failure})
        elif _WEIGHTS.index(outcome) > _WEIGHTS.index(self._held["outcome"]):
            self._held = {"outcome": outcome, "failure": failure}

    def _of_many(self, place: str, outcome: str, failure: dict[str, Any] | None) -> None:
        """Return tests of a class or module the outcome of what prepares them, or clears up after them."""
        inside = place.partition("(")[2].rstrip(")")
        if failure is not None:
            failure["when"] = "setup" if place.startswith("setUp") else "teardown"
        for own, name in self._names.items():
            if own.startswith(inside + ".") and (name not in self._told or outcome == "error"):
                self._tell(name, {"outcome": outcome, "duration": 0.0, "failure": failure})

    def _name(self, test: Any) -> str:
        return self._names.get(test.id(), str(test.id()))

    def _tell(self, name: str, facts: dict[str, Any]) -> None:
        self._told.add(name)
        self._writer.write("test", id=name, **facts)


def _raised(err: Any, when: str) -> dict[str, Any]:
    kind, error, trace = err
    frames = [
        {"file": frame.filename, "line": frame.lineno, "name": frame.name}
        for frame in traceback.extract_tb(trace)
        if "__unittest" not in frame.name and not _of_unittest(frame.filename)
    ]
    try:
        said = str(error)
    except Exception as broken:  # noqa: BLE001 - the project's own __str__ may do anything
        said = f"<str() of it raises {type(broken).__name__}>"
    name = kind.__name__
    return {
        "when": when,
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "bases": [base.__name__ for base in kind.__mro__],
        "message": (said or "assert")[:_LINE] if name == "AssertionError" else f"{name}: {said}"[:_LINE],
        "frames": frames[-_FRAMES:],
        "text": "".join(traceback.format_exception(kind, error, trace))[-_TEXT:],
    }


def _of_unittest(file: str) -> bool:
    return Path(file).parent == Path(unittest.__file__).parent


def _root_of(file: Path) -> Path:
    """Return the folder from which a file is imported: the first one up that is no package."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def _loaded(file: str, writer: Writer) -> list[Any]:
    """Load the tests of a file; what keeps it from being imported is written down."""
    place = Path(file).resolve()
    root = _root_of(place)
    if str(root) not in sys.path:
        sys.path.insert(1, str(root))
    module = ".".join(place.relative_to(root).with_suffix("").parts)
    try:
        found = import_module(module)
        if Path(str(found.__file__)).resolve() != place:
            raise ImportError(f"{module} is imported from {found.__file__}, not from {file}")
    except unittest.SkipTest as skipped:
        writer.write("collection_skip", id=file, text=str(skipped)[:_LINE])
        return []
    except BaseException as error:  # the boundary to a file of tests: it could not be imported
        if isinstance(error, KeyboardInterrupt):
            raise
        writer.write(
            "collection_error", id=file, **_raised((type(error), error, error.__traceback__), "collect")
        )
        return []
    return list(_flat(unittest.defaultTestLoader.loadTestsFromModule(found)))


def _flat(suite: Any) -> Iterator[Any]:
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from _flat(each)
        else:
            yield each


def _names(tests: list[Any], file: str) -> dict[str, str]:
    """Name the tests of a file: file, class, method; what `load_tests` makes otherwise keeps its own name."""
    named = {}
    for test in tests:
        named[test.id()] = f"{file}::{type(test).__qualname__}::{test.id().rpartition('.')[2]}"
    return named


def _asked_for(name: str, asked: dict[str, Any]) -> bool:
    wanted = asked.get("only")
    if name in (asked.get("leave_out") or ()):
        return False
    parts = name.split("::")
    return wanted is None or any("::".join(parts[: count + 1]) in wanted for count in range(len(parts)))


def main(files: list[str]) -> int:
    """Run the tests of the files, or those of them that were selected."""
    faulthandler.enable()  # as pytest does
    writer = Writer(os.environ.pop("SETPOINT_REPORT_FILE"))
    selection = os.environ.pop("SETPOINT_REPORT_SELECT", None)
    asked = json.loads(Path(selection).read_text("utf-8")) if selection else {}
    sys.path[0] = str(Path.cwd())  # as `python -m unittest` has it; before, it was the folder of this file
    sys.argv = ["python -m unittest"]
    writer.write("start", pytest=platform.python_version())
    suite, names = unittest.TestSuite(), {}
    for file in files:
        tests = _loaded(file, writer)
        own = {test: name for test, name in _names(tests, file).items() if _asked_for(name, asked)}
        suite.addTests(test for test in tests if test.id() in own)
        names.update(own)
    writer.write("collected", ids=list(names.values()))
    report = Report(writer, names)
    if "SETPOINT_REPORT_COLLECT" not in os.environ:
        suite.run(report)
    code = _NO_TESTS if not names else 0 if report.wasSuccessful() else 1
    writer.write("end", exit=code)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
