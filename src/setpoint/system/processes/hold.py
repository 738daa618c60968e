"""How the commands of checks are held: each writes to the tree it runs in, and to a home of its own."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from setpoint.model.config.sandbox import Means
from setpoint.system.environment import clean_environment
from setpoint.system.files.private_folder import WITHHELD
from setpoint.system.processes import narrow
from setpoint.system.processes.command import NOT_HELD, Command
from setpoint.system.processes.confinement import Confinement, lies_in, missing_landlock
from setpoint.system.processes.fresh_home import FreshHome
from setpoint.system.processes.view import ambient_view


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Holds every command that starts in a block, and gives each an own home and temporary folder."""

    means: Means
    """Landlock or bubblewrap."""
    places: tuple[Path, ...] = ()
    """Folders that hold measured trees, without links: a command writes to the one it runs in."""
    depth: int = 1
    """How many folders below one of `places` a measured tree lies."""
    opened: tuple[str, ...] = ()
    """More places that every command may write to, existing and absolute."""

    devices: tuple[str, ...] = ()
    """Devices that every command may use, such as a graphics card."""

    covered: tuple[str, ...] = ()
    """Folders, without links, in which a command reads nothing but where it may write."""
    apart: Path | None = None
    """Where commands keep the caches of their tools apart from those of others, with which they then share no
    device either; none: they share both.
    """
    withholding: Hold | None = None
    """What holds commands of which nothing must remain; none: this one, as far as it can."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what decides how a command is held."""
        return (str(self.means), *self.opened)

    def begin(self, command: Command) -> Held:
        """Make the home of a command and say where it may write."""
        given = clean_environment() if command.environment is None else command.environment
        lasting, writes = command.lasting, command.writes
        if lasting is not None and self.apart is not None:
            mine = self.apart / hashlib.sha256(str(lasting).encode()).hexdigest()[:16]
            given = {name: value.replace(str(lasting), str(mine)) for name, value in given.items()}
            writes = tuple(mine if each == lasting else each for each in writes)
            lasting = mine
        own = FreshHome.made(Path(given.get("HOME") or Path.home()), lasting)
        for place in writes:
            if not place.exists():
                place.mkdir(mode=0o700, parents=True)
        named = [os.path.realpath(place) for place in writes]
        seen = (place for _, place in ambient_view().shown[-1:])
        writable = tuple(
            dict.fromkeys((*self._tree(command.cwd), *seen, *named, *self.opened, str(own.folder)))
        )
        around = [each for each in self.covered if Path(each).exists() and not lies_in(each, writable)]
        cwd = os.path.realpath(command.cwd)
        temp = given.get("TMPDIR", "")
        keep_temp = bool(temp) and os.path.realpath(temp) in named
        return Held(
            confinement=Confinement(
                means=self.means,
                writable=writable,
                devices=self.devices,
                covered=tuple(around),
                lent=(cwd,) if lies_in(cwd, around) and not lies_in(cwd, writable) else (),
                alone=self.apart is not None,
            ),
            environment=own.environment(given, command.cwd, keep_temp=keep_temp),
            own=own,
        )

    def _tree(self, cwd: Path) -> tuple[str, ...]:
        """Return the measured tree in which a folder lies, as a whole."""
        real = Path(os.path.realpath(cwd))
        for place in self.places:
            parts = real.relative_to(place).parts if real.is_relative_to(place) else ()
            if len(parts) >= self.depth:
                return (str(place.joinpath(*parts[: self.depth])),)
        return ()


@dataclass(frozen=True, kw_only=True)
class Held:
    """How one command is held."""

    confinement: Confinement
    environment: dict[str, str]
    own: FreshHome


_ambient: ContextVar[Hold | None] = ContextVar("hold", default=None)


@contextmanager
def holding(hold: Hold | None) -> Iterator[None]:
    """Hold every command started in this block, also by its tasks, that has no confinement of its own."""
    token = _ambient.set(hold)
    try:
        yield
    finally:
        _ambient.reset(token)


@contextmanager
def withholding() -> Iterator[None]:
    """Hold the commands of this block so that nothing they write or print reaches a process of a maker."""
    hold, token = _ambient.get(), WITHHELD.set(True)
    try:
        with holding(hold and (hold.withholding or hold)):
            yield
    finally:
        WITHHELD.reset(token)


def narrowing(name: str, places: Iterable[Path]) -> tuple[str, ...]:
    """Return words before a program that keep it from the cache that a variable names; none if nothing can.

    The program writes to `places`, to what the settings open, and to its home.
    """
    hold = _ambient.get()
    if hold is None or missing_landlock():
        return ()
    opened = (*map(str, places), *hold.devices, *hold.opened)
    return (sys.executable, "-I", "-S", narrow.__file__, name, *opened, "--")


def hold_identity() -> tuple[str, ...]:
    """Return what decides how commands of this block are held, for results that are kept."""
    hold = _ambient.get()
    return hold.identity if hold else (NOT_HELD,)


def ambient() -> Hold | None:
    """Return what holds the commands of the block one is in."""
    return _ambient.get()
