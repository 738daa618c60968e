"""Files that are either there in full or not there at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomic(path: Path, text: str, *, flush: bool = True) -> None:
    """Write a text in UTF-8; a reader sees the old or the new content, whatever crashes. Makes the folder.

    Without `flush` a loss of power may undo it: for what can be written again from the record at any time.
    """
    write_atomic_bytes(path, text.encode("utf-8"), flush=flush)


def write_atomic_bytes(path: Path, data: bytes, *, flush: bool = True, mode: int = 0o644) -> None:
    """Write bytes beside their place, flush them to the disk and rename them into it; makes the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if flush:
                file.flush()
                os.fsync(file.fileno())
        unfinished.chmod(mode)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    if flush:
        _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Make the rename itself last through a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def real_folder(path: Path) -> None:
    """Ensure that a folder exists at a path; a link there is removed, its target is left alone."""
    if path.is_symlink():
        path.unlink()
    path.mkdir(parents=True, exist_ok=True)
