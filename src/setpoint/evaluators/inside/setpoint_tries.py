# ruff: noqa: ANN401 - the objects of pytest have other types in each of the versions we meet
"""Running a selection again without a second start: each run is a fork of a process that has run no test.

The report plugin asks it where a selection is to run more than once. The process that has collected stays as
it is; every run, the first one too, happens in a child of its own with a report of its own (`.1`, `.2`, ...).
What was to be cleared away at the exit of the process is cleared away when all of them have run.
Where a fork might share more than memory (another thread, a socket, an open file) nothing is forked, and
Setpoint starts a new process for each run as it does elsewhere.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Callable, Optional  # noqa: UP035 - where Python 3.8 has it

_LOOK_S = 0.01
_SHARED = ("/dev/null", "/dev/urandom", "/dev/random", "pipe:")


def may_fork(report: str) -> bool:
    """Whether this process holds nothing that two children could quarrel about."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 - names are enough
            return False
        held = [_target(number) for number in os.listdir("/proc/self/fd")]  # noqa: PTH208 - as above
    except OSError:
        return False
    return all(not path or path == report or path.startswith(_SHARED) or _captures(path) for path in held)


def _target(number: str) -> str:
    if int(number) <= 2:  # noqa: PLR2004 - what every process has
        return ""
    try:
        return str(Path(f"/proc/self/fd/{number}").readlink())
    except OSError:  # the listing itself, closed by now
        return ""


def _captures(path: str) -> bool:
    """Whether a file is the one without a name that pytest catches output in."""
    return path.endswith(" (deleted)")


def awaited(word: str) -> dict[str, Any]:
    """Wait for the file that says which tests run, and how often again; where none comes, we are ended."""
    while not os.path.exists(word):  # noqa: PTH110 - asked for often
        time.sleep(_LOOK_S)
    return dict(json.loads(Path(word).read_text("utf-8")))


class Tries:
    """Decides in the parent what runs next, and stays out of the children's way."""

    def __init__(self, report: str, wanted: dict[str, Any], begin: Callable[[Optional[str]], None]) -> None:  # noqa: UP045 - as above
        """Report to `report`; `begin` turns the report plugin of a child to a file of its own."""
        self._report = report
        self._more = int(wanted["again"])
        self._every = bool(wanted.get("every"))
        self._settled = set(wanted.get("settled") or ())
        self._most = int(wanted["most"])
        self._begin = begin

    def run(self, session: Any) -> None:
        """Fork a child for each run, in which this returns; the parent ends as its first child did."""
        ended = _forked()
        if ended is None:
            self._child(session, None)
            return
        for number in range(1, self._more + 1):
            again = self._again(session, number - 1) if _in_order(ended) else []
            if not again:
                break
            child = _forked()
            if child is None:
                session.items[:] = again
                self._child(session, f"{self._report}.{number}")
                return
        _end_like(ended)

    def _child(self, session: Any, report: Optional[str]) -> None:  # noqa: UP045 - as above
        self._begin(report)
        atexit.register(_leave, session)  # runs before all that was registered until now, and instead of it

    def _again(self, session: Any, last: int) -> list[Any]:
        """Give the tests of the next run by the report of the last; none where it is not worth one."""
        if self._every:
            return list(session.items)
        path = Path(f"{self._report}.{last}" if last else self._report)
        try:
            lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        except (OSError, ValueError):
            return []
        whole = {line["id"] for line in lines if line["kind"] == "collection_error"}
        red = {
            line["id"] for line in lines if line["kind"] == "test" and line["outcome"] in ("failed", "error")
        }
        red -= self._settled
        if whole - self._settled or len(red) > self._most or lines[-1]["kind"] != "end":
            return []
        return [item for item in session.items if item.nodeid in red]


def _forked() -> Optional[int]:  # noqa: UP045 - as above
    """Fork; gives how the child ended, and none in the child itself."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    return os.waitpid(child, 0)[1] if child else None


def _in_order(status: int) -> bool:
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 1)


def _leave(session: Any) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(int(session.exitstatus))


def _end_like(status: int) -> None:
    """End as the first child ended, without the rest of pytest: that was the child's part."""
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # SIGKILL, which has no other action
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    atexit._run_exitfuncs()  # noqa: SLF001 - the rest of the interpreter's end was the children's part
    os._exit(os.WEXITSTATUS(status))
