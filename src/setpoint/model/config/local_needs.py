"""What tests need that git does not hold: ignored files of the user's tree, and variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import ConfigDict, Field

from setpoint.model.value import Value


class CopySettings(Value):
    """What the copies in which agents and checks work hold beside what git holds."""

    files: tuple[str, ...] = ()
    """Files that git ignores and checks need, as globs from the root: `[".env", "build/**"]`.

    `"../data"` is a folder beside the root, to which the copies get a link.
    Those that `.worktreeinclude` names are added. Code that Setpoint breaks on purpose never meets them.
    """
    agents: bool = False
    """Whether agents get these files, too: what an agent can read, its model reads."""
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

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.files or self.variables)

    def and_those(self, more: Needs) -> Needs:
        """Return both together."""
        return Needs(
            files=tuple(dict.fromkeys((*self.files, *more.files))),
            variables=tuple(dict.fromkeys((*self.variables, *more.variables))),
        )

    def without(self, gone: Iterable[str]) -> Needs:
        """Return all but some of it."""
        left_out = set(gone)
        return Needs(
            files=tuple(each for each in self.files if each not in left_out),
            variables=tuple(each for each in self.variables if each not in left_out),
        )

    @property
    def words(self) -> str:
        """Name all of it."""
        return ", ".join((*(f"`{path}`" for path in self.files), *(f"`{name}`" for name in self.variables)))

    @property
    def settings(self) -> str:
        """Return the lines of `setpoint.toml` that carry it."""
        files = ", ".join(f'"{path}"' for path in self.files)
        names = ", ".join(f'"{name}"' for name in self.variables)
        lines = (
            f"[copy] files = [{files}]" if files else "",
            f"[environment] pass = [{names}]" if names else "",
        )
        return " and ".join(line for line in lines if line)

    @property
    def lacking(self) -> str:
        """Say how checks would get it; empty where nothing is needed."""
        return f"{self.words}; hint: write {self.settings} into setpoint.toml" if self else ""


NOTHING = Needs()
