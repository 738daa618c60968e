"""Folders that are removed also where a program made parts of them read-only."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that it holds, as far as its owner can; nothing behind a link is touched."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    for inside, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            Path(inside).chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)
