"""What code can learn of the process that runs it, and what in each language tells it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

PROC = re.compile(r"^(/proc/|/dev/fd\b|/sys/(fs|class|kernel)/|/\.dockerenv|/run/\.containerenv)")
"""Files in which a system describes processes and itself."""


class Fact(StrEnum):
    """What code can learn of its process."""

    PROGRAM = "its program or arguments"
    STACK = "its stack or thread"
    RUNNER = "the test runner"
    THREADS = "its threads or tasks"
    RUNTIME = "its runtime or memory"
    CLOCK = "how late it is, or how long it runs"
    BUILD = "how it was built"
    ENVIRONMENT = "its environment"
    MACHINE = "its machine"
    TERMINAL = "its terminal"


class Read(NamedTuple):
    """One place where code reads a fact."""

    fact: Fact
    text: str
    """The code."""
    returned: bool = True
    """Whether it counts that the value is given back; a clock is meant to differ."""
    at_load: bool = False
    """Whether it was read when the module was loaded."""


@dataclass(frozen=True, kw_only=True)
class _Entry:
    module: tuple[str, ...]
    fact: Fact
    members: re.Pattern[str] | None
    free: re.Pattern[str] | None
    returned: bool

    def tells(self, members: Sequence[str]) -> bool:
        both = {".".join(members[:2]), *members[:1]}
        if self.members is not None and not any(map(self.members.fullmatch, both)):
            return False
        return self.free is None or not any(map(self.free.fullmatch, both))


def told(language: str, parts: Sequence[str], text: str) -> Read | None:
    """Return what a name with its parts tells, in the code `text`; none if it tells nothing of the process.

    A module or object by itself, which is passed on, tells all that it has.
    """
    for entry in _entries(language):
        within = tuple(parts[: len(entry.module)]) == entry.module
        if within and entry.tells(parts[len(entry.module) :]):
            return Read(entry.fact, " ".join(text.split()), entry.returned)
    return None


@cache
def _entries(language: str) -> tuple[_Entry, ...]:
    held = tomllib.loads((files(__package__) / "members.toml").read_text("utf-8"))
    between = "::" if language == "rust" else "." if language == "python" else None
    return tuple(
        _Entry(
            module=tuple(each["module"].split(between)) if between else (each["module"],),
            fact=Fact[each["fact"].upper()],
            members=_pattern(each.get("members")),
            free=_pattern(each.get("free")),
            returned=each.get("returned", True),
        )
        for each in held[language]
    )


def _pattern(given: str | None) -> re.Pattern[str] | None:
    return re.compile(given.replace("\n", "")) if given else None
