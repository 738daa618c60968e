"""How a command is held: where it may write, what it must not see, and by what means."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.model.config.sandbox import Means
from setpoint.system.processes import landlock

DEVICES = (
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
    "/dev/pts", "/dev/shm",  # noqa: S108 - a name, and nothing is put there by us
)  # fmt: skip
"""Devices that any program may write to; a disk is none of them."""


@dataclass(frozen=True, kw_only=True)
class Confinement:
    """Where a command may write; it can read everything else."""

    means: Means
    """Landlock or bubblewrap; whether it works here is found out by `trial`."""
    writable: tuple[str, ...] = ()
    """Existing folders and files, absolute."""
    hidden: tuple[str, ...] = ()
    """Existing folders and files that look empty; bubblewrap alone can do that."""
    covered: tuple[str, ...] = ()
    """Existing folders that look empty except what is `writable` or `lent` there; by bubblewrap alone."""
    lent: tuple[str, ...] = ()
    """Existing folders within those that are covered, which can be read nevertheless."""
    shielded: tuple[str, ...] = ()
    """The other way round: only these, existing and absolute, cannot be changed, except what is `writable`.

    By Landlock nothing can be made directly in the folders above them either.
    """
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the command gets with it."""

    def landlocked(self) -> list[str] | None:
        """Return the places for Landlock's rules; none where another means is used."""
        if self.means is not Means.LANDLOCK:
            return None
        others = all_but(self.shielded) if self.shielded else [*filter(os.path.exists, DEVICES)]
        return [*others, *self.writable]

    def wrapper(self) -> list[str]:
        """Return the words to put before the command; none where another means is used."""
        if self.means is not Means.BWRAP:
            return []
        # Without a user namespace root could make everything writable again; with one it has lost that.
        words = [shutil.which("bwrap") or "bwrap", "--die-with-parent"]
        words += ["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
        if self.shielded:
            words += ["--dev-bind", "/", "/", "--proc", "/proc"]
            words += [word for path in self.shielded for word in ("--ro-bind", path, path)]
        else:
            words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        words += [word for path in self.covered for word in ("--tmpfs", path)]
        words += [word for path in self.lent for word in ("--ro-bind", path, path)]
        words += [word for path in self.writable for word in ("--bind", path, path)]
        words += [word for path in self.covered for word in ("--remount-ro", path)]
        for path in self.hidden:
            words += ["--tmpfs", path] if Path(path).is_dir() else ["--ro-bind", os.devnull, path]
        return [*words, "--"]


_ambient: ContextVar[Confinement | None] = ContextVar("confinement", default=None)


@contextmanager
def confining(confinement: Confinement | None) -> Iterator[None]:
    """Confine every command started in this block, also by its tasks, that has no confinement of its own."""
    token = _ambient.set(confinement)
    try:
        yield
    finally:
        _ambient.reset(token)


def ambient() -> Confinement | None:
    """Return the confinement of the block one is in."""
    return _ambient.get()


def all_but(shielded: Iterable[str]) -> list[str]:
    """Return places which together are everything but these; folders on the way down to them are left out."""
    named = set(shielded)
    left = {path for path in named if not named & {str(above) for above in Path(path).parents}}
    ways = {str(above) for path in left for above in Path(path).parents}
    found = []
    for way in sorted(ways):
        try:
            with os.scandir(way) as entries:
                # A rule holds for what a link leads to, which may be what is shielded.
                found += [each.path for each in entries if not each.is_symlink()]
        except OSError:
            continue  # what cannot be listed is not opened
    return [path for path in found if path not in ways | left]


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
