"""Takes from the present process, for good, the right to write anywhere but in the places named.

Landlock is part of Linux and asks for no privilege; what a process has taken from itself, all that it starts
lacks too. The supervisor calls this between fork and exec, so it needs nothing but the standard library.
Reading stays as it is, unless places to read are named: then no other file can be read, though its name can
be seen. What the kernel cannot refuse this way: changes of mode, owner, times and extended attributes of
files, connections to sockets that have a path in the file system, and the network.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

TRUNCATES = 3
"""First version that can refuse to shorten files; with an older one a process could still empty any."""
_SCOPES = 6
"""First version that keeps signals and abstract sockets within."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, the same on every architecture."""
_VERSION_ASKED = 1
_PATH_BENEATH = 1
_ALL_SCOPES = 3
_loaded: list[ctypes.CDLL] = []
_PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_READ, _PR_CAPBSET_DROP = 38, 23, 24

_WRITE_FILE, _READ_FILE, _TRUNCATE = 1 << 1, 1 << 2, 1 << 14
_MAKE_DEVICE = 1 << 6 | 1 << 11
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 14)) | _TRUNCATE
"""Every right but those to read and to execute: remove, make each kind of file, move between folders."""
_IN_FOLDERS = _CHANGES & ~_MAKE_DEVICE
_ON_FILES = _WRITE_FILE | _TRUNCATE

_KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 5, 6, 7, 8, 10})
"""What is left to root: to pass over owners and modes of files, to change users, to open low ports.

Not what reads the memory of other processes, makes devices, mounts, traces or loads modules: Landlock does
not prevent all of that.
"""


def version() -> int:
    """Return the version of Landlock that the kernel has; raises `OSError` where it has none."""
    return _asked(_CREATE_RULESET, None, 0, _VERSION_ASKED)


def confine(writable: list[str], readable: list[str] | None = None) -> None:
    """Refuse this process every change outside the folders and files named; less where one is gone by now.

    With `readable`, whose links are not followed, nothing but these and what is writable can be read.
    Raises `OSError`; the process must not continue then.
    """
    _drop_capabilities()
    reading = 0 if readable is None else _READ_FILE
    scopes = _ALL_SCOPES if version() >= _SCOPES else 0
    attributes = struct.pack("=QQQ", _CHANGES | reading, 0, scopes)
    size = len(attributes) if scopes else 8
    ruleset = _asked(_CREATE_RULESET, attributes, size, 0)
    for path in readable or ():
        _allow(ruleset, path, 0, reading)
    for path in writable:
        _allow(ruleset, path, _CHANGES, reading)
    _checked(_libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _asked(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, changes: int, reading: int) -> None:
    """Add a rule for a place, if it is there; a link is not followed where it is only read."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC | (0 if changes else os.O_NOFOLLOW))
    except (FileNotFoundError, PermissionError):
        return
    mode = os.fstat(place).st_mode
    rights = changes & (_IN_FOLDERS if stat.S_ISDIR(mode) else _ON_FILES) | reading
    if not stat.S_ISLNK(mode):
        _asked(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def _drop_capabilities() -> None:
    """Take from root what it does not keep; it counts from the next exec on."""
    libc = _libc()
    if os.geteuid() != 0:
        return
    number = 0
    while (held := libc.prctl(_PR_CAPBSET_READ, number, 0, 0, 0)) >= 0:
        if held and number not in _KEPT_CAPABILITIES:
            _checked(libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0))
        number += 1


def _asked(number: int, *arguments: object) -> int:
    words = (ctypes.c_long(each) if isinstance(each, int) else each for each in (number, *arguments))
    return _checked(_libc().syscall(*words))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _libc() -> ctypes.CDLL:
    if not _loaded:
        _loaded.append(ctypes.CDLL(None, use_errno=True))
    return _loaded[0]
