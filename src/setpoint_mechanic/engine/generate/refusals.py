"""What calls may not touch: files outside a temporary folder, processes, the network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_REFUSED = frozenset(
    (
        *(
            f"os.{name}"
            for name in ("remove", "rmdir", "rename", "truncate", "mkdir", "chmod", "chown", "link")
        ),
        *(f"os.{name}" for name in ("symlink", "utime", "chdir", "putenv", "unsetenv", "kill", "killpg")),
        *(f"os.{name}" for name in ("system", "exec", "fork", "forkpty", "posix_spawn")),
        *(f"socket.{name}" for name in ("connect", "bind", "getaddrinfo", "gethostbyname", "sendto")),
        *("shutil.rmtree", "shutil.move", "subprocess.Popen", "ctypes.dlopen", "signal.pthread_kill"),
        *("webbrowser.open", "resource.setrlimit", "builtins.input", "sqlite3.connect"),
    )
)
_TWO_PATHS = frozenset(("os.rename", "os.link", "os.symlink", "shutil.move"))
_LISTING = frozenset(("os.listdir", "os.scandir"))
"""What a folder holds differs by machine and day, and a call may change what it finds there."""
_FOLDER_LAST = frozenset(("os.remove", "os.rmdir", "os.mkdir"))
"""Events whose last argument is the open folder that a path starts from."""
_MOST_OPEN = 256
"""Numbers of open files that are looked at."""


class Refused(PermissionError):
    """A call reached for what a test may not touch."""


def forbid(refusals: list[str], temporary: str, *, listing: bool = True) -> None:
    """Refuse from now on, in this process, what tests may not touch: files, processes, the network.

    Temporary files may be made: what makes them takes them away, and so will the test. Without `listing`, no
    other folder may be listed, but by imports and below a folder of packages.
    """
    real = os.path.realpath(temporary) + os.sep
    watched = frozenset() if listing else _LISTING
    own = {number for number in range(_MOST_OPEN) if _is_open(number)}

    def within(path: Any, folder: Any = -1) -> bool:  # noqa: ANN401 - what the interpreter hands over
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False
        opened = isinstance(folder, int) and folder >= 0
        start = Path(f"/proc/self/fd/{folder}").readlink() if opened else Path()
        return os.path.realpath(start / os.fsdecode(path)).startswith((real, os.devnull))

    def allowed(event: str, args: tuple[Any, ...]) -> bool:
        if event == "open":
            path, _, flags = args
            if isinstance(path, int):  # of the process, as standard output is: the call would close it
                return path not in own and _is_open(path)
            writing = isinstance(flags, int) and flags & _WRITING
            return not writing or path is None or within(path)
        if event not in _REFUSED:
            return True
        folder = args[-1] if event in _FOLDER_LAST else -1
        try:
            paths = args[: 2 if event in _TWO_PATHS else 1]
            return bool(paths) and all(within(path, folder) for path in paths)
        except OSError:
            return False

    def hook(event: str, args: tuple[Any, ...]) -> None:
        free = _may_list(args[0], real) if event in watched else allowed(event, args)
        if free:
            return
        refusals.append(event)
        raise Refused(f"{event} is not for tests")

    sys.addaudithook(hook)


def _may_list(path: Any, temporary: str) -> bool:  # noqa: ANN401 - what the interpreter hands over
    """Whether a folder may be listed: by an import, or a temporary one, or one of a package."""
    if sys._getframe(2).f_code.co_filename.startswith("<frozen importlib"):  # noqa: SLF001 - behind the hook
        return True
    try:
        name = (
            str(Path(f"/proc/self/fd/{path}").readlink())
            if isinstance(path, int)
            else os.fsdecode(path or ".")
        )
    except (OSError, TypeError):
        return False
    real = os.path.realpath(name) + os.sep
    if real.startswith(temporary):
        return True
    folders = (os.path.realpath(each) + os.sep for each in sys.path if each)
    return name.startswith(os.sep) and any(real != each and real.startswith(each) for each in folders)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except (OSError, OverflowError):
        return False
    return True
