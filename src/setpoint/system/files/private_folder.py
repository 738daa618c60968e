"""Folders that no process of a maker reads: for hidden tests, and for the temporary files of runs.

They lie in places that all users share, outside projects and homes, and their user alone can enter them.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from setpoint.errors import SettingsError, WorkspaceError

UNUSED_S = 30 * 24 * 3600.0
"""Seconds after which a hidden text that nobody kept or read is removed, of whatever project."""
WITHHELD: ContextVar[bool] = ContextVar("withheld", default=False)
"""Whether artifacts of a block, also of its tasks, are kept in the hidden folder, and read there, too."""


def private_folder(path: Path) -> Path:
    """Make a folder that its user alone can enter, or find it again; gives its real path.

    Raises `WorkspaceError` where a link, a file or a folder of somebody else is in its place.
    """
    real = Path(os.path.realpath(path.parent)) / path.name
    hint = "remove it, or set SETPOINT_HIDDEN_DIR (hidden tests) or TMPDIR (temporary files) to another place"
    try:
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            real.mkdir(mode=0o700)
        found = real.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise WorkspaceError(f"{real} is a link, a file or a folder of another user", hint=hint)
        if stat.S_IMODE(found.st_mode) & 0o077:
            real.chmod(0o700)
    except OSError as error:
        raise WorkspaceError(f"{real} cannot be made: {error.strerror or error}", hint=hint) from error
    return real


def hidden_place(named: str, root: Path) -> Path:
    """Name the folder for hidden tests of all projects; without other places it lies in the home.

    Raises `SettingsError` where the setting names a place in the project.
    """
    if named:
        place = root / Path(named).expanduser()
        if place.resolve().is_relative_to(root.resolve()):
            raise SettingsError(
                f"setting hidden_dir: {place} lies in the project", hint="name a folder outside"
            )
        return place
    inside = [Path(os.path.realpath(each)) for each in (root, Path.home())]
    places = (Path("/var/tmp"), temporary_place().parent)  # noqa: S108 - what is there is checked
    usable = (each for each in places if os.access(each, os.W_OK))
    outside = (each for each in usable if not any(each.resolve().is_relative_to(one) for one in inside))
    return next(outside, Path.home()) / _name()


def temporary_place() -> Path:
    """Name the folder for the temporary files of runs, closed to agents and to checks."""
    found = Path(tempfile.gettempdir())
    return Path(os.path.realpath(found if found.name == _name() else found / _name()))


@contextmanager
def private_temporary_files(hidden: HiddenFolder | None = None) -> Iterator[None]:
    """Have this process put the temporary files of a block into that folder, and make the hidden one."""
    if hidden is not None:  # before anything starts that must not see it
        private_folder(hidden.place)
    before, tempfile.tempdir = tempfile.gettempdir(), str(private_folder(temporary_place()))
    try:
        yield
    finally:
        tempfile.tempdir = before


def _name() -> str:
    return f"setpoint-{os.getuid()}"


_OUTSIDE = "outside"
"""Lists the files outside that are covered, in the folder of a project."""


@dataclass(frozen=True)
class HiddenFolder:
    """The hidden texts of one project."""

    place: Path
    """Holds those of all projects."""
    project: str

    def cover(self, file: Path) -> None:
        """Remember a file outside that no process of a maker may read either: a person's own copy."""
        if str(file) not in self.covered:
            with (self.made() / _OUTSIDE).open("a", encoding="utf-8") as known:
                known.write(f"{file}\n")

    @property
    def covered(self) -> tuple[str, ...]:
        """Return the files outside that are to be covered and exist."""
        try:
            known = (self.place / self.project / _OUTSIDE).read_text("utf-8").splitlines()
        except OSError:
            return ()
        return tuple(each for each in dict.fromkeys(known) if Path(each).is_file())

    def made(self) -> Path:
        """Make the folder of this project, and remove what no run has used for long."""
        folder = private_folder(private_folder(self.place) / self.project)
        for old in self.place.glob("*/*/*"):
            with suppress(OSError):
                if time.time() - old.lstat().st_mtime > UNUSED_S:
                    old.unlink()
        return folder
