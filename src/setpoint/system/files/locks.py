"""One owner for each run: a lock that dies with its process, whatever kills it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from setpoint.errors import RunInUse
from setpoint.model.ids import TraceId

_RUN = "run-"
"""Begins the names of runs; a lock may also be that of a story."""
_TRIES = 10
_PAUSE_S = 0.02


class Holder(NamedTuple):
    """The living process that holds a lock."""

    host: str
    process: int
    since: datetime


class RunLocks:
    """Locks of the runs of one state directory: files that the kernel locks, for processes on one machine."""

    def __init__(self, state: Path) -> None:
        """Use `locks/` in a state directory, which is made when the first run is locked."""
        self._folder = state / "locks"

    @contextmanager
    def held(self, trace_id: TraceId) -> Iterator[int]:
        """Own a run as long as the block lasts; `RunInUse` names the living process that owns it already.

        Yields the epoch: the higher, the later it was taken over by another machine; 0 on this one alone.
        """
        path = self._path(trace_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+", encoding="ascii") as file:
            if not _locked_soon(file.fileno()):
                owner = _process(path)
                message = f"{trace_id} is being worked on by process {owner or 'unknown'}"
                raise RunInUse(
                    message, hint="wait for it, follow it with `setpoint status`, or end that process"
                )
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield 0

    def owner(self, trace_id: TraceId) -> int | None:
        """Return the id of the living process that owns a run: 0 where it does not tell, none without one."""
        path = self._path(trace_id)
        try:
            with path.open("r", encoding="ascii") as file:
                if _locked(file.fileno(), shared=True):
                    return None
        except FileNotFoundError:
            return None
        return _process(path)

    def alive(self, kind: str) -> dict[str, Holder]:
        """Return who holds the locks of which the names begin so, by their names."""
        found = dict[str, Holder]()
        for path in sorted(self._folder.glob(f"{kind}*.lock")):
            if (process := self.owner(TraceId(path.stem))) is not None:
                since = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                found[path.stem] = Holder(os.uname().nodename, process, since)
        return found

    def owned_by(self, processes: Collection[int]) -> str:
        """Return the run that one of these living processes drives; empty where none does."""
        folder, silent = self._folder.resolve(), set[int]()
        for pid in processes:
            # By what it has open, for the ids in the files may come from another container.
            opened = _opened(pid)
            if opened is None:
                silent.add(pid)
            for path in opened or ():
                if path.parent == folder and path.name.startswith(_RUN):
                    return path.stem
        paths = [path for path in folder.glob(f"{_RUN}*.lock") if _process(path) in silent] if silent else []
        return next((path.stem for path in paths if self.owner(TraceId(path.stem)) is not None), "")

    def _path(self, trace_id: TraceId) -> Path:
        return self._folder / f"{trace_id}.lock"


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Take turns with other processes for as long as the block lasts; the lock dies with its process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="ascii") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        yield


def _opened(pid: int) -> list[Path] | None:
    """Return the files that a process has open; none where we may not look."""
    found = []
    try:
        with os.scandir(f"/proc/{pid}/fd") as entries:
            # What such a link says need not be a path.
            found = [Path(entry.path).readlink() for entry in entries]
    except OSError:
        return None
    return found


def _locked_soon(descriptor: int) -> bool:
    """Try for a moment: `owner` holds a lock too, for as long as it takes to look."""
    for _ in range(_TRIES):
        if _locked(descriptor):
            return True
        time.sleep(_PAUSE_S)
    return False


def _locked(descriptor: int, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _process(path: Path) -> int:
    text = path.read_text("ascii").strip()
    return int(text) if text.isdigit() else 0
