"""What a red test tells: the class of its cause, and the place where the cause lies."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from setpoint.domain.evidence import Cause, Failure
from setpoint.evaluators.formats.pytest_report import Frame, Raised

DETAIL = 900
"""Characters kept of the end of a traceback."""

_NETWORK = re.compile(
    r"name or service not known|temporary failure in name resolution|nodename nor servname"
    r"|connection refused|network is unreachable|max retries exceeded",
    re.IGNORECASE,
)
_ENVIRONMENT_TYPES = frozenset({"PermissionError", "ConnectionError", "gaierror"})
_SYNTAX_TYPES = frozenset({"SyntaxError", "IndentationError", "TabError"})
_IMPORT_TYPES = frozenset({"ImportError", "ModuleNotFoundError"})
_NO_MODULE = re.compile(r"No module named '?([\w.]+)")
_NO_PROGRAM = re.compile(r"No such file or directory: '([^'/]+)'")
_TIMEOUT = re.compile(r"^(Failed: )?Timeout\b|Timeout \(?>")
_TEST_FOLDERS = frozenset({"tests", "test", "testing", "__tests__", "__snapshots__", "testdata"})
_SCRIPT_TEST = re.compile(r"\.(test|spec|test-d|cy)\.[cm]?[jt]sx?$")


def failure_of(test: str, raised: Raised, tree: Path, owned: Callable[[str], bool]) -> Failure:
    """Explain a red test; `owned` tells whether a top-level module belongs to the project.

    The place is the deepest frame inside the tree and outside its tests, else the deepest in the tree, else
    the test's own file.
    """
    file, line = _place(raised, tree) or (test.partition("::")[0], 0)
    return Failure(
        test=test,
        cause=cause_of(raised, owned),
        message=" ".join(raised.message.split())[:400] or "no message",
        file=file,
        line=line,
        detail=raised.text.replace(f"{tree}/", "")[-DETAIL:],
    )


def cause_of(raised: Raised, owned: Callable[[str], bool]) -> Cause:
    """Class an exception, in the order in which one class hides another."""
    names = {raised.type.rpartition(".")[2], *raised.bases}
    if names & _SYNTAX_TYPES:
        return Cause.SYNTAX
    if names & _IMPORT_TYPES:
        missing = _NO_MODULE.search(raised.message)
        foreign = missing is not None and not owned(missing[1].partition(".")[0])
        return Cause.ENVIRONMENT if foreign else Cause.IMPORT
    if _TIMEOUT.search(raised.message) or "TimeoutExpired" in names:
        return Cause.TIMEOUT
    if _of_environment(raised, names):
        return Cause.ENVIRONMENT
    failed = "AssertionError" in names or raised.type.startswith(("Failed", "_pytest.outcomes."))
    return Cause.ASSERTION if failed else Cause.RUNTIME


def _of_environment(raised: Raised, names: set[str]) -> bool:
    if names & _ENVIRONMENT_TYPES or _NETWORK.search(raised.message):
        return True
    no_file = "FileNotFoundError" in names and _NO_PROGRAM.search(raised.message)
    return bool(no_file) and _started_process(raised.frames)


def is_test_path(path: str) -> bool:
    """Whether a path of the tree holds tests, by the conventions of the runners of each language."""
    *folders, name = path.split("/")
    if name == "conftest.py" or any(folder in _TEST_FOLDERS for folder in folders):
        return True
    if name.endswith(".py"):
        return name.startswith("test_") or name.endswith("_test.py") or name == "tests.py"
    return name.endswith("_test.go") or _SCRIPT_TEST.search(name) is not None


def _place(raised: Raised, tree: Path) -> tuple[str, int] | None:
    inside = [(path, frame.line or 0) for frame in raised.frames if (path := _within(frame.file, tree))]
    if not inside and (path := _within(raised.file, tree)):
        inside = [(path, raised.line or 0)]
    code = [place for place in inside if not is_test_path(place[0])]
    chosen = code or inside
    return chosen[-1] if chosen else None


def _within(file: str, tree: Path) -> str:
    path = Path(file)
    if not file or not path.is_absolute():
        return file if file and (tree / file).is_file() else ""
    return path.relative_to(tree).as_posix() if path.is_relative_to(tree) else ""


def _started_process(frames: tuple[Frame, ...]) -> bool:
    return any(Path(frame.file).name in ("subprocess.py", "base_subprocess.py") for frame in frames)
