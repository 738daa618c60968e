"""Notes on added lines and on files, by the patterns of `lines.toml` and `files.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import TypeAdapter

from setpoint.checks.notes.change import Change
from setpoint.model.changes.agent_files import steers_agents
from setpoint.model.finding import Note
from setpoint.model.value import Value

_LONGEST = 500
"""Longer lines are those of generated files."""
_SHOWN = 100


class LinePattern(Value):
    """Something to look for in added lines."""

    rule: str
    message: str
    files: tuple[str, ...]
    where: Literal["code", "tests", "any"]
    pattern: re.Pattern[str]

    def reads(self, path: str, *, is_test: bool) -> bool:
        """Whether the pattern means something in a file."""
        return path.endswith(self.files) and self.where in ("any", "tests" if is_test else "code")


class FilePattern(Value):
    """A kind of file whose change is noted."""

    rule: str
    message: str
    changes: tuple[str, ...]
    pattern: re.Pattern[str]


class _Patterns(Value):
    line: tuple[LinePattern, ...] = ()
    file: tuple[FilePattern, ...] = ()


@cache
def _patterns(name: str) -> _Patterns:
    text = files("setpoint.checks.notes").joinpath(name).read_text("utf-8")
    return TypeAdapter(_Patterns).validate_python(tomllib.loads(text))


def of_lines(change: Change) -> Iterator[Note]:
    """Yield a note for each added line that a pattern fits."""
    for path in change.after:
        is_test = change.is_test(path)
        wanted = [each for each in _patterns("lines.toml").line if each.reads(path, is_test=is_test)]
        for number, line in change.added_lines(path) if wanted else ():
            for each in wanted:
                if len(line) <= _LONGEST and each.pattern.search(line):
                    shown = line.strip()[:_SHOWN]
                    yield Note(rule=each.rule, message=f"{each.message}: `{shown}`", file=path, line=number)


def of_files(change: Change) -> Iterator[Note]:
    """Yield a note for each file that steers tests, builds or agents, and for each deleted file of tests."""
    for path in change.paths:
        how = change.how(path)
        for each in _patterns("files.toml").file:
            if how in each.changes and each.pattern.search(path.casefold()):
                yield Note(rule=each.rule, message=f"{each.message}: {how}", file=path)
        if steers_agents(path):
            yield Note(rule="steers-agents", message=f"instructions or settings of agents: {how}", file=path)
        if how == "deleted" and change.is_test(path):
            yield Note(rule="deleted-test", message="a file of tests is deleted", file=path)
