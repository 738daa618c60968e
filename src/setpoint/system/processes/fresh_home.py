"""A home folder of its own for a held command, and what the command still finds of the user's home."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from setpoint.model.value import Value
from setpoint.settings import inherited
from setpoint.system.files.removal import remove_folder
from setpoint.system.processes.linked_cache import LinkedCache

_HOME_IN_GIT = re.compile(rb'(=\s*"?)~/')
_UNSIGNED = b"\n[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n"
_GIT = (".gitconfig", ".config/git/config")
_DISTRIBUTIONS = ".gradle/wrapper/dists"


class OwnPlace(Value):
    """A variable that gives each command a place of its own, where a program would not ask for HOME."""

    variable: str
    value: str
    """Its value; `{home}`, `{temp}` and `~` are replaced."""
    when: str
    """A place that has to exist for it."""


class HomeRules(Value):
    """What an empty home lacks, and how a command gets it."""

    unset: tuple[str, ...] = ()
    """Variables that are left out."""
    copied: tuple[str, ...] = ()
    """Files of the home that the command gets a copy of."""
    linked: tuple[str, ...] = ()
    """Files and folders of the home that are read through a link."""
    read: Mapping[str, str] = {}
    """Place that is read where it is, by variable."""
    own: tuple[OwnPlace, ...] = ()
    """Places of the command's own."""
    caches: tuple[LinkedCache, ...] = ()
    """Those of the places that are read which the command sees in a folder of its own."""


exists = os.path.exists
"""Whether a path is there; unlike `Path.exists` false, and no error, where a folder on the way is closed."""


@cache
def home_rules() -> HomeRules:
    """Read the rules that come with Setpoint."""
    text = resources.files(__package__).joinpath("home.toml").read_text("utf-8")
    return HomeRules.model_validate(tomllib.loads(text))


def toolchains() -> dict[str, str]:
    """Return the variables of Setpoint's environment that name toolchains and caches, which checks read."""
    return inherited(home_rules().read)


@dataclass(frozen=True, kw_only=True)
class FreshHome:
    """A folder for one command: its home and its temporary files."""

    folder: Path
    users: Path
    """The user's home."""
    lasting: Path | None = None
    """A folder of the command's tool that the next one finds as well; package caches lie there, so that paths
    stay the same, which compilers take for a part of what they built."""

    @property
    def home(self) -> Path:
        """Return the folder that HOME names."""
        return self.folder / "home"

    @property
    def temp(self) -> Path:
        """Return the folder that TMPDIR names."""
        return self.folder / "tmp"

    @classmethod
    def made(cls, users: Path, lasting: Path | None = None) -> FreshHome:
        """Make the folder under a neutral name, with copies and links of what the rules name."""
        made = cls(folder=Path(tempfile.mkdtemp()).resolve(), users=users, lasting=lasting)
        for each in (made.home, made.temp):
            each.mkdir(mode=0o700)
        rules = home_rules()
        for name in rules.copied:
            with contextlib.suppress(OSError):  # a file that cannot be read is missing, as for its owner
                if (users / name).is_file():
                    shutil.copyfile(users / name, made._place(name))
                    if name in _GIT:
                        made._adapt(made.home / name)
        for name in rules.linked:
            if os.path.lexists(users / name):
                made._place(name).symlink_to(users / name)
        with contextlib.suppress(OSError):
            made._show_distributions()
        return made

    def environment(self, given: Mapping[str, str], cwd: Path, *, keep_temp: bool) -> dict[str, str]:
        """Return the variables of a command with this home, and make what they name.

        `cwd` is where the command runs; `keep_temp` leaves its own TMPDIR.
        """
        rules = home_rules()
        variables = {name: value for name, value in given.items() if name not in rules.unset}
        variables["HOME"] = str(self.home)
        if not keep_temp:
            variables["TMPDIR"] = str(self.temp)
        named = toolchains()
        for name, place in rules.read.items():
            found = named.get(name) or self._expanded(place)
            if name not in variables and exists(found):
                variables[name] = self._seen(name, Path(found), cwd)
        for own in rules.own:
            if own.variable not in variables and exists(self._expanded(own.when)):
                variables[own.variable] = self._expanded(own.value)
        return variables

    def _seen(self, variable: str, users: Path, cwd: Path) -> str:
        """Return the place at which the command sees a place of the user."""
        own = (self.lasting or self.folder) / "packages" / variable.lower()
        for each in home_rules().caches:
            if each.variable == variable and each.wanted(cwd) and each.made(users, own):
                return str(own)
        return str(users)

    def remove(self) -> None:
        """Remove the folder, also what a program made read-only in it."""
        remove_folder(self.folder)

    def _place(self, name: str) -> Path:
        place = self.home / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return place

    def _adapt(self, config: Path) -> None:
        """Let a copied git configuration name files of the user's home, and sign nothing."""
        users = os.fsencode(self.users)
        told = _HOME_IN_GIT.sub(lambda found: found[1] + users + b"/", config.read_bytes())
        config.write_bytes(told + _UNSIGNED)

    def _show_distributions(self) -> None:
        """Link what `gradlew` installed, without its lock files: it opens them for writing each time."""
        theirs = self.users / _DISTRIBUTIONS
        for folder in theirs.glob("*/*/"):
            here = self._place(f"{_DISTRIBUTIONS}/{folder.relative_to(theirs)}")
            here.mkdir(exist_ok=True)
            for each in folder.iterdir():
                if each.suffix != ".lck":
                    (here / each.name).symlink_to(each)

    def _expanded(self, text: str) -> str:
        filled = text.replace("{home}", str(self.home)).replace("{temp}", str(self.temp))
        return filled.replace("~", str(self.users))
