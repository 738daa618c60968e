"""The processes that this one descends from."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from setpoint.system.processes.supervisor_link import SCRIPT

_PROC = Path("/proc")


def ancestors() -> tuple[int, ...]:
    """Return the ids of the processes above this one, nearest first, as far as the system tells them.

    What an agent or a check starts stays below the driver of its run, also after it forks twice: on Linux
    the supervisor adopts it.
    """
    parents = _parents_by_ps() if not (_PROC / "self" / "stat").exists() else None
    found: list[int] = []
    pid = os.getppid()
    while pid > 0 and pid not in found:
        found.append(pid)
        pid = parents.get(pid, 0) if parents is not None else _parent(pid)
    return tuple(found)


def supervised() -> bool:
    """Whether Setpoint started this process or one above it: an agent, a check, or what they started.

    On systems without /proc the answer is no.
    """
    return any(SCRIPT.encode() in _words(pid) for pid in ancestors())


def _words(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def _parent(pid: int) -> int:
    try:
        return int((_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):  # it ended meanwhile, or belongs to somebody else
        return 0


def _parents_by_ps() -> dict[int, int]:
    try:
        done = subprocess.run(
            ["ps", "-axo", "pid=,ppid="],
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return {}
    pairs = (line.split() for line in done.stdout.decode().splitlines())
    return {int(pid): int(parent) for pid, parent in pairs}
