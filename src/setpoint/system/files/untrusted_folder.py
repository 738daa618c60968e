"""Folders that a process of somebody else may change at the same time: no link in them is ever followed.

An agent can put a link where Setpoint writes, also between a look and the write. So each step is taken from
the folder that was opened before, by its descriptor, and never by a path.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def entered(root: Path, names: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """Open a folder below a root and yield its descriptor; with `make` what is missing or no folder is made.

    Raises `OSError` if there is no folder, or a link on the way.
    """
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names:
            inner = _made(here, name) if make else os.open(name, _FOLDER, dir_fd=here)
            os.close(here)
            here = inner
        yield here
    finally:
        os.close(here)


@contextmanager
def below(folder: int, name: str) -> Iterator[int]:
    """Open a folder in an opened one and yield its descriptor; raises `OSError` if it is none, or a link."""
    inner = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield inner
    finally:
        os.close(inner)


def put(folder: int, name: str, data: bytes, mode: int = 0o644) -> None:
    """Write a file of an opened folder, also where a folder is; a reader sees the old or the new content."""
    unfinished = f".{secrets.token_hex(8)}.part"
    descriptor = os.open(unfinished, _NEW, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        try:
            os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
        except IsADirectoryError:
            shutil.rmtree(name, dir_fd=folder)
            os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished, dir_fd=folder)


def names_in(folder: int) -> list[str]:
    """Return the names in an opened folder."""
    with os.scandir(folder) as entries:
        return [each.name for each in entries]


def remove(folder: int, name: str) -> None:
    """Remove what has a name in an opened folder, if anything: a file, a link itself, or a folder."""
    try:
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(kind):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _made(folder: int, name: str) -> int:
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=folder)
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError:  # a link or a file is in the way
        os.unlink(name, dir_fd=folder)
        os.mkdir(name, 0o755, dir_fd=folder)
        return os.open(name, _FOLDER, dir_fd=folder)
