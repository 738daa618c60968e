"""The commands by which tools of packages judge their lock files, as data."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from setpoint.model.value import Value


class LockFile(Value):
    """A lock file, and the command that says whether it agrees with what its project declares."""

    lock: str
    """Its name."""
    manifest: str
    """The file beside it that declares the dependencies."""
    argv: tuple[str, ...]
    """Program and arguments; exit code 0 where they agree."""


@cache
def lock_files() -> tuple[LockFile, ...]:
    """Return all that are known."""
    text = (resources.files(__name__) / "tools.toml").read_text("utf-8")
    return TypeAdapter(tuple[LockFile, ...]).validate_python(tomllib.loads(text)["tool"])
