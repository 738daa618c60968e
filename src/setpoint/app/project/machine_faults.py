"""Say what the machine refused: each cause in a sentence of its own, with what to do."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from setpoint.app.project.full_disk import causes, full_disk
from setpoint.database.store_faults import store_fault
from setpoint.errors import SetpointError
from setpoint.settings import load

_AGAIN = "then repeat the command; `setpoint resume` continues a run, and nothing recorded is lost"
_CLOSED = ("no permission", f"look at its owner and mode, or use a terminal outside any sandbox, {_AGAIN}")
_HANDLES = ("too many open files", f"raise the limit (`ulimit -n 4096`), {_AGAIN}")
_MEMORY = ("out of memory", f"end other programs, or raise the limit (`ulimit -v`), {_AGAIN}")
_SAID = {
    errno.EACCES: _CLOSED,
    errno.EPERM: _CLOSED,
    errno.EROFS: (
        "it lies on a read-only file system",
        f"make it writable, or set state_dir, cache_dir or TMPDIR to a folder that is, {_AGAIN}",
    ),
    errno.EMFILE: _HANDLES,
    errno.ENFILE: _HANDLES,
    errno.ENOMEM: _MEMORY,
    errno.EFBIG: ("the file would be larger than allowed", f"raise the limit (`ulimit -f`), {_AGAIN}"),
    errno.EIO: ("the disk gives an error", f"read the system's log and check the disk, {_AGAIN}"),
}


def machine_fault(error: BaseException, root: Path) -> str:
    """Describe what the machine refused, for a repository; empty for any other error."""
    if said := full_disk(error, root):
        return said
    return next((text for each in causes(error) if (text := _said(each, root))), "")


def _said(error: BaseException, root: Path) -> str:
    if isinstance(error, sqlite3.Error):
        return str(store_fault(root / load(root).state_dir / "app.db", error) or "")
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        what, hint = _MEMORY
        return f"{what}\n  hint: {hint}"
    if isinstance(error, SetpointError):  # git has met it
        number = next((each for each in _SAID if os.strerror(each) in error.message), 0)
        what, hint = _SAID.get(number, ("", ""))
        return f"{error.message}: {what}\n  hint: {hint}" if what else ""
    if isinstance(error, OSError) and error.errno in _SAID:
        what, hint = _SAID[error.errno]
        return f"{error.filename or 'a file'}: {what} ({error.strerror})\n  hint: {hint}"
    return ""
