"""How a command is confined: where it may write, what it must not see, and by what means."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from setpoint.errors import SandboxUnavailable
from setpoint.model.config.sandbox import Means
from setpoint.system.processes import landlock

DEVICES = (
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
    "/dev/pts", "/dev/shm",  # noqa: S108 - a name, and nothing is put there by us
)  # fmt: skip
"""Devices that any program may write to; a disk is none of them."""
SHARED_DEVICES = ("/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm")  # noqa: S108 - as above
"""Those of them through which a process can hand something to another one."""
_MOST_BESIDE = 10_000


def usable_devices(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the devices that exist for some patterns, and folders of devices; no disk and no other file."""
    inside = (each.removeprefix("/dev/") for each in patterns if each.startswith("/dev/") and each != "/dev/")
    found = dict.fromkeys(path for each in inside for path in sorted(Path("/dev").glob(each)))
    return tuple(str(path) for path in found if _is_no_disk(path))


def _is_no_disk(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or (stat.S_ISDIR(mode) and Path("/dev") in path.resolve().parents)


def lies_in(path: Path | str, folders: Iterable[Path | str]) -> bool:
    """Whether a path is one of some folders, or below one."""
    return any(Path(path).is_relative_to(folder) for folder in folders)


def beside_all(covered: tuple[Path, ...]) -> list[str]:
    """Return all that lies beside some places and beside the folders above them: all but what they hold.

    Raises `SandboxUnavailable` where there is too much, as each command would have to name it.
    """
    closed = set(map(str, covered))
    ways = {str(path) for each in covered for path in each.parents}
    found, left = list[str](), ["/"]
    for folder in left:
        if len(found) > _MOST_BESIDE:
            raise SandboxUnavailable(
                f"Landlock cannot keep {covered[0]} and others from being read: {folder} and the folders "
                f"around them hold more than {_MOST_BESIDE} entries",
                hint="remove what is not needed there, or set sandbox.agents and sandbox.checks to 'bwrap'",
            )
        with contextlib.suppress(OSError):  # what may not be listed cannot be read by its entries either
            for path in (os.path.join(folder, name) for name in os.listdir(folder)):  # noqa: PTH118, PTH208 - pathlib costs time
                if path not in closed:
                    (left if path in ways else found).append(path)
    return found


def _disks() -> list[Path]:
    """Return the disks, from which whoever may read them reads every file."""
    known = Path("/sys/class/block")
    return [Path("/dev", each.name.replace("!", "/")) for each in known.iterdir()] if known.is_dir() else []


@dataclass(frozen=True, kw_only=True)
class Confinement:
    """Where a command may write; it can read everything else."""

    means: Means
    """Landlock or bubblewrap; whether it works here is found out by `trial`."""
    writable: tuple[str, ...] = ()
    """Existing folders and files, absolute."""
    devices: tuple[str, ...] = ()
    """Existing devices that it may use beside those that any program may."""
    hidden: tuple[str, ...] = ()
    """Existing folders and files that look empty; bubblewrap alone can do that."""
    covered: tuple[str, ...] = ()
    """Existing files, and folders in which nothing can be read except what is `writable` or `lent` there."""
    lent: tuple[str, ...] = ()
    """Existing folders within those that are covered, which can be read nevertheless."""
    alone: bool = False
    """Whether it hands nothing on through devices that processes share."""

    def landlocked(self) -> list[str] | None:
        """Return the places for Landlock's rules; none where another means is used."""
        if self.means is not Means.LANDLOCK:
            return None
        shared = SHARED_DEVICES if self.alone else ()
        devices = (each for each in DEVICES if each not in shared)
        return [*filter(os.path.exists, devices), *self.devices, *self.writable]

    def readable(self) -> list[str] | None:
        """Return the places that Landlock's rules let it read; none where everything can be read."""
        if self.means is not Means.LANDLOCK or not self.covered:
            return None
        return [*beside_all((*map(Path, self.covered), *_disks())), *self.lent]

    def wrapper(self) -> list[str]:
        """Return the words to put before the command; none where another means is used."""
        if self.means is not Means.BWRAP:
            return []
        # Without a user namespace root could make everything writable again; with one it has lost that.
        words = [shutil.which("bwrap") or "bwrap", "--die-with-parent"]
        words += ["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
        words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        words += [word for path in self.devices for word in ("--dev-bind-try", path, path)]
        folders = [path for path in self.covered if Path(path).is_dir()]
        words += [word for path in folders for word in ("--tmpfs", path)]
        words += [word for path in self.lent for word in ("--ro-bind", path, path)]
        words += [word for path in self.writable for word in ("--bind", path, path)]
        words += [word for path in folders for word in ("--remount-ro", path)]
        for path in (*self.hidden, *(each for each in self.covered if each not in folders)):
            words += ["--tmpfs", path] if Path(path).is_dir() else ["--ro-bind", os.devnull, path]
        return [*words, "--"]


def missing_landlock() -> str:
    """Say why Landlock cannot be used on this machine; empty where the kernel has what is needed."""
    if not sys.platform.startswith("linux"):
        return "it is part of Linux"
    try:
        version = landlock.version()
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return "it is switched off in this kernel (boot with lsm=landlock,...)"
        return "this kernel has none (Linux 6.2 or newer has)"
    if version < landlock.TRUNCATES:
        return f"its version {version} here cannot keep files from being emptied (Linux 6.2 or newer can)"
    return ""


def missing_bwrap() -> str:
    """Say why bubblewrap cannot be used on this machine; empty where its program is there."""
    if not sys.platform.startswith("linux"):
        return "it is for Linux"
    return "" if shutil.which("bwrap") else "bwrap is not on PATH; install the package bubblewrap"
