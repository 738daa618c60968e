"""Say which disk is full, what to free there, and that nothing recorded is lost."""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from setpoint.settings import load
from setpoint.workspace.copies_folder import cache_folder

LITTLE = 20_000_000
"""Bytes; a disk with less free is taken for the full one."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
_QUOTA = "Disk quota exceeded"
_WORDS = ("No space left on device", _QUOTA, "database or disk is full", "Out of diskspace")
_SILENT = ("couldn't write", "unable to write", "failed to write")
"""What git says without the reason; it counts where a disk is full."""


def full_disk(error: BaseException, root: Path) -> str:
    """Describe an error that a full disk causes, for a repository; empty for any other error."""
    said = next((text for each in causes(error) if (text := _said(each))), "")
    silent = "" if said else next((text for each in causes(error) if (text := _said(each, _SILENT))), "")
    if not (said or silent):
        return ""
    full = [
        f"{folder} ({free / 1e6:.0f} MB free): {what}"
        for folder, what in _folders(root).items()
        if (free := _free(folder)) is not None and free < LITTLE
    ]
    if silent and not full:
        return ""
    where = f": {'; '.join(full)}" if full else ""
    again = "then repeat the command; `setpoint resume` continues a run, and nothing recorded is lost"
    if _QUOTA in said:
        hint = f"delete files of yours, or ask the administrator for more{where}; {again}"
        return f"your quota on the disk is used up ({said})\n  hint: {hint}"
    return f"no space left on the disk ({said or silent})\n  hint: free some space{where}; {again}"


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all that led to it."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        inner = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        waiting += [each.__cause__, each.__context__, *inner]


def _said(error: BaseException, among: tuple[str, ...] = _WORDS) -> str:
    """Return what shows that a disk is full; empty where nothing does."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"{error.filename or 'a file'}: {error.strerror}"
    code = getattr(error, "sqlite_errorcode", None)
    words = next((words for words in among if words in str(error)), "")
    return words or ("the database cannot grow" if code == sqlite3.SQLITE_FULL else "")


def _folders(root: Path) -> dict[Path, str]:
    """Return the folders that Setpoint writes to, with what may be removed there."""
    settings = load(root)
    return {
        cache_folder(settings, root): "`setpoint clean` says which copies can go",
        root / settings.state_dir: "`setpoint clean` empties its cache",
        Path(tempfile.gettempdir()): "temporary files",
    }


def _free(folder: Path) -> int | None:
    there = next((each for each in (folder, *folder.parents) if each.is_dir()), None)
    return None if there is None else shutil.disk_usage(there).free
