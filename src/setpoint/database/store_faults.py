"""Say why a SQLite file of the record cannot be used, each cause in a sentence of its own, with what to do.

No hint moves or removes the file: it is the record.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from setpoint.errors import RecordedDataError

_SIDES = ("", "-wal", "-shm")
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)
_DAMAGED = (
    "the record is damaged",
    "restore it from a backup, or let `sqlite3` recover a copy of it (.recover); nothing is written to it",
)
_SAID = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: ("no space left on the disk for the record", "free some space, and repeat"),
    sqlite3.SQLITE_IOERR: (
        "the disk of the record gives an error",
        "read the system's log and check the disk",
    ),
}


def store_fault(path: Path | str, error: object) -> RecordedDataError | None:
    """Return what is wrong with a SQLite file, as an error that says so; none for another error or place."""
    if not isinstance(path, Path) or not isinstance(error, sqlite3.Error):
        return None
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _CLOSED:
        return _closed(path)
    if code in _LOCKED:
        return _error(f"the record is locked{holders(path)}", path, "end that program or wait, and repeat")
    what, hint = _SAID.get(code, ("", ""))
    return _error(f"{what} ({error})", path, hint) if what else None


def missing_record(path: Path) -> RecordedDataError | None:
    """Return the error that the record is gone or empty while the folders of its runs are there."""
    if path.exists() and (not path.is_file() or path.stat().st_size):
        return None
    runs = [*(path.parent / "runs").glob("run-*")]
    if not runs:
        return None
    what = "empty" if path.exists() else "missing"
    hint = "restore it from a backup, or set `database` if it lies there"
    hint = f"{hint}; to begin a new record instead, rename {path.parent / 'runs'}"
    return _error(f"the record is {what}, but {len(runs)} of its runs lie beside it", path, hint)


def address(path: Path) -> str | None:
    """Return the URI to read a file by that cannot be written to; none where it can, or cannot be read.

    SQLite wants to write beside such a file. Without a journal it need not, and then nobody can change it.
    """
    if not path.is_file() or not os.access(path, os.R_OK) or _writable(path.parent):
        return None
    journal = Path(f"{path}-wal")
    if journal.is_file() and journal.stat().st_size:
        return f"{path.as_uri()}?mode=ro"
    return f"{path.as_uri()}?mode=ro&immutable=1"


def holders(path: Path) -> str:
    """Name the processes that hold a lock on a SQLite file, where this machine tells."""
    inodes = set()
    for end in _SIDES:
        with suppress(OSError):
            inodes.add(str(Path(f"{path}{end}").stat().st_ino))
    found = dict.fromkeys(
        int(words[4])
        for words in _locks()
        if words[3] == "WRITE" and words[5].rpartition(":")[2] in inodes and int(words[4]) > 0
    )
    names = [f"process {pid} ({_name(pid)})" for pid in found if pid != os.getpid()]
    return f" by {', '.join(names)}" if names else " by another process"


def _locks() -> Iterator[list[str]]:
    with suppress(OSError):
        for line in Path("/proc/locks").read_text("ascii").splitlines():
            words = [word for word in line.split() if word != "->"]
            if len(words) > 5 and words[4].lstrip("-").isdigit():  # noqa: PLR2004 - the columns that are read
                yield words


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    return "gone"


def _closed(path: Path) -> RecordedDataError:
    if path.is_dir():
        hint = f"restore the record from a backup as a file of this name; rename {path} first"
        return _error("a folder lies in the place of the record", path, hint)
    with suppress(OSError):
        if os.statvfs(path.parent).f_flag & os.ST_RDONLY:
            hint = "make it writable, or set state_dir (SETPOINT_STATE_DIR) to a folder that is"
            return _error("the record lies on a read-only file system", path, hint)
    hint = "look at owner and mode of the file and its folder, or use a terminal outside any sandbox"
    return _error("no permission to open the record, or to write to it", path, hint)


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


def _error(what: str, path: Path, hint: str) -> RecordedDataError:
    return RecordedDataError(f"{path}: {what}", hint=hint)
