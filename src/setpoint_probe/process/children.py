"""Forked children with limits of CPU time, wall time and memory, which report records over a pipe.

CPU time is limited with `ITIMER_PROF` and the default action of its signal: the kernel ends the child, also
inside a loop in C or one that swallows every exception. The parent knows from the last record what it was at.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

Report = Callable[[object], None]
_LENGTH = struct.Struct("<I")
_TIMERS = (signal.SIGPROF, signal.SIGALRM, signal.SIGVTALRM)


class Ended(NamedTuple):
    """How a child ended."""

    finished: bool
    """It did all it had to."""
    cpu_limit: bool
    """The kernel ended it because a time limit was used up."""
    stopped: bool
    """The parent ended it."""
    cpu_s: float
    error: str = ""
    """The exception that ended it."""


class Limits(NamedTuple):
    """What a child may use."""

    memory_bytes: int
    silence_s: float = 20.0
    """Seconds without a record after which the parent ends the child."""


def run_child(
    act: Callable[[Report], None], limits: Limits, on_record: Callable[[Any], bool | None]
) -> Ended:
    """Run `act` in a forked child; `on_record` gets each record and returns True to end the child early."""
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        _be_child(act, write_end, limits)
    os.close(write_end)
    try:
        stopped, final = _listen(read_end, limits.silence_s, on_record)
    finally:
        os.close(read_end)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL) if _leads_group(pid) else os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
    by_timer = os.WIFSIGNALED(status) and os.WTERMSIG(status) in _TIMERS
    finished = isinstance(final, _Final) and not final.error
    error = final.error if isinstance(final, _Final) else ""
    return Ended(finished, by_timer and not stopped, stopped, usage.ru_utime + usage.ru_stime, error)


def cpu_timer(seconds: float, wall_s: float = 0.0, look_s: float = 0.0) -> None:
    """Let the kernel end this process after some CPU seconds, or wall seconds; 0 takes the limit away.

    After `look_s` CPU seconds `SIGVTALRM` is raised, for whoever has set a handler with `look_then`.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_s)
    signal.setitimer(signal.ITIMER_VIRTUAL, look_s)


def look_then(is_lost: Callable[[FrameType | None], bool]) -> None:
    """When the time of `cpu_timer` to look has come, end this process if what runs `is_lost`."""

    def look(_number: int, frame: FrameType | None) -> None:
        if is_lost(frame):
            os.kill(os.getpid(), signal.SIGPROF)

    signal.signal(signal.SIGVTALRM, look)


def cpu_used() -> float:
    """Return the CPU seconds that this process and its ended children have used."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


class _Final(NamedTuple):
    """The last record of a child that came to its end by itself."""

    error: str


def _be_child(act: Callable[[Report], None], write_end: int, limits: Limits) -> None:
    """Never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        _be_quiet()
        _limit_memory(limits.memory_bytes)
        for number in (signal.SIGPROF, signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        report = _reporter(write_end)
        try:
            act(report)
            error = ""
        except BaseException as raised:  # noqa: BLE001 - the child's edge: whatever it was is reported to the parent
            error = f"{type(raised).__name__}: {raised}"[:2000]
        cpu_timer(0.0)
        sys.stdout.flush()
        sys.stderr.flush()
        report(_Final(error))
        status = 0
    finally:
        os._exit(status)


def _reporter(write_end: int) -> Report:
    def report(record: object) -> None:
        data = pickle.dumps(record)
        data = _LENGTH.pack(len(data)) + data
        while data:
            data = data[os.write(write_end, data) :]

    return report


def _be_quiet() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the child
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the same
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the same


def _limit_memory(memory_bytes: int) -> None:
    """Bound the address space; where the system refuses (macOS), the limit on CPU time has to do."""
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _leads_group(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        return os.getpgid(pid) == pid
    return False


class _Inbox:
    """Puts the records together that come from one child in pieces."""

    def __init__(self) -> None:
        self._pending = b""

    def take(self, data: bytes) -> Iterator[object]:
        """Yield the records that are complete now."""
        self._pending += data
        while len(self._pending) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._pending)
            end = _LENGTH.size + length
            if len(self._pending) < end:
                return
            record = pickle.loads(self._pending[_LENGTH.size : end])  # noqa: S301 - written by our own child
            self._pending = self._pending[end:]
            yield record


def _listen(read_end: int, silence_s: float, on_record: Callable[[Any], bool | None]) -> tuple[bool, object]:
    """Read records until the pipe closes, a final record comes, or the child has to be stopped."""
    inbox = _Inbox()
    heard = time.monotonic()
    while True:
        ready, _, _ = select.select([read_end], [], [], 0.25)
        if not ready:
            if time.monotonic() - heard > silence_s:
                return True, None
            continue
        data = os.read(read_end, 1 << 16)
        if not data:
            return False, None
        heard = time.monotonic()
        for record in inbox.take(data):
            if isinstance(record, _Final):
                return False, record
            if on_record(record):
                return True, None


def run_children(
    acts: Sequence[Callable[[Report], None]], limits: Limits, on_record: Callable[[int, Any], None]
) -> list[str]:
    """Run acts in forked children side by side; `on_record` gets a child's place with each record.

    Gives for each child why it did not come to its end, empty where it did. A child that is silent for too
    long is ended.
    """
    running: dict[int, _Running] = {}
    for place, act in enumerate(acts):
        read_end, write_end = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            os.close(read_end)
            for other in running:
                os.close(other)
            _be_child(act, write_end, limits)
        os.close(write_end)
        running[read_end] = _Running(place, pid, _Inbox())
    errors = ["it ended its process"] * len(acts)
    try:
        _hear(running, limits.silence_s, on_record, errors)
    finally:
        for read_end, each in running.items():
            _end(read_end, each.pid)
    return errors


@dataclass
class _Running:
    """One of several children."""

    place: int
    pid: int
    inbox: _Inbox
    heard: float = field(default_factory=time.monotonic)


def _hear(
    running: dict[int, _Running], silence_s: float, on_record: Callable[[int, Any], None], errors: list[str]
) -> None:
    while running:
        ready, _, _ = select.select(list(running), [], [], 0.25)
        for read_end in ready:
            each = running[read_end]
            each.heard = time.monotonic()
            data = os.read(read_end, 1 << 16)
            over = not data
            for record in each.inbox.take(data):
                if isinstance(record, _Final):
                    errors[each.place], over = record.error, True
                else:
                    on_record(each.place, record)
            if over:
                _end(read_end, running.pop(read_end).pid)
        for read_end, each in list(running.items()):
            if time.monotonic() - each.heard > silence_s:
                errors[each.place] = "it was silent for too long"
                _end(read_end, running.pop(read_end).pid)


def _end(read_end: int, pid: int) -> None:
    os.close(read_end)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL) if _leads_group(pid) else os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
