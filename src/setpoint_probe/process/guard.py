"""Keeps changed code under trial from doing harm: what it may delete, write and signal.

A candidate can turn a harmless path into a dangerous one. The audit hook refuses what reaches outside the
places that tests may write to; it is a belt against accidents, no wall against malice.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATH_EVENTS = {
    "os.remove": (0,),
    "os.rmdir": (0,),
    "os.rename": (0, 1),
    "os.truncate": (0,),
    "os.mkdir": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.link": (1,),
    "os.symlink": (1,),
    "shutil.rmtree": (0,),
    "shutil.move": (0, 1),
}


def install(writable: Sequence[str], tree: str, temporary: str = "") -> None:
    """Refuse from now on, in this process, changes outside `writable` and the temporary directory.

    Inside the tree new files may be written, but Python sources and `.git` may not be touched.
    """
    roots = tuple(os.path.realpath(path) for path in (*writable, temporary or tempfile.gettempdir(), "/dev"))
    tree_root = os.path.realpath(tree)
    own = os.getpid()

    def allowed(path: object) -> bool:
        if isinstance(path, int):
            return True
        real = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]  # str, bytes or a path object
        if _inside(real, tree_root):
            relative = os.path.relpath(real, tree_root)
            return (
                relative not in (".", ".git")
                and not relative.startswith(".git" + os.sep)
                and not real.endswith(".py")
            )
        return any(_inside(real, root) for root in roots)

    sys.addaudithook(_hook(allowed, own))


def _inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _relative(event: str, args: tuple[Any, ...]) -> bool:
    """Whether names are relative to an open directory, whose opening was judged before."""
    return event.startswith("os.") and event != "os.truncate" and args[-1] != -1


def _hook(allowed: Callable[[object], bool], own: int) -> Callable[[str, tuple[Any, ...]], None]:
    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if isinstance(flags, int) and flags & _WRITING and path is not None and not allowed(path):
                raise PermissionError(f"code under trial may not write {path!r}")
        elif event in _PATH_EVENTS and not _relative(event, args):
            for place in _PATH_EVENTS[event]:
                if not allowed(args[place]):
                    raise PermissionError(f"code under trial may not change {args[place]!r}")
        elif event in ("os.kill", "os.killpg") and args[0] in (0, -1, 1, os.getppid()) and own != args[0]:
            raise PermissionError("code under trial may not signal other processes")

    return hook
