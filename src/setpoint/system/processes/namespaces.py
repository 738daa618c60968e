"""Gives the present process, for good, a network of its own and another view of some folders.

The supervisor calls this between fork and exec, so it needs nothing but the standard library. Linux alone
can do it. It asks for no privilege where the kernel lets every user make namespaces; the user stays the same.
"""

from __future__ import annotations

import _socket  # `socket` itself costs milliseconds at every command
import ctypes
import errno
import fcntl
import os
import stat
import struct

_NEW_MOUNTS, _NEW_USER, _NEW_NETWORK = 0x20000, 0x10000000, 0x40000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE = 1, 1 << 5, 1 << 12, 1 << 14
_SLAVE, _RELATIVE_TIMES = 1 << 19, 1 << 21
_SAME_FLAGS = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME
"""Flags of mounts that have the same number where they are read."""
_SET_FLAGS, _UP = 0x8914, 0x1 | 0x40
_FLAGS, _BEFORE_PATH = 3, 7
_LISTENS = "00010000"
"""Marks a socket in /proc/net/unix at which a server waits."""


def enter(*, network: bool, shown: list[tuple[str, str]]) -> None:
    """Show folders in the place of others; without `network` keep only a loopback. Raises `OSError`.

    All that is shown is read-only, except the last. Sockets that have a path do not belong to a network:
    those at which a server waits are covered.
    """
    sockets = [] if network else _served()
    _unshare(_NEW_MOUNTS | (0 if network else _NEW_NETWORK))
    _mount(None, "/", _SLAVE | _RECURSIVE)
    for source, target in shown:
        _mount(source, target, _BIND | _RECURSIVE)
        if (source, target) != shown[-1]:
            _mount(None, target, _BIND | _REMOUNT | _READ_ONLY | _kept_flags(target))
    for path in sockets:
        try:
            _mount(os.devnull, path, _BIND)
        except FileNotFoundError:  # its server has just ended
            continue
    if not network:
        loopback = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        fcntl.ioctl(loopback.fileno(), _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
        loopback.close()


def _kept_flags(place: str) -> int:
    """Return the flags of a mount, which a user may not take back."""
    said = os.statvfs(place).f_flag
    return said & _SAME_FLAGS | (_RELATIVE_TIMES if said & os.ST_RELATIME else 0)


def _unshare(kinds: int) -> None:
    """Make namespaces; a user without the right to it first becomes themselves in a namespace of users."""
    libc, user, group = ctypes.CDLL(None, use_errno=True), os.geteuid(), os.getegid()
    if libc.unshare(kinds) == 0:
        return
    if ctypes.get_errno() != errno.EPERM:
        raise _failed()
    if libc.unshare(kinds | _NEW_USER) != 0:
        raise _failed()
    same = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    for name, text in same.items():
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib costs time
            file.write(text)


def _mount(source: str | None, target: str, flags: int) -> None:
    said = None if source is None else os.fsencode(source)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(said, os.fsencode(target), None, ctypes.c_ulong(flags), None) != 0:
        raise _failed()


def _served() -> list[str]:
    """Return the sockets with a path at which a server waits."""
    found = set[str]()
    with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - as above
        for line in file:
            *known, path = line.rstrip("\n").split(maxsplit=_BEFORE_PATH)
            if len(known) == _BEFORE_PATH and known[_FLAGS] == _LISTENS and path.startswith("/"):
                found.add(path)
    return [path for path in found if _is_socket(path)]


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 - as above
    except OSError:
        return False


def _failed() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
