"""What a shell command runs, and whether its exit status is that of what it checks."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)|(?P<comment>(?<![^\s;&|])\#[^\n]*)|(?P<group>[()])
    |(?P<op>\|\||&&|\|&|[|;\n]|&(?![>\d]))
    |(?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|[<>]&|&>>?|>\||[^\s|;&()'"\\`])+)""",
    re.VERBOSE | re.DOTALL,
)
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
_SHELLS = frozenset({"sh", "bash", "dash", "zsh"})


class _Part(NamedTuple):
    """One simple command of a list, with the operator before it."""

    operator: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.words)

    @property
    def fails(self) -> bool:
        """Whether it ends with a failure for sure."""
        return self.words[:1] == ("false",) or bool(re.fullmatch(r"(?:exit|return) [1-9]\d*", str(self)))

    @property
    def succeeds(self) -> bool:
        """Whether it ends with success for sure."""
        return self.words[0] in _ALWAYS_TRUE or self.words[:2] in (("exit", "0"), ("return", "0"))


def masked(command: str) -> str:
    """Say how a command hides the exit status of what it checks; empty where it does not, as far as is seen.

    Loops, conditions and here-documents are not read.
    """
    if any(mark in command for mark in _TRUSTED):
        return ""
    parts = _parts(command)
    if any(part.words[0] in _KEYWORDS for part in parts):
        return ""
    careful = any(part.words[0] == "set" and re.search(r" -\w*e", str(part)) for part in parts)
    found = (
        "" if "pipefail" in command else _masked_by_pipe(parts),
        _masked_by_or(parts),
        "" if careful else _masked_by_next(parts),
        *(masked(script) for part in parts if (script := _script(part.words))),
    )
    return next(filter(None, found), "")


def tools_of(command: str) -> frozenset[str]:
    """Name the programs that a command starts, as far as they can be read from it."""
    parts = _parts(command)
    inner = [tools_of(script) for part in parts if (script := _script(part.words))]
    return frozenset(_tool(part.words) for part in parts).union(*inner)


def _masked_by_pipe(parts: list[_Part]) -> str:
    for number, (left, right) in enumerate(pairwise(parts), start=1):
        last = number + 1 == len(parts) or parts[number + 1].operator not in _PIPE
        hides = (last and right.words[0] in _FILTERS) or _tool(left.words) in TEST_TOOLS
        if right.operator in _PIPE and hides:
            return f"the pipe gives the exit status of `{right}` in place of that of `{left}`"
    return ""


def _masked_by_or(parts: list[_Part]) -> str:
    for number, part in enumerate(parts):
        if part.operator == "||" and part.succeeds and not any(each.fails for each in parts[number:]):
            return f"`|| {part}` turns a failure of `{parts[number - 1]}` into success"
    return ""


def _masked_by_next(parts: list[_Part]) -> str:
    for number, (left, right) in enumerate(pairwise(parts)):
        if right.operator not in _LIST:
            continue
        last = number + 2 == len(parts)
        if right.operator == "&" or _tool(left.words) in TEST_TOOLS or (last and right.succeeds):
            return f"`{right}` decides the exit status in place of `{left}`"
    return ""


def _parts(command: str) -> list[_Part]:
    """Split a command into its simple commands; none where it cannot be read."""
    parts, words, operator, at = list[_Part](), list[str](), "", 0
    while at < len(command):
        found = _TOKEN.match(command, at)
        if found is None:
            return []
        at, kind = found.end(), found.lastgroup
        if kind == "word" and found[0] not in ("{", "}", "!"):
            words.append(found[0])
        elif kind == "op":
            if words:
                parts.append(_Part(operator, tuple(words)))
                words = []
                operator = found[0]
            elif found[0] not in _LIST:
                operator = found[0]
    if operator == "&" and not words:
        words = [":"]  # a shell does not wait for what is in the background
    return [*parts, _Part(operator, tuple(words))] if words else parts


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
    if _tool(words) not in _SHELLS:
        return ""
    place = next((number for number, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), None)
    if place is None or place + 1 == len(words):
        return ""
    try:
        return "".join(shlex.split(words[place + 1])[:1])
    except ValueError:
        return ""
