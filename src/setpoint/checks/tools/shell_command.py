"""What a shell command runs, and whether its exit status is that of what it checks."""

from __future__ import annotations

import re
from itertools import pairwise

from setpoint.model.shell import SHELLS, Part, parts, unquoted

_TRUSTED = ("$?", "PIPESTATUS", "<<")
"""Who writes these cares for the status, or writes more than is read here."""
_KEYWORDS = frozenset({"if", "for", "while", "until", "case", "function", "trap"})
_PIPE, _LIST = ("|", "|&"), (";", "\n", "&")
_FILTERS = frozenset(
    {"tee", "tail", "head", "cat", "less", "more", "sed", "tr", "cut", "sort", "uniq", "ts", "column", "nl"}
    | {"fold", "wc", "logger", "true", ":", "echo", "printf"}
)
"""Programs that end with success, whatever they read."""
_ALWAYS_TRUE = frozenset({"true", ":", "echo", "printf", "date", "sleep"})
_WRAPPERS = frozenset(
    {"env", "time", "nice", "nohup", "npx", "command", "exec", "timeout", "bunx", "xvfb-run", "stdbuf"}
)
_RUNNERS = frozenset({"uv", "poetry", "pipenv", "hatch", "pdm", "rye"})
"""Programs whose `run` starts another program."""
TEST_TOOLS = frozenset(
    {"pytest", "py.test", "unittest", "tox", "nox", "node", "jest", "vitest", "mocha", "go", "cargo"}
    | {"npm", "pnpm", "yarn", "make", "ctest", "mypy", "ruff", "tsc", "eslint", "coverage", "bats"}
)
"""Programs whose exit status says whether something is right."""


def _fails(part: Part) -> bool:
    """Whether it ends with a failure for sure."""
    return part.words[:1] == ("false",) or bool(re.fullmatch(r"(?:exit|return) [1-9]\d*", str(part)))


def _succeeds(part: Part) -> bool:
    """Whether it ends with success for sure."""
    return part.words[0] in _ALWAYS_TRUE or part.words[:2] in (("exit", "0"), ("return", "0"))


def masked(command: str) -> str:
    """Say how a command hides the exit status of what it checks; empty where it does not, as far as is seen.

    Loops, conditions and here-documents are not read.
    """
    if any(mark in command for mark in _TRUSTED):
        return ""
    listed = parts(command)
    if any(part.words[0] in _KEYWORDS for part in listed):
        return ""
    careful = any(part.words[0] == "set" and re.search(r" -\w*e", str(part)) for part in listed)
    found = (
        "" if "pipefail" in command else _masked_by_pipe(listed),
        _masked_by_or(listed),
        "" if careful else _masked_by_next(listed),
        *(masked(script) for part in listed if (script := _script(part.words))),
    )
    return next(filter(None, found), "")


def tools_of(command: str) -> frozenset[str]:
    """Name the programs that a command starts, as far as they can be read from it."""
    listed = parts(command)
    inner = [tools_of(script) for part in listed if (script := _script(part.words))]
    return frozenset(_tool(part.words) for part in listed).union(*inner)


def _masked_by_pipe(listed: list[Part]) -> str:
    for number, (left, right) in enumerate(pairwise(listed), start=1):
        last = number + 1 == len(listed) or listed[number + 1].operator not in _PIPE
        hides = (last and right.words[0] in _FILTERS) or _tool(left.words) in TEST_TOOLS
        if right.operator in _PIPE and hides:
            return f"the pipe gives the exit status of `{right}` in place of that of `{left}`"
    return ""


def _masked_by_or(listed: list[Part]) -> str:
    for number, part in enumerate(listed):
        if part.operator == "||" and _succeeds(part) and not any(_fails(each) for each in listed[number:]):
            return f"`|| {part}` turns a failure of `{listed[number - 1]}` into success"
    return ""


def _masked_by_next(listed: list[Part]) -> str:
    for number, (left, right) in enumerate(pairwise(listed)):
        if right.operator not in _LIST:
            continue
        last = number + 2 == len(listed)
        if right.operator == "&" or _tool(left.words) in TEST_TOOLS or (last and _succeeds(right)):
            return f"`{right}` decides the exit status in place of `{left}`"
    return ""


def _tool(words: tuple[str, ...]) -> str:
    """Name the program that a simple command starts, behind variables and programs that start others."""
    left = list(words)
    while left:
        word = left.pop(0)
        name = word.rpartition("/")[2]
        if "=" in word or word.startswith("-") or re.fullmatch(r"[\d.]+[smh]?", word):
            continue
        if name in _RUNNERS and left[:1] == ["run"]:
            left.pop(0)
        elif re.fullmatch(r"python[\d.]*", name) and "-m" in left:
            return left[left.index("-m") + 1] if left[-1] != "-m" else name
        elif name not in _WRAPPERS:
            return name
    return ""


def _script(words: tuple[str, ...]) -> str:
    """Return what a shell is given to run with `-c`; empty where it is none."""
    if SHELLS.fullmatch(_tool(words)) is None:
        return ""
    place = next((number for number, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), None)
    if place is None or place + 1 == len(words):
        return ""
    return unquoted(words[place + 1])
