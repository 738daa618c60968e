"""Paths that are opened to a confined process by name: real paths, never links that an agent made."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from setpoint.errors import SettingsError

SHARED = ("~/.cache", "~/Library/Caches", "$XDG_CACHE_HOME")
"""Where all kinds of programs keep caches, a folder each."""
CACHES = (
    *SHARED, "~/.npm", "~/.cargo/registry", "~/.cargo/git", "~/go/pkg", "~/.gradle/caches",
    "~/.m2/repository",
)  # fmt: skip
"""Caches of package tools, opened where they are."""
SHUT = ("uv", "pre-commit", "pypoetry/virtualenvs", "pipx")
"""Those of them that stay shut: programs are run from there, or installed as links to files there."""
APART = {
    "uv": "UV_CACHE_DIR",
    "pre-commit": "PRE_COMMIT_HOME",
    "poetry": "POETRY_VIRTUALENVS_PATH",
    "bun": "BUN_INSTALL_CACHE_DIR",
}
"""Variables that give an agent an empty place of its own instead, by the name of the place."""
BUILDS = {"go-build": "GOCACHE"}
"""The same for caches that a tool needs, if the user has none that can be opened."""
_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_MOST_LINKS = 40


class Places:
    """Finds the places that are opened to one agent, or to checks.

    Links are followed, for people keep their files elsewhere and link to them; but none that lies in a place
    that agents write to: an agent may have laid it.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        protected: Collection[Path],
        code: Collection[Path],
        setting: str = "sandbox.writes",
    ) -> None:
        """Take real paths: `protected` is opened neither as a part nor as a whole, `code` is left out.

        `setting` is the one that names what the user opens.
        """
        self._setting = setting
        self._environment = environment
        self._protected, self._code = protected, code
        home = _real(Path(environment.get("HOME", "/")))
        caches = [path for _, path in self._expanded(CACHES)]
        self._caches = [path for path in caches if not home.is_relative_to(_real(path))]
        self._shut = {_named(path / name) for _, path in self._expanded(SHARED) for name in SHUT}

    def opened(self, given: Sequence[str], own: Sequence[str], *, caches: bool) -> list[str]:
        """Return all places, each once, none within another: the user's, the agent's own, and the caches.

        Raises `SettingsError` where the user gives a place that would open the repository.
        """
        users, agents = self._expanded(given), self._expanded(own)
        named = [*(path for _, path in (*users, *agents)), *self._caches]
        loose = {_real(path) for path in named} | {_named(path) for path in named}
        found: list[Path] = []
        for _, path in users:
            found += self._users(path, loose)
        for entry, path in agents:
            found += self._agents(path, loose, make=entry.endswith("/"))
        for path in self._caches if caches else ():
            found += self._agents(path, loose, make=False)
        outer = [path for path in found if not any(each in path.parents for each in found)]
        return list(dict.fromkeys(str(path) for path in outer))

    def apart(self, folder: Path, *, caches: bool = True) -> dict[str, str]:
        """Return the variables for the agent's own caches below a folder, except those already set.

        Without `caches` it uses no cache of the user's.
        """
        build = {
            name: variable
            for name, variable in BUILDS.items()
            if not (caches and any(_there(cache / name) for cache in self._caches))
        }
        wanted = {variable: str(folder / name) for name, variable in {**APART, **build}.items()}
        return {name: value for name, value in wanted.items() if not self._environment.get(name)}

    def _users(self, path: Path, loose: Collection[Path]) -> Iterator[Path]:
        real = _followed(path, loose)
        if real is None:
            raise SettingsError(
                f"setting {self._setting}: {path} leads through a link in a folder that agents write to",
                hint="name the folder that the link leads to, or remove the link",
            )
        if not _there(real):
            return
        if self._opens(real):
            message = f"setting {self._setting}: {real} contains the repository or Setpoint's own state"
            raise SettingsError(message, hint="name the folders that are needed, not one above them")
        if self._within(real, (*self._protected, *self._code)):
            inside = "lies in the repository or Setpoint's own state or code"
            hint = "name folders outside them; agents and checks write to copies of their own"
            raise SettingsError(f"setting {self._setting}: {real} {inside}", hint=hint)
        yield from _without(real, self._code)

    def _agents(self, path: Path, loose: Collection[Path], *, make: bool) -> Iterator[Path]:
        real, shut = _followed(path, loose), {*self._shut, *self._code}
        if real is None or self._opens(real) or self._within(real, (*self._protected, *shut)):
            return
        if make:
            with contextlib.suppress(OSError):  # then the agent cannot make it either
                real.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _there(real):
            yield from _without(real, shut)

    def _opens(self, path: Path) -> bool:
        return any(each.is_relative_to(path) for each in self._protected)

    def _within(self, path: Path, shut: Iterable[Path]) -> bool:
        return any(path.is_relative_to(each) for each in shut)

    def _expanded(self, entries: Iterable[str]) -> list[tuple[str, Path]]:
        told = ((entry, expanded(entry, self._environment)) for entry in entries)
        return [(entry, path) for entry, path in told if path is not None]


def existing(entries: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return the real paths of entries that exist."""
    paths = (expanded(entry, environment) for entry in entries)
    return [str(_real(path)) for path in paths if path is not None and _there(path)]


def expanded(entry: str, environment: Mapping[str, str]) -> Path | None:
    """Replace `~` and variables; none if one is not set, or the result is not absolute."""
    home = entry == "~" or entry.startswith("~/")
    named = [*_VARIABLE.findall(entry), *(["HOME"] if home else [])]
    if not all(environment.get(name) for name in named):
        return None
    path = _VARIABLE.sub(lambda match: environment[match.group(1)], entry)
    path = environment["HOME"] + path[1:] if home else path
    return Path(path) if Path(path).is_absolute() else None


def _real(path: Path) -> Path:
    """Follow all links; unlike `Path.resolve` without an error for those that lead in a circle."""
    return Path(os.path.realpath(path))


def _named(path: Path) -> Path:
    """Return a path with the links above it followed, and not itself."""
    return _real(path.parent) / path.name


def _there(path: Path) -> bool:
    """Whether something is there that may be looked at."""
    try:
        return path.exists()
    except OSError:  # a folder on the way is closed to us
        return False


def _link(path: Path) -> Path | None:
    """Return the target of a link; none if there is no readable link."""
    try:
        return path.readlink()
    except OSError:
        return None


def _followed(path: Path, loose: Collection[Path]) -> Path | None:
    """Return the real path, step by step; none where a link on the way lies in one of the `loose` folders."""
    here, left, links = Path(path.anchor), list(reversed(path.parts[1:])), 0
    while left:
        part = left.pop()
        if part == "..":
            here = here.parent
        elif (target := _link(here / part)) is not None:
            links += 1
            if links > _MOST_LINKS or any(here.is_relative_to(each) for each in loose):
                return None
            left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            here = Path(target.anchor) if target.is_absolute() else here
        else:
            here /= part
    return here


def _without(path: Path, shut: Collection[Path]) -> Iterator[Path]:
    """Yield a path, or, if it contains a closed path, its other entries without links."""
    if path in shut:
        return
    if not any(each.is_relative_to(path) for each in shut):
        yield path
        return
    try:
        inside = sorted(path.iterdir())
    except OSError:  # a file where a folder is expected, or nothing that may be listed: it is not opened
        return
    for each in inside:
        if not each.is_symlink():
            yield from _without(each, shut)
