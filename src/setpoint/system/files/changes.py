"""Hear from the kernel that files change, instead of looking at them again and again."""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

# Of inotify(7).
_MODIFY, _CLOSE_WRITE, _MOVED, _CREATE, _DELETE = 0x2, 0x8, 0xC0, 0x100, 0x200
_ANY = _MODIFY | _CLOSE_WRITE | _MOVED | _CREATE | _DELETE
_BYTES = 1 << 16


class FileChanges:
    """Changes of files and in folders by any process of this machine; that a held lock ends is one."""

    def __init__(self, files: Sequence[Path], folders: Sequence[Path]) -> None:
        """Watch these, once `watch` is called; a folder may be made later."""
        self._files, self._folders = files, folders
        self._libc = ctypes.CDLL(None)
        linux = sys.platform.startswith("linux")
        self.descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC) if linux else -1
        """Becomes readable with a change; -1 where the system reports none."""
        if self.descriptor >= 0:
            weakref.finalize(self, os.close, self.descriptor)

    def watch(self) -> bool:
        """Watch what is there by now, again where need be; return whether every change is reported."""
        watched = [self.descriptor >= 0, *(self._add(path, _MODIFY) for path in self._files)]
        for path in self._folders:
            above = next(filter(Path.exists, path.parents))
            watched.append(self._add(path, _ANY) or self._add(above, _CREATE | _MOVED))
        return all(watched)

    def forget(self) -> None:
        """Empty the queue of reported changes, without looking at them."""
        with suppress(BlockingIOError):
            os.read(self.descriptor, _BYTES)

    def _add(self, path: Path, mask: int) -> bool:
        if self.descriptor < 0:
            return False
        return bool(self._libc.inotify_add_watch(self.descriptor, os.fsencode(path), mask) >= 0)
