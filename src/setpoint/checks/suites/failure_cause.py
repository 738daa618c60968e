"""What a failing test tells: the class of its cause, and the place where the cause lies."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from setpoint.checks.formats.tests import pytest_report
from setpoint.checks.formats.tests.pytest_report import Raised
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Cause, Failure, Frame

DETAIL = 4000
"""Characters kept of the end of a traceback."""
MOST_FRAMES = 12
"""Steps of a traceback that are kept, the deepest."""

_OF_ENVIRONMENT = re.compile(
    r"name or service not known|temporary failure in name resolution|nodename nor servname"
    r"|connection refused|network is unreachable|no route to host|max retries exceeded"
    r"|no space left on device|too many open files|read-only file system|address already in use"
    r"|cannot open shared object file",
    re.IGNORECASE,
)
_ENVIRONMENT_TYPES = frozenset({"PermissionError", "ConnectionError", "gaierror"})
_BY_SYSTEM = re.compile(r"\[Errno -?\d+\]")
"""What the operating system refused bears its number; what code raises by itself does not."""
_SYNTAX_TYPES = frozenset({"SyntaxError", "IndentationError", "TabError"})
_IMPORT_TYPES = frozenset({"ImportError", "ModuleNotFoundError"})
_TIMEOUT_TYPES = frozenset({"TimeoutExpired", "TimeoutError"})
_NO_MODULE = re.compile(r"No module named '?([\w.]+)")
_NO_PROGRAM = re.compile(r"No such file or directory: '([^'/]+)'")
_TIMEOUT = re.compile(r"^(Failed: )?Timeout\b|Timeout \(?>")


def failure_of(test: str, raised: Raised, tree: Path, owned: Callable[[str], bool]) -> Failure:
    """Explain a failing test; `owned` tells whether a top-level module belongs to the project.

    The place is the deepest frame inside the tree and outside its tests, else the deepest in the tree, else
    the test's own file. Where the changes are known, `explain.nearness` chooses again among the frames.
    """
    frames = _frames(raised, tree)
    place = deepest(frames)
    return Failure(
        test=test,
        cause=cause_of(raised, owned),
        message=" ".join(raised.message.split())[:400] or "no message",
        file=place.file if place else test.partition("::")[0],
        line=place.line if place else 0,
        detail=raised.text.replace(f"{tree}/", "")[-DETAIL:],
        error=raised.type.removeprefix("builtins."),
        frames=frames,
    )


def cause_of(raised: Raised, owned: Callable[[str], bool]) -> Cause:
    """Class an exception, in the order in which one class hides another.

    What was raised from another error (`raise ... from`) is of the environment if that one is.
    """
    names = {raised.type.rpartition(".")[2], *raised.bases}
    kind = raised.type.removeprefix("builtins.")
    failed = "AssertionError" in names or kind.startswith(("Failed", "_pytest.outcomes."))
    if _of_environment(raised, names, owned):
        return Cause.ENVIRONMENT
    if not failed and any(_of_environment(each, {*each.bases}, owned) for each in raised.because):
        return Cause.ENVIRONMENT
    if names & _SYNTAX_TYPES:
        return Cause.SYNTAX
    if names & _IMPORT_TYPES:
        return Cause.IMPORT
    if _TIMEOUT.search(raised.message) or names & _TIMEOUT_TYPES:
        return Cause.TIMEOUT
    return Cause.ASSERTION if failed else Cause.RUNTIME


def _of_environment(
    raised: Raised | pytest_report.Because, names: set[str], owned: Callable[[str], bool]
) -> bool:
    if names & _IMPORT_TYPES:
        missing = _NO_MODULE.search(raised.message)
        foreign = missing is not None and not owned(missing[1].partition(".")[0])
        return foreign or bool(_OF_ENVIRONMENT.search(raised.message))
    if names & _ENVIRONMENT_TYPES and _BY_SYSTEM.search(raised.message):
        return True
    if "AssertionError" in names or names & _SYNTAX_TYPES:
        return False  # what a test compares may speak of anything
    if _OF_ENVIRONMENT.search(raised.message):
        return True
    no_file = "FileNotFoundError" in names and _NO_PROGRAM.search(raised.message)
    return bool(no_file) and isinstance(raised, Raised) and _started_process(raised.frames)


def deepest(frames: tuple[Frame, ...]) -> Frame | None:
    """Return the deepest frame outside the tests, else the deepest; none where there is none."""
    code = [frame for frame in frames if not is_test_path(frame.file)]
    return code[-1] if code else frames[-1] if frames else None


def _frames(raised: Raised, tree: Path) -> tuple[Frame, ...]:
    """Return the steps inside the tree, outermost first; of many the deepest, and the deepest of the code."""
    steps = raised.frames or (pytest_report.Frame(file=raised.file, line=raised.line),)
    inside = [
        Frame(file=path, line=step.line or 0, function=step.name)
        for step in steps
        if (path := _within(step.file, tree))
    ]
    if not inside and (path := _within(raised.file, tree)):
        inside = [Frame(file=path, line=raised.line or 0)]
    kept = inside[-MOST_FRAMES:]
    code = deepest(tuple(inside))
    return tuple(kept if code is None or code in kept else [code, *kept[1:]])


def _within(file: str, tree: Path) -> str:
    path = Path(file)
    if not file or not path.is_absolute():
        return file if file and (tree / file).is_file() else ""
    return path.relative_to(tree).as_posix() if path.is_relative_to(tree) else ""


def _started_process(frames: tuple[pytest_report.Frame, ...]) -> bool:
    return any(Path(frame.file).name in ("subprocess.py", "base_subprocess.py") for frame in frames)
