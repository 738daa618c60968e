"""A folder that stays the same one: told from another that was made at its path after it was deleted."""

from __future__ import annotations

import os
import weakref
from pathlib import Path


class KeptFolder:
    """Holds a folder open, so that the system cannot give its number to another one."""

    def __init__(self, path: Path) -> None:
        """Take the folder that is at the path now; it is made where there is none."""
        path.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.close = weakref.finalize(self, os.close, self._descriptor)
        """Let go of it."""

    @property
    def gone(self) -> bool:
        """Whether it is not at its path any more."""
        try:
            return not os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        except OSError:
            return True
