"""What tests need that git does not hold: ignored files of the user's tree, and variables."""

from __future__ import annotations

import os.path
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Literal

from pydantic import ConfigDict, Field

from setpoint.model.value import Value

_MADE_IN = frozenset({"build", "dist", "out", "target", "bin", "obj", "lib"})
_MADE = frozenset({".js", ".mjs", ".cjs", ".so", ".pyd", ".jar", ".class", ".wasm", ".o", ".a", ".exe"})
_LEFT = " (as your last build left it)"
_MOST_NAMED = 5
"""Most files of one folder that are named one by one."""


class CopySettings(Value):
    """What the copies in which agents and checks work hold beside what git holds."""

    files: tuple[str, ...] = ()
    """Files that git ignores and checks need, as globs from the root: `[".env", "build/**"]`.

    `"../data"` is a folder beside the root, to which the copies get a link.
    Those that `.worktreeinclude` names are added. Code that Setpoint breaks on purpose never meets them.
    """
    agents: bool = False
    """Whether agents get these files, too: what an agent can read, its model reads."""
    build: str = ""
    """Command that makes generated files in the copies of the checks, before tests run: `"npm run build"`."""
    found: Literal["carry", "hold"] = "carry"
    """What becomes of a file or variable that failing tests turn out to need: `carry` it to the checks from
    then on and say so, or `hold` the run before an agent is paid."""


class EnvironmentSettings(Value):
    """Which variables of your own shell are handed on."""

    model_config = ConfigDict(populate_by_name=True)

    passed: tuple[str, ...] = Field(default=(), alias="pass")
    """Names of variables that checks get beside the usual ones: `["DATABASE_URL"]`.

    Code that Setpoint breaks on purpose never meets them.
    """
    agents: bool = False
    """Whether agents get these variables, too."""


class Needs(Value):
    """What the checks of a project get beside what git holds."""

    files: tuple[str, ...] = ()
    """Paths of ignored files, from the root."""
    variables: tuple[str, ...] = ()
    """Names of variables."""
    build: str = ""
    """Command that is run in each copy, since tests need what it makes."""

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.files or self.variables or self.build)

    def and_those(self, more: Needs) -> Needs:
        """Return both together."""
        return Needs(
            files=tuple(dict.fromkeys((*self.files, *more.files))),
            variables=tuple(dict.fromkeys((*self.variables, *more.variables))),
            build=self.build or more.build,
        )

    def without(self, gone: Iterable[str]) -> Needs:
        """Return all but some of it."""
        left_out = set(gone)
        return Needs(
            files=tuple(each for each in self.files if each not in left_out),
            variables=tuple(each for each in self.variables if each not in left_out),
            build=self.build,
        )

    @property
    def grouped(self) -> dict[str, tuple[str, ...]]:
        """Return the files by name, those of one folder together as a glob where there are many."""
        tops = Counter(map(_top, self.files))
        many = {top for top, count in tops.items() if top and count > _MOST_NAMED}
        found: dict[str, list[str]] = {}
        for path in self.files:
            found.setdefault(_top(path) if _top(path) in many else path, []).append(path)
        return {
            f"{os.path.commonpath(paths)}/**" if name in many else name: tuple(paths)
            for name, paths in found.items()
        }

    @property
    def words(self) -> str:
        """Name all of it."""
        files = (f"`{name}`" + _LEFT * is_made(group[0]) for name, group in self.grouped.items())
        built = (f"what `{self.build}` makes",) if self.build else ()
        return ", ".join((*files, *(f"`{name}`" for name in self.variables), *built))

    @property
    def settings(self) -> str:
        """Return the lines of `setpoint.toml` that carry it."""
        files = ", ".join(f'"{path}"' for path in self.grouped)
        names = ", ".join(f'"{name}"' for name in self.variables)
        lines = (
            f"[copy] files = [{files}]" if files else "",
            f'[copy] build = "{self.build}"' if self.build else "",
            f"[environment] pass = [{names}]" if names else "",
        )
        return " and ".join(line for line in lines if line)

    @property
    def lacking(self) -> str:
        """Say how checks would get it; empty where nothing is needed."""
        return f"{self.words}; hint: write {self.settings} into setpoint.toml" if self else ""


def is_made(path: str) -> bool:
    """Whether a build may have made a file, from sources that the work changes."""
    place = PurePosixPath(path)
    if path.startswith("../") or path.endswith("/"):
        return False
    return place.suffix in _MADE or not _MADE_IN.isdisjoint(place.parts[:-1])


def _top(path: str) -> str:
    """Return the first folder of a path in the tree; empty where it lies in none."""
    folder, slash, rest = path.partition("/")
    return folder if slash and rest and folder != ".." else ""


NOTHING = Needs()
