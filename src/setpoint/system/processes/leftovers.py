"""Find and end what an earlier Setpoint, or a supervisor that was killed, left running.

Every command carries a mark in its environment, and what it starts inherits it: also a process that left its
session and whose parents are gone. The mark holds a random part, so no other process is taken for one of ours
(a process id could be in use again). Marks are read under /proc; elsewhere the supervisor alone ends a tree.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

VARIABLE = "_SETPOINT_TREE"
WITHIN_S = 5.0
"""Seconds after which processes that survive SIGKILL (stuck in the kernel) are given up."""
_POLL_S = 0.02
_PROC = Path("/proc")
_owner: ContextVar[str] = ContextVar("owner of processes", default="")


@contextmanager
def owned(by: str) -> Iterator[None]:
    """Mark every command started in this block, also by its tasks, as one of this owner."""
    token = _owner.set(by)
    try:
        yield
    finally:
        _owner.reset(token)


def owner_of(state: Path, run: str) -> str:
    """Name a run of one state folder, also after that has moved; a copy of the folder is another owner."""
    found = state.stat()
    return f"{run}.{found.st_dev:x}.{found.st_ino:x}"


def new_mark() -> str:
    """Make the mark of one command; it begins with the owner."""
    return f"{_owner.get()}/{uuid.uuid4().hex}"


def end_left(mark: str) -> int:
    """End all processes whose mark begins so, and what is below them; gives how many there were.

    This process and those above it are spared.
    """
    ended: set[int] = set()
    end = time.monotonic() + WITHIN_S
    while (found := _marked(mark)) and time.monotonic() < end:
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
            ended.add(pid)
        time.sleep(_POLL_S)
    return len(ended)


def _marked(mark: str) -> set[int]:
    parents = _parents()
    sign = f"\0{VARIABLE}={mark}".encode()
    found = {pid for pid in parents if sign in _environment(pid)}
    more = found
    while more:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
    return found - _line(os.getpid(), parents)


def _line(pid: int, parents: dict[int, int]) -> set[int]:
    found: set[int] = set()
    while pid and pid not in found:
        found.add(pid)
        pid = parents.get(pid, 0)
    return found


def _parents() -> dict[int, int]:
    """Return the living processes, each with its parent; empty on systems without /proc."""
    parents: dict[int, int] = {}
    for folder in _PROC.iterdir() if (_PROC / "self" / "stat").exists() else ():
        if not folder.name.isdigit():
            continue
        try:
            state, parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue  # it ended while we looked
        if state not in (b"Z", b"X"):
            parents[int(folder.name)] = int(parent)
    return parents


def _environment(pid: int) -> bytes:
    try:
        return b"\0" + (_PROC / str(pid) / "environ").read_bytes()
    except OSError:  # it ended meanwhile, or belongs to somebody else
        return b""
