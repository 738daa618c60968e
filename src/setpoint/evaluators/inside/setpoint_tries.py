# ruff: noqa: ANN401 - the objects of pytest have other types in each of the versions we meet
"""Running tests again without a second start: in forks of a process that has collected and run no test.

The report plugin asks it where tests may run more than once. Of a selection, every run happens in a child,
the first one too, and what was to be cleared away at the exit of the process is cleared away when all of them
have run. The whole suite runs in the process that has collected it; a fork of that waits until then, and
what failed runs again in children of the fork. Each further run has a report of its own (`.1`, `.2`, ...).
Where a fork might share more than memory (another thread, a socket, an open file) nothing is forked, and
Setpoint starts a new process for each run as it does elsewhere.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any, Callable, Optional  # noqa: UP035 - where Python 3.8 has it

_LOOK_S = 0.01
_HELD_BYTES = 1 << 30
"""A process that has become larger is not kept a second time."""
_PATIENCE_S, _PATIENCE = 10.0, 4
"""So long, and so often the time of what failed, the whole suite waits for it to run again."""
_TELLING = ("failed", "error", '"kind": "end"')
"""Lines of a report that hold none of these say nothing of what runs again."""
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


def may_hold() -> bool:
    """Whether a fork may wait beside this process: it is not large, and coverage does not save it too."""
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    patched = getattr(getattr(_coverage(), "config", None), "patch", None) or ()
    return pages * os.sysconf("SC_PAGESIZE") <= _HELD_BYTES and not {"fork", "_exit"}.intersection(patched)


def _coverage() -> Any:
    control = getattr(sys.modules.get("coverage"), "Coverage", None)
    return getattr(control, "current", lambda: None)()


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
        self._held = bool(wanted.get("held"))
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

    def hold(self, session: Any) -> Optional[Held]:  # noqa: UP045 - as above
        """Fork a process that waits, and runs what failed again once it is let; gives none in such a run.

        It is nobody's child here, so that tests that wait for all their children do not wait for it.
        """
        go, begin = os.pipe()
        ended, end = os.pipe()
        if _forked() is not None:
            os.close(go)
            os.close(end)
            return Held(begin, ended)
        if os.fork():
            os._exit(0)
        os.close(begin)
        os.close(ended)
        for number in range(1, self._more + 1) if os.read(go, 1) else ():
            again = self._again(session, number - 1)
            if not again:
                break
            last = number == self._more
            child = _forked(wait=not last)
            if child is None:
                session.items[:] = again
                self._begin(f"{self._report}.{number}")
                # Before coverage would save. The last one says that it has ended: to be gone takes a while.
                session.config.add_cleanup(functools.partial(_leave, session, end if last else None))
                if _coverage() is not None:
                    _coverage().stop()
                return None
            if last:
                os._exit(0)
            if not _in_order(child):
                break
        with contextlib.suppress(BrokenPipeError):
            os.write(end, b".")
        os._exit(0)

    def _child(self, session: Any, report: Optional[str]) -> None:  # noqa: UP045 - as above
        self._begin(report)
        atexit.register(_leave, session)  # runs before all that was registered until now, and instead of it

    def _again(self, session: Any, last: int) -> list[Any]:
        """Give the tests of the next run by the report of the last; none where it is not worth one."""
        if self._every:
            return list(session.items)
        path = Path(f"{self._report}.{last}" if last else self._report)
        try:
            written = path.read_text("utf-8").splitlines()
            lines = [json.loads(line) for line in written if any(word in line for word in _TELLING)]
        except (OSError, ValueError):
            return []
        whole = {line["id"] for line in lines if line["kind"] == "collection_error"}
        red = {
            line["id"] for line in lines if line["kind"] == "test" and line["outcome"] in ("failed", "error")
        }
        red -= self._settled
        if not red or len(red) > self._most:
            return []
        if not (self._held and not last) and (whole - self._settled or lines[-1]["kind"] != "end"):
            return []
        return [item for item in session.items if item.nodeid in red]


class Held:
    """The process that waits, as seen by the one that runs the whole suite."""

    def __init__(self, begin: int, ended: int) -> None:
        """Keep the ends of two pipes: by one it is let, by the other it says that it has ended."""
        self._begin = begin
        self._ended = ended
        self._until = 0.0
        self._pipes = [os.fstat(number).st_ino for number in (begin, ended)]

    def let(self, red_s: float) -> None:
        """Let it run again what failed, and took so many seconds."""
        if not self._open():
            return
        with contextlib.suppress(BrokenPipeError):  # somebody has killed it: Setpoint starts processes then
            os.write(self._begin, b".")
            self._until = time.monotonic() + _PATIENCE_S + _PATIENCE * red_s

    def leave(self) -> None:
        """Let it end; waits until it has run what it was let run, but not for ever."""
        if self._open():
            select.select([self._ended], [], [], max(0.0, self._until - time.monotonic()))
            os.close(self._begin)
            os.close(self._ended)

    def _open(self) -> bool:
        """Whether no test has closed all that was open, and perhaps something else bears these numbers."""
        try:
            return [os.fstat(number).st_ino for number in (self._begin, self._ended)] == self._pipes
        except OSError:
            return False


def _forked(*, wait: bool = True) -> Optional[int]:  # noqa: UP045 - as above
    """Fork; gives how the child ended where it is waited for, and none in the child itself."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        return None
    return os.waitpid(child, 0)[1] if wait else 0


def _in_order(status: int) -> bool:
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 1)


def _leave(session: Any, end: Optional[int] = None) -> None:  # noqa: UP045 - as above
    """End here and now; says by a pipe that all has been written."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        if end is not None:
            os.write(end, b".")
    os._exit(int(session.exitstatus))


def _end_like(status: int) -> None:
    """End as the first child ended, without the rest of pytest: that was the child's part."""
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # SIGKILL, which has no other action
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    atexit._run_exitfuncs()  # noqa: SLF001 - the rest of the interpreter's end was the children's part
    os._exit(os.WEXITSTATUS(status))
